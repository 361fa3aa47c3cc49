"""A rope of constant length over points and pulleys: one row, L - l >= 0, or L - l = 0 where it is never slack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.checks import flag, positive
from redmax.components.given import ForceLimits, FromZero, Gain, Length
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.distance import NONE
from redmax.constraints.pulley import Course, Pulley, RopePoint
from redmax.errors import SceneError
from redmax.types import Value


class Rope(Constraint):
    """A rope that does not stretch, from point to point over pulleys, on which it slides without friction: one row.

    path: points of bodies or of the world, and Pulleys, in their order; length (m): as the scene begins, unless given
    slack: whether it may hang loose, so that it pulls alone; without, its length is held from both sides
    closed: whether it goes on from the last place to the first
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance (m/N): 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("path",)
    oriented = True

    def __init__(
        self, path: Sequence[RopePoint], length: Length | None = None, *, slack: bool = True, closed: bool = False,
        name: str | None = None, gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.course = Course(self.label, "path", path, flag(self.label, "closed", closed))
        if not self.course.closed and (self.course.round[0] or self.course.round[-1]):
            why = "begins or ends with a Pulley, where nothing holds it. Begin and end with points, or close it; on a drum use a Belt"
            raise SceneError(f"{self.label} {why}.", owner=self.label, argument="path")
        self.one_sided = flag(self.label, "slack", slack)
        self.hold(
            [p.centre if isinstance(p, Pulley) else p for p in path], name, gain=gain, compliance=compliance, force_limits=force_limits
        )
        self.length = NONE if length is None else positive(self.label, "length", length, "m")

    def settled(self, sites: Sequence[Site]) -> Self:
        self.course.check(self.label, "path", sites, loose=self.one_sided and not np.isnan(self.length))
        return self.replaced(length=float(self.course.length(sites))) if np.isnan(self.length) else self

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return [self.length - self.course.length(sites)]
