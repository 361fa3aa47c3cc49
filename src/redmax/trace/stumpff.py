"""Stumpff functions of a squared angle: c_k(x) = sum_j (-x)^j / (2j + k)!, so c_0 = cos a, c_1 = sin(a) / a, x = a^2.

(K. Stumpff, Himmelsmechanik I, 1959.) Rotations and their derivatives are smooth functions of x, not of the angle a:
c_k'(x) = (k c_{k+2} - c_{k+1}) / 2. One relation joins the orders,

    c_k = 1/k! - x c_{k+2},

and each direction of it is stable where the other is not: relative to c_k(0) = 1/k!, a step down multiplies errors by
x / ((k+1)(k+2)), a step up by the inverse. Below `switch(k)` the order k therefore comes from the power series of the
two highest orders and steps down, above it from sin and cos and steps up. A slightly negative x (rounding) is within
the series. The error is below 5 units of 2^-53 / k! for x <= 50; beyond, that of sin and cos of the rounded root.
"""

from __future__ import annotations

from functools import cache
from math import factorial
from typing import overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def switch(k: int) -> float:
    """The x from which order k is computed upwards: there, the last step up multiplies errors by 2."""
    return max(1.0, k * (k - 1) / 2)


@cache
def series(k: int, reach: float) -> tuple[float, ...]:
    """1/k!, 1/(k+2)!, ...: the coefficients of powers of -x that count for |x| <= reach."""
    terms: list[float] = []
    while not terms or reach ** len(terms) * factorial(k) / factorial(k + 2 * len(terms)) > 2.0**-56:
        terms.append(1 / factorial(k + 2 * len(terms)))
    return tuple(terms)


@overload
def stumpff(k: int, x: float) -> float: ...
@overload
def stumpff(k: int, x: Array) -> Array: ...
def stumpff(k: int, x: float | Array) -> float | Array:
    """c_k(x) for x >= 0."""
    return stumpff_all(k, x, kmin=k)[0]


@overload
def stumpff_all(kmax: int, x: float, kmin: int = 0) -> list[float]: ...
@overload
def stumpff_all(kmax: int, x: Array, kmin: int = 0) -> list[Array]: ...
def stumpff_all(kmax: int, x: float | Array, kmin: int = 0) -> list[float] | list[Array]:
    """[c_kmin(x), ..., c_kmax(x)] for x >= 0, each of the shape of x."""
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # the sine of infinity is NaN, and says so by itself
        low = _downwards(kmin, kmax, x)
        if x.size and (x < switch(kmin)).all():
            return [low[k][()] for k in range(kmin, kmax + 1)]
        high = _upwards(kmax, x)
        return [np.where(x < switch(k), low[k], high[k])[()] for k in range(kmin, kmax + 1)]


def _downwards(kmin: int, kmax: int, x: Array) -> dict[int, Array]:
    """By order, from the series of the two highest, for x up to the switch of the highest; beyond it nobody takes them."""
    reach = switch(kmax)
    minus_x = -np.where(x < reach, x, reach)
    c: dict[int, Array] = {}
    for k in range(kmax, kmin - 1, -1):
        if k + 2 in c:
            c[k] = minus_x * c[k + 2] + 1 / factorial(k)
        else:
            c[k] = _polynomial(minus_x, series(k, reach))
    return c


def _upwards(kmax: int, x: Array) -> dict[int, Array]:
    """By order, from sin and cos, for x from the lowest switch on; below it nobody takes them."""
    x = np.where(x < switch(0), switch(0), x)  # no division by zero where the result is not used
    root, inverse = np.sqrt(x), 1 / x
    c = {0: np.cos(root), 1: np.sin(root) * root * inverse}
    for k in range(2, kmax + 1):
        c[k] = (1 / factorial(k - 2) - c[k - 2]) * inverse
    return c


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """coefficients[0] + coefficients[1] x + ... by Horner's rule."""
    value = np.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = value * x + c
    return value
