"""An arm with 50 muscles, within the compiled time loop: what a segment of a path costs in a step, explicit and implicit.

MuJoCo has the same arm with a spatial tendon along each path. Springs with dampers along the paths are laws that both have: path lengths,
accelerations and runs of explicit steps must agree before anything is timed. Muscles are Hill's here and MuJoCo's own there (its gain and
bias, with a constant control and no activation dynamics): curves differ, the work is alike. An implicit step of MuJoCo has the damping of
the tendons in its system; one of redmax also their stiffness, so it is compared with RedMax dynamics, which solves the same system otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.arm import MUSCLES, SEGMENTS, Path, with_paths
from benchmarks.compile import first_and_cached
from benchmarks.engines.mujoco_tendons import Tendons
from benchmarks.implicit_step import Steps
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.forces import PathForce
from redmax.muscles import Hill
