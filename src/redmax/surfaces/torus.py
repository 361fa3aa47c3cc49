"""A torus about z: F = Rz(u) Tx(major) Ry(-v) Tx(minor), with axes renamed so that z is the normal."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import positive
from redmax.components.given import Length
from redmax.errors import SceneError
from redmax.lie import se3
from redmax.math import array, cos, sin
from redmax.surfaces.base import ParametricSurface
from redmax.types import ValueOrArray


class Torus(ParametricSurface):
    """A tube of radius `minor` around a circle of radius `major` about z (m). u: around z; v: around the tube, 0 outermost (rad)."""

    periods = (2 * np.pi, 2 * np.pi)

    def __init__(self, major: Length, minor: Length) -> None:
        self.major = positive("surfaces.Torus", "major", major, "m")
        self.minor = positive("surfaces.Torus", "minor", minor, "m")
        if not self.minor < self.major:
            raise SceneError(
                f"surfaces.Torus: minor is {minor:g}, expected less than major = {major:g} (m), or the tube meets itself.",
                owner="surfaces.Torus",
                argument="minor",
            )

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        reach = self.major + self.minor * cos(v)
        return array([reach * cos(u), reach * sin(u), self.minor * sin(v)])

    def frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return se3.pose(longitude_latitude(u, v), self.point(u, v))

    def inverse_frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        R = longitude_latitude(u, v)
        return se3.pose(R.swapaxes(-1, -2), array([0.0, self.major * sin(v), 0.0 - (self.major * cos(v) + self.minor)]))

    def twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        c, s = cos(v), sin(v)
        return array([[0.0, -1.0], [c, 0.0], [s, 0.0], [self.major + self.minor * c, 0.0], [0.0, self.minor], [0.0, 0.0]])

    def spatial_twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([[0.0, sin(u)], [0.0, 0.0 - cos(u)], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0 - self.major]])


def longitude_latitude(u: Any, v: Any) -> np.ndarray:
    """Rz(u) Ry(-v) with the axes (y, z, x) as (x, y, z): eastwards, northwards, up."""
    a, b, c, d = cos(u), sin(u), cos(v), sin(v)
    return array([[0.0 - b, 0.0 - a * d, a * c], [a, 0.0 - b * d, b * c], [0.0, c, d]])
