"""JointLimit: a spring and a damper that push a joint back once it is beyond its range."""

from __future__ import annotations

from typing import Any

from redmax.components.given import FromZeroEach, JointOf, Limits
from redmax.components.limits import checked_limits
from redmax.forces.checks import nonnegative_each
from redmax.forces.joint_force import JointForce
from redmax.math import less, where
from redmax.types import Array, Value


class JointLimit(JointForce):
    """Soft limits of a joint: tau = k (q_lim - q) - d qdot and V = 1/2 k (q_lim - q)^2 for each coordinate beyond its limit, else nothing.

    lower, upper: q_lim (rad or m), numbers, or one for each coordinate; None: no limit
    stiffness, damping: k (N m/rad or N/m) and d (N m s/rad or N s/m), numbers, or one for each coordinate
    """

    spread = ("lower", "upper", "stiffness", "damping")
    placed = True

    def __init__(
        self,
        joint: JointOf,
        lower: Limits | None = None,
        upper: Limits | None = None,
        *,
        stiffness: FromZeroEach,
        damping: FromZeroEach = 0.0,
        name: str | None = None,
    ) -> None:
        self.hold(joint, name)
        self.lower, self.upper = checked_limits(self.label, lower, upper)
        self.stiffness = nonnegative_each(self.label, "stiffness", stiffness)
        self.damping = nonnegative_each(self.label, "damping", damping)

    def beyond(self, q: Array) -> tuple[Any, Any]:
        """Which coordinates are beyond a limit, and q_lim - q of those."""
        below, above = less(q, self.lower), less(self.upper, q)
        back = where(below, self.lower - q, where(above, self.upper - q, 0.0))
        return where(below, 1.0, above * 1.0), back

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        out, back = self.beyond(q)
        return self.stiffness * back - where(out, self.damping * qdot, 0.0)

    def potential(self, q: Array) -> Any:
        _, back = self.beyond(q)
        return 0.5 * (back @ (self.stiffness * back))
