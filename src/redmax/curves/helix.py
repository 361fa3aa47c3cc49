"""A helix along z."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import finite, positive
from redmax.components.given import Length
from redmax.curves.base import ParametricCurve
from redmax.math import array, cos, sin
from redmax.types import ValueOrArray


class Helix(ParametricCurve):
    """A helix about z: (r cos s, r sin s, pitch s) with the radius r (m) and the pitch (m per radian)."""

    period = 2 * np.pi

    def __init__(self, radius: Length, pitch: float) -> None:
        self.radius = positive("curves.Helix", "radius", radius, "m")
        self.pitch = float(finite("curves.Helix", "pitch", pitch, ((),), "a finite number (m per radian)"))

    def point(self, s: ValueOrArray) -> Any:
        return array([self.radius * cos(s), self.radius * sin(s), self.pitch * s])
