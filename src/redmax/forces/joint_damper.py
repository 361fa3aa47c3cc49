"""JointDamper: resists the rates of a joint."""

from __future__ import annotations

from typing import Any

from redmax.components.given import ActsOn, FromZeroEach, JointOf
from redmax.forces.checks import acts_on_twist, nonnegative_each
from redmax.forces.joint_force import JointForce
from redmax.types import Array, Value


class JointDamper(JointForce):
    """A damper in a joint: tau = -d qdot.

    damping: d (N m s/rad or N s/m), a number, or one for each coordinate
    acts_on: "rates", or "twist" of a ball or free joint: the angular velocity (and the linear one), in axes that move with the body, so
        that it takes d |w|^2 whatever the coordinates are
    """

    spread = ("damping",)

    def __init__(self, joint: JointOf, damping: FromZeroEach, *, acts_on: ActsOn = "rates", name: str | None = None) -> None:
        self.hold(joint, name)
        self.on_twist = acts_on_twist(self.label, acts_on)
        self.damping = nonnegative_each(self.label, "damping", damping)

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        return -self.damping * qdot
