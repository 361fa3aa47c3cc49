"""Bodies on any of the groups for explicit methods and index 1: integrators see the velocity v of the group, and steps go along it.

The state between steps is the pose of the body and its twist, as in all maximal dynamics (dynamics/maximal/system.py). A step begins with
the pose of the body's frame (frame.py) and v; the dynamics finds the body's pose and twist of these before, and v' after it has found the
rate of the twist. On SE(3), from the left, all of that is what maximal dynamics has, whatever the frame: twists in two frames of a body
differ by a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from redmax.dynamics.choose import System
from redmax.integrators.absolute.group import Group, group_of
from redmax.integrators.absolute.place import flat_of, pose_of
from redmax.joints.body_frame import BodyFrame, PlacedFrame, SpatialFrame, SpatialPlacedFrame
from redmax.lie import Adjoint
from redmax.program.fields import Fields
from redmax.program.record import JointView
from redmax.program.sweep import Recursion, forward, recursion

BODIES: dict[str, BodyFrame] = {
    "SO3xR3": PlacedFrame(), "SE3-right": SpatialFrame(), "SO3xR3-right": SpatialPlacedFrame(),
}  # fmt: skip
KNOWN_AS = {"q": "placed", "qdot": "velocity", "qddot": "velocity_rate"}
NOTHING = np.zeros(6)


@dataclass(frozen=True)
class Along:
    """The sweeps of a group. Its repr tells them from those of others."""

    group: Group

    def find_velocity(self, j: JointView) -> None:
        """Where the step begins."""
        (R, x), (own, p) = pose_of(j.pose), self.group.frame.beside(j)
        pose = R @ own, x + R @ p
        j.placed = flat_of(pose)
        j.velocity = self.group.own(pose, Adjoint(own, p) @ j.twist, NOTHING.astype(object))[0]

    def find_twist(self, j: JointView) -> None:
        """The body's own pose, too."""
        pose, (own, p) = pose_of(j.placed), self.group.frame.beside(j)
        V, _ = self.group.motion(pose, j.velocity, NOTHING.astype(object))
        R = pose[0] @ own.T
        j.pose = flat_of((R, pose[1] - R @ p))
        j.twist = Adjoint(own.T, -(own.T @ p)) @ V

    def find_rate(self, j: JointView) -> None:
        to_frame = Adjoint(*self.group.frame.beside(j))
        j.velocity_rate = self.group.own(pose_of(j.placed), to_frame @ j.twist, to_frame @ j.twist_rate)[1]

    def recursion(self, sweep: Callable[[JointView], None]) -> Recursion:
        return recursion(forward(sweep), name=f"{sweep.__name__} {self.group!r}")


def on_group(found: System, group: str, frame: str) -> System:
    """The same dynamics of bodies, for methods that step along this group, with frames of this kind."""
    if group not in BODIES:
        return found
    along = Along(group_of(group, frame))

    def widened(fields: Callable[..., Fields]) -> Callable[..., Fields]:
        def of(**extra: Any) -> Fields:
            f = fields(**extra)
            own = {"placed": 12, "velocity": 6, "velocity_rate": 6}
            return replace(f, state={**f.state, **own}, known_as=KNOWN_AS | {"joint": BODIES[group]})

        return of

    velocity, twist, rate = (along.recursion(sweep) for sweep in (along.find_velocity, along.find_twist, along.find_rate))
    accelerations = (twist, *found.accelerations, rate)
    return replace(found, accelerations=accelerations, fields=widened(found.fields), entering=(velocity,), leaving=(twist,))
