"""Two points at a constant distance: one row, g = |x2 - x1| - L."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.checks import number
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.math import sqrt
from redmax.types import Value


class Distance(Constraint):
    """first, second: points of bodies or of the world; length (m): as the scene begins, unless given."""

    size = 1
    held = ("first", "second")

    def __init__(
        self, first: Any, second: Any, length: float | None = None, *,
        name: str | None = None, gain: float | None = None, compliance: float = 0.0,
    ) -> None:  # fmt: skip
        self.hold((first, second), name, gain=gain, compliance=compliance)
        self.length = float("nan") if length is None else number(self.label, "length", length, "a number above 0", above=0)

    def settled(self, sites: Sequence[Site]) -> Self:
        if self.length == self.length:
            return self
        return self.replaced(length=float(np.linalg.norm(sites[1].x - sites[0].x)))

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        d = sites[1].x - sites[0].x
        return [sqrt(d @ d) - self.length]
