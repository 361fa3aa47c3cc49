"""Cones of friction with flat sides, and the two projections of which friction in turns has one each: what is nearest, and its derivative.

    |f_t| <= mu f_n of a polygon whose corners have this distance, the first along the first tangent (RedMax notes Eq. 1.85 for four)

By symmetry the nearest place of a polygon, or of the pyramid over it, lies in front of the same side as what is projected: along the side's
normal d and the side t, with corners at deep = mu f_n cos(pi / sides) and wide = mu f_n sin(pi / sides),

    inside d <= deep:  itself;     before the side |t| <= wide:  (deep, t);     else the corner (deep, wide)

and of the pyramid the same with its face, spanned by (1, deep, 0) and t, its edge (1, deep, wide), and its apex.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number, Vector, Whole
from redmax.solvers.contact.cone import length


@routine
def side_before(a: Number, b: Number, side: Vector, sides: Whole) -> Any:
    """The normal of the side in front of which (a, b) lies. side: cos and sin of half the angle between two sides, then of all of it."""
    c, s = side[0], side[1]
    x, y, most = c, s, c * a + s * b
    for _ in range(sides - 1):
        d, e = side[2] * c - side[3] * s, side[3] * c + side[2] * s
        c, s = d, e
        at = c * a + s * b
        further = where(at > most, 1.0, 0.0)
        x, y, most = where(further > 0.5, c, x), where(further > 0.5, s, y), where(further > 0.5, at, most)
    return x, y


@routine
def turn_back(x: Number, y: Number, n: Number, d: Number, t: Number, f: Vector) -> None:
    """f from along a side's normal (x, y) and along the side, and its derivative, f[3:9], of which the same is known there."""
    f[0] = n
    f[1] = d * x - t * y
    f[2] = d * y + t * x
    nd, nt, dd, dt, tt = f[4], f[5], f[6], f[7], f[8]
    f[4] = nd * x - nt * y
    f[5] = nd * y + nt * x
    f[6] = dd * x * x - 2.0 * dt * x * y + tt * y * y
    f[7] = (dd - tt) * x * y + dt * (x * x - y * y)
    f[8] = dd * y * y + 2.0 * dt * x * y + tt * x * x


@routine
def set_slope(f: Vector, nn: Number, nd: Number, nt: Number, dd: Number, dt: Number, tt: Number) -> None:
    """f[3:9]."""
    f[3] = nn
    f[4] = nd
    f[5] = nt
    f[6] = dd
    f[7] = dt
    f[8] = tt


@routine
def on_pyramid(mu: Number, n: Number, a: Number, b: Number, side: Vector, f: Vector, sides: Whole) -> Any:
    """f[0:3] the nearest of the pyramid, f[3:9] its derivative, nn n1 n2 11 12 22; 0 where it is zero, 1 inside, 2 on its mantle."""
    x, y = side_before(a, b, side, sides)
    d, t = x * a + y * b, x * b - y * a
    deep, wide = mu * side[0], mu * side[1]
    state = 2.0
    q = (n + deep * d) / (1.0 + deep * deep)
    sign = where(t < 0.0, -1.0, 1.0)
    p = (n + deep * d + wide * sign * t) / (1.0 + mu * mu)
    if n > 0.0 and d <= deep * n:
        state = 1.0
        set_slope(f, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        turn_back(x, y, n, d, t, f)
    elif q > 0.0 and sign * t <= wide * q:
        k = 1.0 / (1.0 + deep * deep)
        set_slope(f, k, k * deep, 0.0, k * deep * deep, 0.0, 1.0)
        turn_back(x, y, q, deep * q, t, f)
    elif p > 0.0:
        k, e = 1.0 / (1.0 + mu * mu), sign * wide
        set_slope(f, k, k * deep, k * e, k * deep * deep, k * deep * e, k * e * e)
        turn_back(x, y, p, deep * p, e * p, f)
    else:
        state = 0.0
        for k in range(9):
            f[k] = 0.0
    return state


@routine
def on_polygon(most: Number, a: Number, b: Number, side: Vector, f: Vector, sides: Whole) -> Any:
    """f[1:3] the nearest to (a, b) in a polygon of radius `most`, or, without sides, a disc; f[3:9] its derivative; 2 at its border."""
    state = 1.0
    if sides > 0:
        x, y = side_before(a, b, side, sides)
        d, t = x * a + y * b, x * b - y * a
        deep, wide = most * side[0], most * side[1]
        set_slope(f, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        if d > deep:
            state = 2.0
            beside = where(abs(t) > wide, 0.0, 1.0)
            set_slope(f, 0.0, 0.0, 0.0, 0.0, 0.0, beside)
            d = deep
            t = where(t > wide, wide, where(t < -wide, -wide, t))
        turn_back(x, y, f[0], d, t, f)
    else:
        size = length(a, b)
        beyond = where(size > most, 1.0, 0.0)
        state = 1.0 + beyond
        over = 1.0 / where(size > 0.0, size, 1.0)
        x, y, k = over * a, over * b, where(beyond > 0.5, most * over, 1.0)
        f[1] = k * a
        f[2] = k * b
        set_slope(f, 0.0, 0.0, 0.0, k * (1.0 - beyond * x * x), -k * beyond * x * y, k * (1.0 - beyond * y * y))
    return state
