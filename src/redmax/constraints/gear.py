"""Gear: one joint turns so many times as fast as another: one row, g = q1 - ratio q2 - phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

import numpy as np

from redmax.components.checks import finite, number
from redmax.components.given import ForceLimits, FromZero, Gain, JointOf, Shape
from redmax.components.holding import Site
from redmax.constraints.distance import NONE
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import wrong
from redmax.joints.base import Joint
from redmax.types import Value

Which2 = Annotated[Sequence[int], Shape((2,))]


class Gear(OfCoordinates):
    """Two joints turn together, q1 = ratio q2 + phase: one row. Their bodies may be anywhere in the scene.

    first, second: the joints, by a body or a name; ratio: turns of the first for one of the second; of wheels that mesh from outside
        it is negative, -(teeth of the second) / (teeth of the first)
    phase: q1 - ratio q2, as the scene begins, unless given; coordinates: which of each joint's, (0, 0) unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("first", "second")

    def __init__(
        self, first: JointOf, second: JointOf, ratio: float, *, phase: float | None = None, coordinates: Which2 = (0, 0),
        name: str | None = None, gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.read((first, second), self.held, name, gain, compliance, force_limits)
        self.ratio = not_zero(self.label, "ratio", ratio, "a finite number other than 0, which would hold the first joint alone")
        self.phase = NONE if phase is None else number(self.label, "phase", phase, "a finite number (rad)")
        self.which = two_numbers(self.label, coordinates)

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        for k, joint in enumerate(joints):
            self.check_coordinate(joint, k, self.which[k], "coordinates")

    def settled(self, sites: Sequence[Site]) -> Self:
        return self.replaced(phase=float(self.turned())) if np.isnan(self.phase) else self

    def turned(self) -> Any:
        """q1 - ratio q2."""
        (q1, _), (q2, _) = self.coordinates
        return q1[self.which[0]] - self.ratio * q2[self.which[1]]

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return [self.turned() - self.phase]


def not_zero(owner: str, name: str, value: Any, valid: str) -> float:
    """A number by which one coordinate follows another."""
    found = number(owner, name, value, valid)
    if not found:
        raise wrong(owner, name, value, valid)
    return found


def two_numbers(owner: str, given: Any) -> tuple[int, int]:
    """Which coordinate of each of two joints."""
    valid = "two whole numbers from 0 up, one for each joint"
    found = finite(owner, "coordinates", given, ((2,),), valid)
    if (found < 0).any() or (found != np.floor(found)).any():
        raise wrong(owner, "coordinates", given, valid)
    return int(found[0]), int(found[1])
