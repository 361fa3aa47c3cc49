"""JointSpring: draws the coordinates of a joint to where it is at rest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from redmax.components.given import FromZeroEach, JointOf, PerCoordinate
from redmax.forces.checks import nonnegative_each, per_coordinate
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.types import Array, Value


class JointSpring(JointForce):
    """A spring in a joint: tau = -k (q - rest), V = 1/2 k (q - rest)^2.

    Where the configuration is an element of a group, q - rest is the rotation vector log(R_rest' R) from rest, and of a free joint then
    R_rest' (p - p_rest); V stays what it is, and tau is what the body twist feels of it: -k log of one k for all axes.

    stiffness: k (N m/rad or N/m), a number, or one for each velocity
    rest: where it is relaxed (rad or m), likewise, or a configuration of the group; where the scene begins unless given
    """

    spread = ("stiffness", "rest")
    configurations = ("rest",)
    placed = True
    on_group = True

    def __init__(self, joint: JointOf, stiffness: FromZeroEach, rest: PerCoordinate | None = None, *, name: str | None = None) -> None:
        self.hold(joint, name)
        self.stiffness = nonnegative_each(self.label, "stiffness", stiffness)
        self.rest = None if rest is None else per_coordinate(self.label, "rest", rest, "a finite number")

    def fitted(self, joint: Joint, joint_name: str, q: np.ndarray) -> Self:
        start = self if self.rest is not None else self.replaced(rest=q)
        return super(JointSpring, start).fitted(joint, joint_name, q)

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        if self.within is None:
            return self.stiffness * (self.rest - q)
        away = self.within.away(np.asarray(self.rest), q)
        return self.within.pulled(away, -self.stiffness * away)

    def potential(self, q: Array) -> Any:
        away = q - self.rest if self.within is None else self.within.away(np.asarray(self.rest), q)
        return 0.5 * (away @ (self.stiffness * away))
