"""Projection on Coulomb's cone |f_t| <= mu f_n, and its derivative.

Inside it is the identity, in the polar cone mu |y_t| <= -y_n zero, and else the nearest place of the mantle, along d = y_t / |y_t|:

    t = (y_n + mu |y_t|) / (1 + mu^2),   P = (t, mu t d),   dP/dy = q (1, mu d)(1, mu d)' + (mu t / |y_t|) (1 - d d'),   q = 1 / (1 + mu^2)
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number, Vector
from redmax.solvers.contact.columns import SLOPE, STATE


@routine
def length(a: Number, b: Number) -> Any:
    """Of a vector in the plane."""
    return sqrt(a * a + b * b)


@routine
def on_cone(mu: Number, n: Number, a: Number, b: Number, f: Vector) -> Any:
    """f = P_K(n, a, b); 0 where it is zero, 1 inside, 2 on the mantle."""
    state, square = 1.0, a * a + b * b
    p, q, r = n, a, b
    if n < 0.0 and mu * mu * square <= n * n:
        state = 0.0
        p, q, r = 0.0, 0.0, 0.0
    elif n < 0.0 or square > mu * mu * n * n:
        size = sqrt(square)
        state = 2.0
        p = (n + mu * size) / (1.0 + mu * mu)
        share = mu * p / size
        q, r = share * a, share * b
    f[0] = p
    f[1] = q
    f[2] = r
    return state


@routine
def cone_slope(mu: Number, n: Number, a: Number, b: Number, row: Vector) -> None:
    """dP/dy at (n, a, b), of a row whose state is known."""
    if row[STATE] > 1.5:
        size = length(a, b)
        q = 1.0 / (1.0 + mu * mu)
        t = q * (n + mu * size)
        c, s, k = a / size, b / size, mu * t / size
        row[SLOPE] = q
        row[SLOPE + 1] = q * mu * c
        row[SLOPE + 2] = q * mu * s
        row[SLOPE + 3] = q * mu * mu * c * c + k * s * s
        row[SLOPE + 4] = (q * mu * mu - k) * c * s
        row[SLOPE + 5] = q * mu * mu * s * s + k * c * c
    else:
        row[SLOPE] = row[STATE]
        row[SLOPE + 1] = 0.0
        row[SLOPE + 2] = 0.0
        row[SLOPE + 3] = row[STATE]
        row[SLOPE + 4] = 0.0
        row[SLOPE + 5] = row[STATE]
