"""Every curve from its definition, with its tangent by hand, in arithmetic that works on floats and hyper-dual numbers alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import redmax as rm

Motion = Callable[[Any], tuple[list[Any], list[Any]]]  # s -> x, dx/ds
POINTS = np.array([
    [0.0, 0.0, 0.0], [0.4, 0.1, 0.1], [0.9, 0.5, -0.1], [1.3, 0.2, 0.2], [1.7, -0.3, 0.4], [2.1, 0.1, 0.1], [2.6, 0.4, -0.2],
])  # fmt: skip


def casteljau(points: Any, s: Any) -> list[Any]:
    """Repeated interpolation between neighbours."""
    level = [list(p) for p in points]
    while len(level) > 1:
        level = [[a * (1.0 - s) + b * s for a, b in zip(p, q)] for p, q in pairwise(level)]
    return level[0]


def bezier(points: np.ndarray) -> Motion:
    hodograph = (len(points) - 1) * np.diff(points, axis=0)
    return lambda s: (casteljau(points, s), casteljau(hodograph, s))


def ellipse(a: float, b: float) -> Motion:
    return lambda s: ([a * np.cos(s), b * np.sin(s), 0.0], [-a * np.sin(s), b * np.cos(s), 0.0])


def helix(r: float, pitch: float) -> Motion:
    return lambda s: ([r * np.cos(s), r * np.sin(s), pitch * s], [-r * np.sin(s), r * np.cos(s), pitch + 0.0 * s])


def lissajous(a: Sequence[float], f: Sequence[float], p: Sequence[float]) -> Motion:
    def motion(s: Any) -> tuple[list[Any], list[Any]]:
        angles = [f[i] * s + p[i] for i in range(3)]
        return [a[i] * np.sin(angles[i]) for i in range(3)], [a[i] * f[i] * np.cos(angles[i]) for i in range(3)]

    return motion


def cubic(s: Any, k: float = 0.3) -> Any:
    return np.array([s, 0.5 * s * s, k * s * s * s], object)


def user(k: float) -> Motion:
    return lambda s: (list(cubic(s, k)), [1.0 + 0.0 * s, s, 3.0 * k * s * s])


@dataclass(frozen=True, eq=False)
class CurveSample:
    """up: a direction the tangent never has; low, high: parameters to try."""

    name: str
    curve: rm.curves.ParametricCurve
    motion: Motion
    up: tuple[float, float, float]
    low: float
    high: float


Z = (0.0, 0.0, 1.0)
CURVES = [
    CurveSample("Bezier", rm.curves.Bezier(POINTS), bezier(POINTS), Z, 0.0, 1.0),
    CurveSample("Circle", rm.curves.Circle(0.7), ellipse(0.7, 0.7), Z, -7.0, 7.0),
    CurveSample("Ellipse", rm.curves.Ellipse(1.0, 0.4), ellipse(1.0, 0.4), (0.3, 0.1, 1.0), -7.0, 7.0),
    CurveSample("Helix", rm.curves.Helix(0.5, 0.2), helix(0.5, 0.2), (0.0, 0.0, -2.0), -9.0, 9.0),
    CurveSample(
        "Lissajous",
        rm.curves.Lissajous((1.0, 0.6, 0.1), (1.0, 2.0, 3.0), (0.3, 0.0, 1.0)),
        lissajous((1.0, 0.6, 0.1), (1.0, 2.0, 3.0), (0.3, 0.0, 1.0)),
        Z,
        -7.0,
        7.0,
    ),
    CurveSample("Curve", rm.curves.Curve(cubic, (-1.0, 1.0), k=0.4), user(0.4), (0.0, 1.0, 2.0), -1.0, 1.0),
]
