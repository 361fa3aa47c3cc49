"""An ellipse in the xy plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import positive
from redmax.components.given import Length
from redmax.curves.base import ParametricCurve
from redmax.math import array, cos, sin
from redmax.types import ValueOrArray


class Ellipse(ParametricCurve):
    """An ellipse in the x-y plane: (a cos s, b sin s, 0) with the semi-axes a and b (m)."""

    period = 2 * np.pi

    def __init__(self, a: Length, b: Length) -> None:
        self.a = positive("curves.Ellipse", "a", a, "m")
        self.b = positive("curves.Ellipse", "b", b, "m")

    def point(self, s: ValueOrArray) -> Any:
        return array([self.a * cos(s), self.b * sin(s), 0.0])
