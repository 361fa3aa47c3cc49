"""What a surface is: a smooth function `point(u, v)` into space, with a frame at each point.

The frame has its x axis along x_u, its z axis along the normal x_u x x_v, and y in between. With F(u, v) its pose, the columns of
`twists` are unbracket(F^-1 dF/du) and unbracket(F^-1 dF/dv): how the frame turns and slides as the parameters change. They follow
from the derivatives of the point (the fundamental forms of the surface), so that the normalised axes need not be differentiated:

    x_u = e x,   x_v = f x + g y;   with n . x_uu = L, n . x_uv = M, n . x_vv = N
    along u: ((M - f L/e)/g, -L/e, y . x_uu/e;  e, 0, 0)       along v: ((N - f M/e)/g, -M/e, y . x_uv/e;  f, g, 0)

A surface that one pair of parameters cannot cover has several charts, by number; `chart` is None where only the first is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.data_and_structure import Described
from redmax.lie import se3
from redmax.lie.three import cross, dot, rows, split, times, transpose
from redmax.math import array, sqrt
from redmax.trace.local import derivatives
from redmax.types import ValueOrArray

ORDERS = [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
ALL = (-np.inf, np.inf)


class ParametricSurface(Described):
    """Subclass it and write `point(u, v)` with Python operators, NumPy or redmax.math; or use redmax.surfaces.Surface.

    The normal must point out of the body that the surface bounds: exchange u and v where it does not.
    """

    charts: tuple[str, ...] = ()  # names, where there are several
    periods: tuple[float | None, float | None] = (None, None)  # of u and v, where the surface closes

    def point(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """The place (3,) (m) at the parameters u, v."""
        raise NotImplementedError(f"{type(self).__name__} does not define point(u, v)")

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where u and v may be for x_u and x_v to be independent (in any chart)."""
        return ALL, ALL

    @property
    def frame_domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where u and v may be for the frame to change smoothly: often beyond a pole."""
        return self.domain

    def frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """F: the pose (4, 4) of the frame at u, v."""
        x, xu, xv = derivatives(lambda u, v: self.point(u, v, chart), [u, v], ORDERS[:3])
        a, b, n, *_ = axes(split(xu), split(xv))
        return se3.pose(array(transpose([a, b, n])), x)

    def inverse_frame(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """F^-1, (4, 4)."""
        return se3.inverse(self.frame(u, v, chart))

    def twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """(6, 2): unbracket(F^-1 dF/du) and unbracket(F^-1 dF/dv)."""
        _, xu, xv, xuu, xuv, xvv = (split(d) for d in derivatives(lambda u, v: self.point(u, v, chart), [u, v], ORDERS))
        _, y, n, e, f, g = axes(xu, xv)
        over_e, over_g = 1.0 / e, 1.0 / g
        L, M, N = dot(n, xuu), dot(n, xuv), dot(n, xvv)
        bend, twist = L * over_e, M * over_e
        along_u = [(M - f * bend) * over_g, 0.0 - bend, dot(y, xuu) * over_e, e, 0.0, 0.0]
        along_v = [(N - f * twist) * over_g, 0.0 - twist, dot(y, xuv) * over_e, f, g, 0.0]
        return array(transpose([along_u, along_v]))

    def spatial_twists(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """Ad(F) twists, (6, 2): the same motions as seen in the axes and at the origin that the surface is given in."""
        F = self.frame(u, v, chart)
        R, p = rows(F[..., :3, :3]), split(F[..., :3, 3])
        columns = []
        for column in transpose(rows(self.twists(u, v, chart))):
            w, x = times(R, column[:3]), times(R, column[3:])
            columns.append(w + [a + b for a, b in zip(x, cross(p, w))])
        return array(transpose(columns))

    def clearance(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray | None = None) -> Any:
        """From 0 where the parameters are singular to 1 where they are best."""
        return 1.0

    def convert(self, u: ValueOrArray, v: ValueOrArray, chart: ValueOrArray, to: ValueOrArray) -> tuple[Any, Any]:
        """The parameters of the same point in another chart."""
        return u, v


def axes(xu: list[Any], xv: list[Any]) -> tuple[list[Any], list[Any], list[Any], Any, Any, Any]:
    """x, y, n and e, f, g with x_u = e x, x_v = f x + g y."""
    normal = cross(xu, xv)
    e, area = sqrt(dot(xu, xu)), sqrt(dot(normal, normal))
    a, n = [c / e for c in xu], [c / area for c in normal]
    return a, cross(n, a), n, e, dot(xv, a), area / e
