"""Two points at a constant distance: one row, g = |x2 - x1| - L. A pendulum is a mass with such a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.checks import positive
from redmax.components.given import ForceLimits, FromZero, Gain, Length, Place
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.errors import SceneError
from redmax.math import sqrt
from redmax.types import Value

NONE = float("nan")  # what was not given


class Distance(Constraint):
    """Two points stay at a distance, as if a massless rod with a ball at each end were between them: one row.

    first, second: points of bodies or of the world; length (m): as the scene begins, unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance (m/N): 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("first", "second")

    def __init__(
        self, first: Place, second: Place, length: Length | None = None, *, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.length = NONE if length is None else positive(self.label, "length", length, "m")

    def settled(self, sites: Sequence[Site]) -> Self:
        apart = float(np.linalg.norm(sites[1].x - sites[0].x))
        if apart == 0.0:
            fix = "Close a loop there with PointClosure instead, or move the points apart"
            raise SceneError(f"{self.label}: its two points are at the same place, where no direction is. {fix}.", owner=self.label)
        return self.replaced(length=apart) if np.isnan(self.length) else self

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        d = sites[1].x - sites[0].x
        return [sqrt(d @ d) - self.length]
