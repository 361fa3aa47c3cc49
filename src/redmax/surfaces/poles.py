"""Surfaces that longitude u and latitude v cover all but for two poles: two charts, with the poles along z or along x.

Chart 1 is the same surface with its axes exchanged in a circle: what chart 0 calls (x, y, z) is (y, z, x) of the surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.math import absolute, array, atan2, cos, sin, sqrt, where
from redmax.surfaces.base import ALL, ParametricSurface
from redmax.types import ValueOrArray

HALF = np.pi / 2


class WithPoles(ParametricSurface):
    """point = semi_axes * (cos v cos u, cos v sin u, sin v), axes renamed by the chart. u: longitude; v: latitude (rad)."""

    charts = ("poles-z", "poles-x")
    periods = (2 * np.pi, None)

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return ALL, (-HALF, HALF)

    @property
    def frame_domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return ALL, ALL  # the frame goes on smoothly over a pole, where only u stops to move its origin

    def clearance(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return absolute(cos(v))

    def convert(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray, to: ValueOrArray) -> tuple[Any, Any]:
        d = inward(outward(direction(u, v), chart), to)
        return atan2(d[1], d[0]), atan2(d[2], sqrt(d[0] * d[0] + d[1] * d[1]))


def direction(u: Any, v: Any) -> list[Any]:
    c = cos(v)
    return [c * cos(u), c * sin(u), sin(v)]


def outward(x: Any, chart: Any) -> list[Any]:
    """Three things along the axes of a chart, as they lie along the axes of the surface."""
    return list(x) if chart is None else [where(chart > 0.5, x[i - 1], x[i]) for i in range(3)]


def inward(x: Any, chart: Any) -> list[Any]:
    """The inverse of `outward`."""
    return list(x) if chart is None else [where(chart > 0.5, x[(i + 1) % 3], x[i]) for i in range(3)]


def turned(E: Any, chart: Any) -> np.ndarray:
    """A pose (or the upper 3 rows of a matrix) given in the axes of a chart, in those of the surface."""
    if chart is None:
        return E
    return array([outward([E[j][i] for j in range(3)], chart) for i in range(len(E[0]))]).T
