"""An ellipsoid. With a = (-A sin u, B cos u, 0) = x_u / cos v, which does not vanish at the poles, and the normal

    m = (B C cos u cos v, A C sin u cos v, A B sin v),

the frame has axes a/|a|, n x a/|a|, n = m/|m|, and the fundamental forms are those of base.py in closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import positive3
from redmax.components.given import Lengths3
from redmax.lie import se3
from redmax.math import array, cos, sin, sqrt
from redmax.surfaces.poles import WithPoles, direction, inward, outward, turned
from redmax.types import ValueOrArray


class Ellipsoid(WithPoles):
    """An ellipsoid about the origin, with the semi-axes (a, b, c) (m) along x, y, z; u and v (rad) as on a sphere."""

    def __init__(self, semi_axes: Lengths3) -> None:
        self.semi_axes = np.array(positive3("surfaces.Ellipsoid", "semi_axes", semi_axes, "semi-axes"))

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        return array([a * x for a, x in zip(self.semi_axes, outward(direction(u, v), chart))])

    def frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        a, b, c = inward(self.semi_axes, chart)
        cu, su, cv, sv = cos(u), sin(u), cos(v), sin(v)
        w, m = [0.0 - a * su, b * cu], [b * c * cu * cv, a * c * su * cv, a * b * sv]
        one, both = 1.0 / sqrt(w[0] * w[0] + w[1] * w[1]), 1.0 / sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
        x, y = w[0] * one, w[1] * one
        n = [k * both for k in m]
        R = [[x, 0.0 - n[2] * y, n[0]], [y, n[2] * x, n[1]], [0.0, n[0] * y - n[1] * x, n[2]]]
        return se3.pose(turned(R, chart), self.point(u, v, chart))

    def twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        a, b, c = inward(self.semi_axes, chart)
        cu, su, cv, sv = cos(u), sin(u), cos(v), sin(v)
        w, m = [0.0 - a * su, b * cu], [b * c * cu * cv, a * c * su * cv, a * b * sv]
        w2, m2 = w[0] * w[0] + w[1] * w[1], m[0] * m[0] + m[1] * m[1] + m[2] * m[2]
        W, one, both = sqrt(w2), 1.0 / sqrt(w2), 1.0 / sqrt(m2)
        f = (a * a - b * b) * sv * su * cu * one
        bend = a * b * c * both * both  # the curvature of the meridian, times its speed^2 and over W
        along_u = [f * bend * cv, bend * cv * (sqrt(m2) * one), a * a * b * b * sv * one * one * both, cv * W, 0.0, 0.0]
        along_v = [0.0 - bend * W, 0.0, 0.0, f, sqrt(m2) * one, 0.0]
        return array([[p, q] for p, q in zip(along_u, along_v)])
