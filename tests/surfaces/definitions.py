"""Every surface from its definition, with x_u and x_v by hand, in arithmetic that works on floats and hyper-dual numbers alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from curves.definitions import casteljau
from joints.definitions import pose

Patch = Callable[[Any, Any], tuple[Any, Any, Any]]  # (u, v) -> x, x_u, x_v


def vector(*x: Any) -> np.ndarray:
    return np.array([*x, None], object)[:-1]


def unit(x: np.ndarray) -> np.ndarray:
    return x * (1.0 / np.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]))


def cross(a: Any, b: Any) -> np.ndarray:
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def frame(patch: Patch, u: Any, v: Any) -> np.ndarray:
    """x along x_u, z along x_u x x_v, by normalising; (4, 4)."""
    x, xu, xv = patch(u, v)
    a, n = unit(xu), unit(cross(xu, xv))
    return pose(np.array([a, cross(n, a), n], object).T, x)


def ellipsoid(a: float, b: float, c: float) -> Patch:
    def patch(u: Any, v: Any) -> tuple[Any, Any, Any]:
        cu, su, cv, sv = np.cos(u), np.sin(u), np.cos(v), np.sin(v)
        return vector(a * cv * cu, b * cv * su, c * sv), vector(-a * cv * su, b * cv * cu, 0.0), vector(-a * sv * cu, -b * sv * su, c * cv)

    return patch


def torus(R: float, r: float) -> Patch:
    def patch(u: Any, v: Any) -> tuple[Any, Any, Any]:
        cu, su, cv, sv = np.cos(u), np.sin(u), np.cos(v), np.sin(v)
        reach = R + r * cv
        return vector(reach * cu, reach * su, r * sv), vector(-reach * su, reach * cu, 0.0), vector(-r * sv * cu, -r * sv * su, r * cv)

    return patch


def cylinder(r: float) -> Patch:
    return lambda u, v: (
        vector(r * np.cos(u), r * np.sin(u), v),
        vector(-r * np.sin(u), r * np.cos(u), 0.0),
        vector(0.0, 0.0, 1.0 + 0.0 * v),
    )


def bezier(points: np.ndarray) -> Patch:
    """Curves along v through points of curves along u; derivatives from differences of neighbouring control points."""

    def at(grid: np.ndarray, u: Any, v: Any) -> np.ndarray:
        return vector(*casteljau([casteljau(row, v) for row in grid], u))

    by_u, by_v = (points.shape[0] - 1) * np.diff(points, axis=0), (points.shape[1] - 1) * np.diff(points, axis=1)
    return lambda u, v: (at(points, u, v), at(by_u, u, v), at(by_v, u, v))


def hills(u: Any, v: Any, k: float) -> Any:
    return vector(u, v, k * np.sin(u) * np.cos(v) + 0.2 * u * v)


def user(k: float) -> Patch:
    return lambda u, v: (
        hills(u, v, k),
        vector(1.0 + 0.0 * u, 0.0, k * np.cos(u) * np.cos(v) + 0.2 * v),
        vector(0.0, 1.0 + 0.0 * u, -k * np.sin(u) * np.sin(v) + 0.2 * u),
    )


GRID = np.stack([*np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 3), indexing="ij"), np.zeros((4, 3))], axis=-1)
GRID = GRID + 0.2 * np.random.default_rng(3).normal(size=GRID.shape)


@dataclass(frozen=True, eq=False)
class SurfaceSample:
    """low, high: bounds of (u, v) to try, short of poles."""

    name: str
    surface: rm.surfaces.ParametricSurface
    patch: Patch
    low: tuple[float, float]
    high: tuple[float, float]

    def place(self, a: float, b: float) -> tuple[float, float]:
        """(u, v) from two numbers between 0 and 1."""
        (lu, lv), (hu, hv) = self.low, self.high
        return lu + a * (hu - lu), lv + b * (hv - lv)


S = rm.surfaces
SURFACES = [
    SurfaceSample("Sphere", S.Sphere(0.6), ellipsoid(0.6, 0.6, 0.6), (-4.0, -1.55), (4.0, 1.55)),
    SurfaceSample("Ellipsoid", S.Ellipsoid((0.5, 0.8, 0.3)), ellipsoid(0.5, 0.8, 0.3), (-4.0, -1.55), (4.0, 1.55)),
    SurfaceSample("Torus", S.Torus(0.5, 0.2), torus(0.5, 0.2), (-4.0, -4.0), (4.0, 4.0)),
    SurfaceSample("Cylinder", S.Cylinder(0.4), cylinder(0.4), (-4.0, -1.0), (4.0, 1.0)),
    SurfaceSample("BezierPatch", S.BezierPatch(GRID), bezier(GRID), (0.0, 0.0), (1.0, 1.0)),
    SurfaceSample("Surface", S.Surface(hills, ((-1, 1), (-1, 1)), k=0.4), user(0.4), (-1.0, -1.0), (1.0, 1.0)),
]
BY_NAME = {s.name: s for s in SURFACES}
