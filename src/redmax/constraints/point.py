"""Two points that coincide: three rows, g = x1 - x2 in world axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.types import Value


class PointClosure(Constraint):
    """first, second: points of bodies or of the world."""

    size = 3
    held = ("first", "second")

    def __init__(self, first: Any, second: Any, *, name: str | None = None, gain: float | None = None, compliance: float = 0.0) -> None:
        self.hold((first, second), name, gain=gain, compliance=compliance)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return sites[0].x - sites[1].x
