"""A circle about z."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import positive
from redmax.components.given import Length
from redmax.curves.base import ParametricCurve
from redmax.math import array, cos, sin
from redmax.types import ValueOrArray


class Circle(ParametricCurve):
    """A circle about z: (r cos s, r sin s, 0) with the radius r (m)."""

    period = 2 * np.pi

    def __init__(self, radius: Length) -> None:
        self.radius = positive("curves.Circle", "radius", radius, "m")

    def point(self, s: ValueOrArray) -> Any:
        return array([self.radius * cos(s), self.radius * sin(s), 0.0])
