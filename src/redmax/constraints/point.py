"""Two points that are one, as in a ball joint: three rows, g = x1 - x2 in world axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.given import ForceLimits, FromZero, Gain, Place
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.types import Value


class PointClosure(Constraint):
    """Two points are one, so that a loop is closed as by a ball joint: three rows, in world axes. BallClosure is another name for it.

    first, second: points of bodies or of the world
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance (m/N): 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 3
    held = ("first", "second")

    def __init__(
        self,
        first: Place,
        second: Place,
        *,
        name: str | None = None,
        gain: Gain | None = None,
        compliance: FromZero = 0.0,
        force_limits: ForceLimits | None = None,
    ) -> None:
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return sites[0].x - sites[1].x


BallClosure = PointClosure
