"""Projection on Coulomb's cone for worlds side by side: all cases at once, as solvers/contact/cone.py has them one by one."""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number, some


@routine
def larger(a: Number, b: Number) -> Any:
    """Of two numbers; the second if one is none: in one instruction."""
    return where(a > b, a, b)


@routine
def state_of(mu: Number, n: Number, square: Number) -> Any:
    """0 where P_K is zero, 1 inside, 2 on the mantle. square: of the tangential part."""
    steep = mu * mu
    side, height = where(n < 0.0, steep * square, square), where(n < 0.0, n * n, steep * n * n)
    return where(side > height, 2.0, where(n < 0.0, 0.0, 1.0))


@routine
def on_cone(mu: Number, share: Number, n: Number, a: Number, b: Number) -> Any:
    """P_K(n, a, b). share: 1 / (1 + mu^2)."""
    square = a * a + b * b
    state = state_of(mu, n, square)
    p, q, r = where(state > 0.5, n, 0.0), where(state > 0.5, a, 0.0), where(state > 0.5, b, 0.0)
    if some(state > 1.5):
        size = sqrt(where(state > 1.5, square, 1.0))
        t = share * (n + mu * size)
        k = mu * t / size
        p = where(state > 1.5, t, p)
        q = where(state > 1.5, k * a, q)
        r = where(state > 1.5, k * b, r)
    return p, q, r
