"""A cylinder about z: F = Rz(u) Tz(v) Tx(radius), with axes renamed so that z is the normal."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import positive
from redmax.components.given import Length
from redmax.lie import se3
from redmax.math import array, cos, sin
from redmax.surfaces.base import ParametricSurface
from redmax.types import ValueOrArray


class Cylinder(ParametricSurface):
    """The side of an endless cylinder of `radius` (m) about z. u: around it (rad); v: along z (m)."""

    periods = (2 * np.pi, None)

    def __init__(self, radius: Length) -> None:
        self.radius = positive("surfaces.Cylinder", "radius", radius, "m")

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([self.radius * cos(u), self.radius * sin(u), v])

    def frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        c, s = cos(u), sin(u)
        return se3.pose(array([[0.0 - s, 0.0, c], [c, 0.0, s], [0.0, 1.0, 0.0]]), self.point(u, v))

    def inverse_frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        R = array([[0.0 - sin(u), cos(u), 0.0], [0.0, 0.0, 1.0], [cos(u), sin(u), 0.0]])
        return se3.pose(R, array([0.0, 0.0 - v, 0.0 - self.radius]))

    def twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [self.radius, 0.0], [0.0, 1.0], [0.0, 0.0]])

    def spatial_twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
