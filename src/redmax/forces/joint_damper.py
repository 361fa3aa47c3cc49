"""JointDamper: resists the rates of a joint."""

from __future__ import annotations

from typing import Any

from redmax.components.given import FromZeroEach, JointOf
from redmax.forces.checks import nonnegative_each
from redmax.forces.joint_force import JointForce
from redmax.types import Array, Value


class JointDamper(JointForce):
    """A damper in a joint: tau = -d qdot.

    damping: d (N m s/rad or N s/m), a number, or one for each coordinate
    """

    spread = ("damping",)

    def __init__(self, joint: JointOf, damping: FromZeroEach, *, name: str | None = None) -> None:
        self.hold(joint, name)
        self.damping = nonnegative_each(self.label, "damping", damping)

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        return -self.damping * qdot
