"""ScrewCoupling: a slide that goes so far in each turn of another joint: one row, g = q2 - lead/(2 pi) q1 - offset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

import numpy as np

from redmax.components.checks import number
from redmax.components.given import ForceLimits, FromZero, Gain, JointOf, Unit
from redmax.components.holding import Site
from redmax.constraints.distance import NONE
from redmax.constraints.gear import Which2, not_zero, two_numbers
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.joints.base import Joint
from redmax.types import Value


class ScrewCoupling(OfCoordinates):
    """A nut on a spindle, a rack on a pinion: a joint slides by `lead` in each turn of another: one row.

    turning, sliding: the joints, by a body or a name; lead: translation in one turn (m); of a rack on a pinion 2 pi radius
    offset: where the slide is at an angle of 0 (m); as the scene begins, unless given
    coordinates: which of each joint's, (0, 0) unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("turning", "sliding")

    def __init__(
        self, turning: JointOf, sliding: JointOf, lead: Annotated[float, Unit("m")], *, offset: float | None = None,
        coordinates: Which2 = (0, 0), name: str | None = None, gain: Gain | None = None, compliance: FromZero = 0.0,
        force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.read((turning, sliding), self.held, name, gain, compliance, force_limits)
        self.lead = not_zero(self.label, "lead", lead, "a finite number other than 0 (m per turn), which would hold the slide alone")
        self.offset = NONE if offset is None else number(self.label, "offset", offset, "a finite number (m)")
        self.which = two_numbers(self.label, coordinates)

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        for k, joint in enumerate(joints):
            self.check_coordinate(joint, k, self.which[k], "coordinates")

    def settled(self, sites: Sequence[Site]) -> Self:
        return self.replaced(offset=float(self.moved())) if np.isnan(self.offset) else self

    def moved(self) -> Any:
        """q2 - lead/(2 pi) q1."""
        (turn, _), (slide, _) = self.coordinates
        return slide[self.which[1]] - self.lead * (0.5 / np.pi) * turn[self.which[0]]

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return [self.moved() - self.offset]
