"""A sphere: F = Rz(u) Ry(-v) Tx(radius), with axes renamed so that z is the normal."""

from __future__ import annotations

from typing import Any

from redmax.components.checks import positive
from redmax.components.given import Length
from redmax.lie import se3
from redmax.math import array, cos, sin
from redmax.surfaces.poles import WithPoles, direction, outward, turned
from redmax.surfaces.torus import longitude_latitude
from redmax.types import ValueOrArray


class Sphere(WithPoles):
    """A sphere of `radius` (m) about the origin. u: longitude; v: latitude (rad)."""

    def __init__(self, radius: Length) -> None:
        self.radius = positive("surfaces.Sphere", "radius", radius, "m")

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([self.radius * x for x in outward(direction(u, v), chart)])

    def frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return se3.pose(turned(longitude_latitude(u, v), chart), self.point(u, v, chart))

    def inverse_frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return se3.pose(turned(longitude_latitude(u, v), chart).swapaxes(-1, -2), array([0.0, 0.0, 0.0 - self.radius]))

    def twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        c, s = cos(v), sin(v)
        return array([[0.0, -1.0], [c, 0.0], [s, 0.0], [self.radius * c, 0.0], [0.0, self.radius], [0.0, 0.0]])

    def spatial_twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        w = turned([[0.0, sin(u)], [0.0, 0.0 - cos(u)], [1.0, 0.0]], chart)
        return array([*[list(row) for row in w], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
