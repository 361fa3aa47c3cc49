"""A smooth curve through, or near, the corners of a polyline: a spline with a uniform parameter.

Each segment is a polynomial whose coefficients lie in a table, so that a point costs the same for any number of corners. Accelerations need
a motion that is twice continuously differentiable. Degree 3 is so for a body that keeps its orientation; a tangent frame takes one
derivative more, and degree 5, with four, has enough for either, and for integrators of high order.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from redmax.components.checks import finite, flag
from redmax.components.given import Points
from redmax.curves.base import ParametricCurve
from redmax.curves.polynomial import horner
from redmax.errors import SceneError, wrong
from redmax.math import Table, array, floor, maximum, minimum
from redmax.types import ValueOrArray


class Polyline(ParametricCurve):
    """A smooth curve along the corners points (n, 3) (m); s = i at corner i, and a closed one goes on to corner 0 at s = n.

    through: the curve passes through the corners; otherwise it cuts them, and never overshoots (a B-spline with the corners as
        control points)
    degree: 5; or 3, for joints with a fixed orientation.
    """

    def __init__(self, points: Points, *, closed: bool = False, through: bool = True, degree: int = 5) -> None:
        corners = finite("curves.Polyline", "points", points, ((-1, 3),), "finite points, (n, 3) (m)")
        closed, through = flag("curves.Polyline", "closed", closed), flag("curves.Polyline", "through", through)
        if not isinstance(degree, int | np.integer) or degree not in (3, 5):
            raise wrong("curves.Polyline", "degree", degree, "3 or 5")
        if closed and len(corners) > 1 and np.array_equal(corners[0], corners[-1]):
            corners = corners[:-1]  # a closed polyline is often given with its first corner again
        if len(corners) < degree + 1:
            least = f"at least {degree + 1} for degree {degree}" + (", or degree=3" if degree == 5 and len(corners) > 3 else "")
            raise SceneError(
                f"curves.Polyline: got {len(corners)} different corners, expected {least}.", owner="curves.Polyline", argument="points"
            )
        self.closed, self.degree = closed, int(degree)
        self.segments = float(len(corners) if closed else len(corners) - 1)
        self.table = Table(pieces(corners, self.closed, through, degree))

    def __repr__(self) -> str:
        corners = int(self.segments) + (not self.closed)
        return f"Polyline({corners} corners, closed={self.closed}, degree={self.degree})"

    @property
    def period(self) -> float | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.segments if self.closed else None

    @property
    def domain(self) -> tuple[float, float]:
        return (-np.inf, np.inf) if self.closed else (0.0, self.segments)

    def point(self, s: ValueOrArray) -> Any:
        i = floor(s)
        t = s - i - 0.5
        if self.closed:
            i = i - self.segments * floor(i * (1.0 / self.segments) + 1e-9)
        else:
            inside = maximum(minimum(i, self.segments - 1.0), 0.0)  # the end pieces go on beyond the ends
            t, i = t + (i - inside), inside
        piece = self.table[i]
        return array([horner([piece[..., k, axis] for k in range(self.degree + 1)], t) for axis in range(3)])


def pieces(corners: np.ndarray, closed: bool, through: bool, degree: int) -> np.ndarray:
    """(segments, degree + 1, 3): coefficients of powers of s - i - 1/2 within segment i."""
    from scipy.interpolate import BSpline, make_interp_spline

    n = len(corners)
    if through:
        s = np.arange(n + 1.0) if closed else np.arange(float(n))
        values = np.vstack([corners, corners[:1]]) if closed else corners
        spline: Any = make_interp_spline(s, values, degree, bc_type="periodic" if closed else None)
    else:
        half = (degree - 1) // 2  # control points beyond each end: further corners of a closed line, mirror images at an end
        before, after = (corners[-half:], corners[: half + 1]) if closed else ends(corners, half)
        control = np.vstack([before, corners, after])
        spline = BSpline(np.arange(len(control) + degree + 1.0) - degree, control, degree)
    middles = np.arange(float(n if closed else n - 1)) + 0.5
    return np.stack([spline(middles, nu=k) / factorial(k) for k in range(degree + 1)], axis=1)


def ends(corners: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners mirrored in the first and in the last one, so that the curve begins and ends in them."""
    first, last = corners[0], corners[-1]
    before = [2 * first - corners[k] for k in range(count, 0, -1)]
    after = [2 * last - corners[-1 - k] for k in range(1, count + 1)]
    return np.array(before), np.array(after)
