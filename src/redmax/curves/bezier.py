"""Bezier curves, as polynomials in s - 1/2: with derivatives, Horner's rule traces to a fifth of the operations of de Casteljau's."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import finite
from redmax.components.given import Points
from redmax.curves.base import ParametricCurve
from redmax.curves.polynomial import from_control_points, horner
from redmax.errors import SceneError
from redmax.math import array
from redmax.types import ValueOrArray

LARGEST = 24  # degree; rounding errors are 2^degree units in the last place


class Bezier(ParametricCurve):
    """A Bezier curve, through the first and last of the control points (n + 1, 3) (m) and drawn towards the others; 0 <= s <= 1."""

    def __init__(self, points: Points) -> None:
        given = finite("curves.Bezier", "points", points, ((-1, 3),), "at least two finite points, (n, 3) (m)")
        if not 2 <= len(given) <= LARGEST + 1:
            hint = "at least two" if len(given) < 2 else f"at most {LARGEST + 1}; for more, use curves.Polyline"
            raise SceneError(f"curves.Bezier: got {len(given)} control points, expected {hint}.", owner="curves.Bezier", argument="points")
        self.coefficients = from_control_points(len(given) - 1) @ given

    @property
    def points(self) -> np.ndarray:
        """The control points."""
        return np.linalg.solve(from_control_points(len(self.coefficients) - 1), self.coefficients)

    @property
    def domain(self) -> tuple[float, float]:
        return 0.0, 1.0

    def point(self, s: ValueOrArray) -> Any:
        t = s - 0.5
        return array([horner(list(c), t) for c in np.asarray(self.coefficients).T])
