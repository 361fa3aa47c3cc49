"""Bodies on SO(3) x R^3: to integrators the velocity of a body is (Omega; xdot), and a step turns it and shifts it in the world's axes.

The state between steps is the pose and the body twist, as on SE(3) (system.py). A step of an explicit method begins with the velocity of
the twist; the dynamics finds the twist of the velocity before, and the rate of the velocity after it has found that of the twist:

    V = R' xdot,    xddot = R (Vdot + Omega x V)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.dynamics.choose import System
from redmax.joints.body_frame import PlacedFrame
from redmax.lie.three import cross
from redmax.program.fields import Fields
from redmax.program.record import JointView
from redmax.program.sweep import forward, recursion
from redmax.trace.vector import vector_of

KNOWN_AS = {"q": "pose", "qdot": "velocity", "qddot": "velocity_rate", "joint": PlacedFrame()}


def rotation(j: JointView) -> Any:
    return np.asarray(j.pose, object).reshape(3, 4)[:, :3]


@forward
def find_velocity(j: JointView) -> None:
    j.velocity = np.concatenate([j.twist[:3], rotation(j) @ j.twist[3:]])


@forward
def find_twist(j: JointView) -> None:
    j.twist = np.concatenate([j.velocity[:3], rotation(j).T @ j.velocity[3:]])


@forward
def find_rate(j: JointView) -> None:
    w, V, rate = j.twist[:3], j.twist[3:], j.twist_rate
    j.velocity_rate = np.concatenate([rate[:3], rotation(j) @ (rate[3:] + vector_of(cross(list(w), list(V))))])


VELOCITY, TWIST, RATE = (recursion(s, name=f"direct product {s.name}") for s in (find_velocity, find_twist, find_rate))


def on_direct_product(found: System) -> System:
    """The same dynamics of bodies, for explicit methods that step along SO(3) x R^3."""

    def widened(fields: Callable[..., Fields]) -> Callable[..., Fields]:
        def of(**extra: Any) -> Fields:
            f = fields(**extra)
            return replace(f, state={**f.state, "velocity": 6, "velocity_rate": 6}, known_as=KNOWN_AS)

        return of

    accelerations = (TWIST, *found.accelerations, RATE)
    return replace(found, accelerations=accelerations, fields=widened(found.fields), entering=(VELOCITY,), leaving=(TWIST,))
