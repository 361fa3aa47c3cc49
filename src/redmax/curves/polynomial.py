"""Polynomials by Horner's rule, along the first axis of their coefficients, constant term first."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np


def horner(coefficients: Any, t: Any) -> Any:
    """c0 + c1 t + c2 t^2 + ...; each of the coefficients may be an array."""
    value = coefficients[-1]
    for i in range(len(coefficients) - 2, -1, -1):
        value = value * t + coefficients[i]
    return value


def from_control_points(degree: int) -> np.ndarray:
    """(degree + 1, degree + 1): control points of a Bezier curve over 0 <= s <= 1 to coefficients of powers of t = s - 1/2.

    B_i(s) = C(n, i) (1/2 + t)^i (1/2 - t)^(n - i). About the middle, rounding grows by 2^n and not by 3^n as it does about an end.
    """
    columns = []
    for i in range(degree + 1):
        up = [comb(i, k) * 0.5 ** (i - k) for k in range(i + 1)]
        down = [comb(degree - i, k) * 0.5 ** (degree - i - k) * (-1) ** k for k in range(degree - i + 1)]
        columns.append(comb(degree, i) * np.convolve(up, down))
    return np.array(columns).T
