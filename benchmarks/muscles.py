"""An arm with 50 muscles, within the compiled time loop: what a segment of a path costs in a step, explicit and implicit.

MuJoCo has the same arm with a spatial tendon along each path. Springs with dampers along the paths are laws that both have: path lengths,
accelerations and runs of explicit steps must agree before anything is timed. Muscles are Hill's here and MuJoCo's own there (its gain and
bias, with a constant control and no activation dynamics): curves differ, the work is alike. An implicit step of MuJoCo has the damping of
the tendons in its system, one of redmax also their stiffness: it must agree with RedMax dynamics, which solves the same system otherwise.

Segments within one body keep their length and cost next to nothing, so the limits are also held for those between two bodies alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryDirectory

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.arm import CROSSING, MUSCLES, SEGMENTS, with_paths
from benchmarks.cases import draw
from benchmarks.engines.mujoco_tendons import Tendons
from benchmarks.implicit_step import RUN_TOLERANCE, Steps
from benchmarks.path_laws import Pair, hills, springs
from benchmarks.processes import processes
from benchmarks.report import Row, Target, duration
from benchmarks.timing import Effort, Times, compete
from redmax.forces import PathForce
from redmax.forces.frames import Frame
from redmax.forces.law import sites_of

FIGURE = "muscles"
DT, STEPS, CHECKED = 1e-4, 1000, 50
LIMITS = {"euler": 50e-9, "implicit": 150e-9}  # s per segment and step
ACCELERATION_TOLERANCE = 1e-8

COMPILE = """
import sys
import redmax.backends.llvm.executable
from benchmarks.path_laws import hills
import redmax as rm
print(rm.Simulation(hills().scene.model(), dt=1e-4, integrator=sys.argv[1], dynamics="recursive").compile_s)
"""


def measure(effort: Effort) -> Iterator[Row]:
    for pair in (springs(), hills()):
        for integrator in LIMITS:
            yield from against(pair, integrator, effort)
    yield from compiling(effort)


def against(pair: Pair, integrator: str, effort: Effort) -> Iterator[Row]:
    q, v = state(pair.scene)
    own = Steps(pair.scene, integrator, DT, dynamics="recursive")
    alone = Steps(with_paths(), integrator, DT, dynamics="recursive")
    peer = Tendons(pair.scene, pair.law, integrator, DT, pair.control)
    error = checked(pair, integrator, own, peer)
    contestants = [own.contestant(q, v, STEPS), alone.contestant(q, v, STEPS, "redmax, arm alone"), peer.contestant(q, v, STEPS)]
    mine, bare, other = compete(contestants, effort)
    case = f"{pair.name}, {integrator}"
    note = f"{MUSCLES} paths, dt {DT:g} s, {STEPS:,} steps a run; the arm alone takes {duration(bare.best)}"
    yield Row(FIGURE, case, mine.best, peer.name, other.best, mine.ratio(other), Target(ratio=1.0), error, note)
    if not pair.exact:
        yield from by_segments(case, integrator, mine, bare)


def by_segments(case: str, integrator: str, mine: Times, bare: Times) -> Iterator[Row]:
    for what, count in (("segment", SEGMENTS), ("segment between bodies", CROSSING)):
        note = f"{count} of them; {duration((mine.best - bare.best) / count)} above the arm alone"
        yield Row(FIGURE, f"{case}, per {what}", mine.best / count, target=Target(seconds=LIMITS[integrator]), note=note)


def state(scene: rm.Scene) -> tuple[np.ndarray, np.ndarray]:
    states = draw(scene, 1)
    return 0.3 * states.q[0], 0.5 * states.v[0]


def checked(pair: Pair, integrator: str, own: Steps, peer: Tendons) -> float:
    """How much redmax differs: in path lengths, accelerations and explicit steps from MuJoCo, in implicit steps from RedMax dynamics."""
    q, v = state(pair.scene)
    dynamics = rm.Dynamics(pair.scene.model())
    lengths, acceleration = peer.lengths_and_acceleration(q, v)
    errors = [agree("path lengths", path_lengths(dynamics, q, v), lengths)]
    if pair.exact:
        errors.append(agree("accelerations of springs", dynamics.forward(q, v), acceleration, ACCELERATION_TOLERANCE))
    if pair.exact and integrator == "euler":
        errors.append(agree("steps of springs", *[rates(engine, q, v, STEPS) for engine in (own, peer)], RUN_TOLERANCE))
    if integrator == "implicit":
        other = Steps(pair.scene, integrator, DT, dynamics="redmax", solver="direct")
        errors.append(agree("implicit steps", *[rates(engine, q, v, CHECKED) for engine in (own, other)]))
    return max(errors)


def rates(engine: Steps | Tendons, q: np.ndarray, v: np.ndarray, steps: int) -> np.ndarray:
    contestant = engine.contestant(q, v, steps)
    contestant.call()
    return contestant.accelerations()


def path_lengths(dynamics: rm.Dynamics, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(paths,) m, from the poses of the bodies."""
    poses, still = dynamics.observe(q, v).pose, np.zeros(3)
    frames = [Frame(E[:3, :3], E[:3, 3], still, still) for E in poses]
    paths = [f for f in dynamics.model.forces if isinstance(f, PathForce)]
    return np.array([float(f.length_and_rate(sites_of(f, [frames[b.index] for b in f.bodies]))[0]) for f in paths])


def compiling(effort: Effort) -> Iterator[Row]:
    """From a model to a compiled run, in fresh processes with an empty cache on disk, and again with what that left there."""
    with processes() as python:
        for integrator in LIMITS:
            cold, cached = [], []
            for _ in range(effort.processes):
                with TemporaryDirectory() as folder:
                    for found in (cold, cached):
                        found.append(float(python.output("-c", COMPILE, integrator, REDMAX_CACHE_DIR=folder)))
            note = f"{duration(min(cached))} from the cache"
            yield Row(FIGURE, f"muscles, {integrator}, compile", min(cold), note=note)
