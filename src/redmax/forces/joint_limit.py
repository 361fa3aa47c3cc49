"""JointLimit: a spring and a damper that push a joint back once it is beyond its range."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import as_array, brief
from redmax.components.given import FromZeroEach, JointOf, Limits
from redmax.errors import SceneError, wrong
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
        self.lower, self.upper = self.limits("lower", lower, -np.inf), self.limits("upper", upper, np.inf)
        if self.lower.ndim and self.upper.ndim and len(self.lower) != len(self.upper):
            counts = f"{len(self.lower)} numbers and upper {len(self.upper)}"
            raise SceneError(
                f"{self.label}: lower has {counts}, expected one for each coordinate in both.", owner=self.label, argument="lower"
            )
        if not np.isfinite(self.lower).any() and not np.isfinite(self.upper).any():
            raise SceneError(
                f"{self.label} limits nothing: lower and upper are both left out. Give at least one.", owner=self.label, argument="lower"
            )
        if (self.lower > self.upper).any():
            raise SceneError(
                f"{self.label}: lower is {brief(lower)} and upper is {brief(upper)}, expected lower to be at most upper.",
                owner=self.label,
                argument="lower",
            )
        self.stiffness = nonnegative_each(self.label, "stiffness", stiffness)
        self.damping = nonnegative_each(self.label, "damping", damping)

    def limits(self, name: str, value: Limits | None, none: float) -> np.ndarray:
        given = [none if x is None else x for x in value] if isinstance(value, list | tuple) else none if value is None else value
        array = as_array(given)
        result = np.array(array, float) if array.dtype.kind in "fiu" else np.full((1, 1), np.nan)
        if result.ndim > 1 or np.isnan(result).any():
            raise wrong(self.label, name, value, "a number, one for each coordinate, or None for no limit")
        return result

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
