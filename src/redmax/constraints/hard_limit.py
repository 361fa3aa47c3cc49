"""Limits of a joint's coordinates that nothing passes: g = q - lower >= 0 and g = upper - q >= 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.types import Value


class HardLimit(Constraint):
    """joint: the body whose joint it is; lower, upper: of its first coordinate."""

    one_sided = True

    def __init__(self, joint: Any, lower: float, upper: float, *, name: str | None = None, gain: float | None = None) -> None:
        self.size = 2
        self.lower, self.upper = float(lower), float(upper)
        self.hold((), name, joints=(joint,), gain=gain)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        ((q, _),) = self.coordinates
        return np.array([q[0] - self.lower, self.upper - q[0]], object)
