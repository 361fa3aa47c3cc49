"""Bezier surfaces: products of two Bezier curves, as polynomials in u - 1/2 and v - 1/2."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import finite
from redmax.components.given import Shape, Unit
from redmax.curves.bezier import LARGEST
from redmax.curves.polynomial import from_control_points, horner
from redmax.errors import SceneError
from redmax.math import array
from redmax.surfaces.base import ParametricSurface
from redmax.types import ValueOrArray


class BezierPatch(ParametricSurface):
    """A Bezier surface with control points (m, n, 3) (m); u goes along the first axis, v along the second, both from 0 to 1."""

    def __init__(self, points: Annotated[ArrayLike, Shape((-1, -1, 3)), Unit("m")]) -> None:
        given = finite("surfaces.BezierPatch", "points", points, ((-1, -1, 3),), "a grid of finite points, (m, n, 3) (m)")
        if not all(2 <= n <= LARGEST + 1 for n in given.shape[:2]):
            raise SceneError(
                f"surfaces.BezierPatch: points have shape {given.shape}, expected (m, n, 3), m and n from 2 to {LARGEST + 1}.",
                owner="surfaces.BezierPatch",
                argument="points",
            )
        along_u, along_v = (from_control_points(n - 1) for n in given.shape[:2])
        self.coefficients = np.einsum("im,jn,mnk->ijk", along_u, along_v, given)

    @property
    def points(self) -> np.ndarray:
        """The control points."""
        along_u, along_v = (np.linalg.inv(from_control_points(n - 1)) for n in self.coefficients.shape[:2])
        return np.einsum("im,jn,mnk->ijk", along_u, along_v, self.coefficients)

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return (0.0, 1.0), (0.0, 1.0)

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        s, t = u - 0.5, v - 0.5
        grid = np.asarray(self.coefficients)
        return array([horner([horner(list(row), t) for row in grid[:, :, axis]], s) for axis in range(3)])
