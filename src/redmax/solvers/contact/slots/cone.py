"""Projection on Coulomb's cone for worlds side by side: all cases at once, as solvers/contact/cone.py has them one by one."""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number, some


@routine
def state_of(mu: Number, n: Number, square: Number) -> Any:
    """0 where P_K is zero, 1 inside, 2 on the mantle. square: of the tangential part."""
    limit = mu * mu * square
    leaves = where(n < 0.0, where(limit <= n * n, 1.0, 0.0), 0.0)
    slides = where(n < 0.0, 1.0, where(square > mu * mu * n * n, 1.0, 0.0))
    return where(leaves > 0.0, 0.0, 1.0 + slides)


@routine
def on_cone(mu: Number, share: Number, n: Number, a: Number, b: Number) -> Any:
    """P_K(n, a, b). share: 1 / (1 + mu^2)."""
    square = a * a + b * b
    state = state_of(mu, n, square)
    inside = where(state > 0.5, 1.0, 0.0)
    p, q, r = inside * n, inside * a, inside * b
    if some(state > 1.5):
        size = sqrt(where(state > 1.5, square, 1.0))
        t = share * (n + mu * size)
        k = mu * t / size
        p = where(state > 1.5, t, p)
        q = where(state > 1.5, k * a, q)
        r = where(state > 1.5, k * b, r)
    return p, q, r


@routine
def with_slopes(mu: Number, share: Number, n: Number, a: Number, b: Number) -> Any:
    """P_K(n, a, b), which of the three cases it is, and dP/dy: nn n1 n2 11 12 22."""
    square = a * a + b * b
    state = state_of(mu, n, square)
    inside = where(state > 0.5, 1.0, 0.0)
    p, q, r = inside * n, inside * a, inside * b
    nn, na, nb, aa, ab, bb = inside, 0.0 * inside, 0.0 * inside, inside, 0.0 * inside, inside
    if some(state > 1.5):
        size = sqrt(where(state > 1.5, square, 1.0))
        over = 1.0 / size
        t = share * (n + mu * size)
        c, s, k, m = a * over, b * over, mu * t * over, share * mu
        p = where(state > 1.5, t, p)
        q = where(state > 1.5, k * a, q)
        r = where(state > 1.5, k * b, r)
        nn = where(state > 1.5, share, nn)
        na = where(state > 1.5, m * c, na)
        nb = where(state > 1.5, m * s, nb)
        aa = where(state > 1.5, m * mu * c * c + k * s * s, aa)
        ab = where(state > 1.5, (m * mu - k) * c * s, ab)
        bb = where(state > 1.5, m * mu * s * s + k * c * c, bb)
    return p, q, r, state, nn, na, nb, aa, ab, bb
