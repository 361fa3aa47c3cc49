"""HardLimit: a joint that does not go beyond its range: q - lower >= 0 and upper - q >= 0, a row for each bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.arguments import as_array, brief
from redmax.components.given import FromZero, Gain, JointOf, Limits
from redmax.components.holding import Site
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.types import Value


class HardLimit(OfCoordinates):
    """A joint that stops at the ends of its range, without bouncing: a one-sided row for each bound. (JointLimit is a spring there.)

    joint: by a body or a name; lower, upper (rad or m): numbers, or one for each coordinate; None: no limit
    gain (1/s): how quickly what is beyond is taken back; as the run says, unless given. compliance: 0 unless given
    """

    held = ("joint",)
    one_sided = True

    def __init__(
        self, joint: JointOf, lower: Limits | None = None, upper: Limits | None = None, *, name: str | None = None,
        gain: Gain | None = None, compliance: FromZero = 0.0,
    ) -> None:  # fmt: skip
        self.read((joint,), self.held, name, gain, compliance)
        self.size = 0
        self.lower, self.upper = bounds(self.label, "lower", lower, -np.inf), bounds(self.label, "upper", upper, np.inf)
        if self.lower.ndim and self.upper.ndim and len(self.lower) != len(self.upper):
            counts = f"{len(self.lower)} numbers and upper {len(self.upper)}"
            said = f"{self.label}: lower has {counts}, expected one for each coordinate in both."
            raise SceneError(said, owner=self.label, argument="lower")
        if not np.isfinite(self.lower).any() and not np.isfinite(self.upper).any():
            said = f"{self.label} limits nothing: lower and upper are both left out. Give at least one."
            raise SceneError(said, owner=self.label, argument="lower")
        if (self.lower > self.upper).any():
            said = f"{self.label}: lower is {brief(lower)} and upper is {brief(upper)}, expected lower to be at most upper."
            raise SceneError(said, owner=self.label, argument="lower")

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        for name in ("lower", "upper"):
            given = getattr(self, name)
            if given.ndim and len(given) != joints[0].dof:
                what = f"{self.label}: {name} has {len(given)} numbers"
                said = f"{what}, and the joint {self.joints[0].joint!r} has {joints[0].dof} coordinates. Give one for each."
                raise SceneError(said, owner=self.label, argument=name)

    def fitted(self, joints: Sequence[Joint]) -> Self:
        """One row for each bound that there is: which coordinate, from which side."""
        n = joints[0].dof
        lower, upper = np.broadcast_to(self.lower, n), np.broadcast_to(self.upper, n)
        ends = [(k, 1, lower[k]) for k in range(n)] + [(k, -1, upper[k]) for k in range(n)]
        ends = [end for end in ends if np.isfinite(end[2])]
        sides = tuple((k, sign) for k, sign, _ in ends)
        return self.replaced(size=len(ends), sides=sides, bounds=np.array([b for _, _, b in ends]), lower=lower.copy(), upper=upper.copy())

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        ((q, _),) = self.coordinates
        sides: Any = getattr(self, "sides", ())  # which are known once the joint is
        bounds: Any = getattr(self, "bounds", ())
        return [sign * (q[k] - bound) for (k, sign), bound in zip(sides, bounds, strict=True)]


def bounds(owner: str, name: str, value: Any, none: float) -> np.ndarray:
    """Limits as numbers, infinite where there are none."""
    given = [none if x is None else x for x in value] if isinstance(value, list | tuple) else none if value is None else value
    array = as_array(given)
    result = np.array(array, float) if array.dtype.kind in "fiu" else np.full((1, 1), np.nan)
    if result.ndim > 1 or np.isnan(result).any():
        raise wrong(owner, name, value, "a number, one for each coordinate, or None for no limit")
    return result
