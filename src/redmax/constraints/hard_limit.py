"""HardLimit: a joint that does not go beyond its range: q - lower >= 0 and upper - q >= 0, a row for each bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.given import ForceLimits, FromZero, Gain, JointOf, Limits
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
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    held = ("joint",)
    one_sided = True

    def __init__(
        self, joint: JointOf, lower: Limits | None = None, upper: Limits | None = None, *, name: str | None = None,
        gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.read((joint,), self.held, name, gain, compliance, force_limits)
        self.size = 0
        self.lower, self.upper = checked_limits(self.label, lower, upper)
        self.sides: tuple[tuple[int, int], ...] = ()  # which are known once the joint is
        self.dof = 0

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
        found, _ = sides(self.lower, self.upper, joints[0].dof)
        return self.replaced(size=len(found), sides=found, dof=joints[0].dof)

    @property
    def ranges(self) -> Sequence[tuple[Any, Any]]:
        if not self.waits or not self.automatic or self.compliant or not self.sides:
            return ()
        return [(at(self.lower, k), at(self.upper, k)) for k in range(self.dof)]

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        ((q, _),) = self.coordinates
        return [q[k] - at(self.lower, k) if sign > 0 else at(self.upper, k) - q[k] for k, sign in self.sides]


def at(limit: Any, k: int) -> Any:
    """The limit of a coordinate, of one for all or one for each."""
    return limit[k] if np.ndim(limit) else limit
