"""HardLimit: a joint that does not go beyond its range: q - lower >= 0 and upper - q >= 0, a row for each bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.given import FromZero, Gain, JointOf, Limits
from redmax.components.holding import Site
from redmax.components.limits import checked_limits, sides
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import SceneError
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
        self.lower, self.upper = checked_limits(self.label, lower, upper)
        self.sides: tuple[tuple[int, int], ...] = ()  # which are known once the joint is
        self.bounds = np.zeros(0)

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
        found, bounds = sides(self.lower, self.upper, joints[0].dof)
        return self.replaced(size=len(bounds), sides=found, bounds=bounds)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        ((q, _),) = self.coordinates
        return [sign * (q[k] - bound) for (k, sign), bound in zip(self.sides, self.bounds, strict=True)]
