"""The principal axes of a symmetric 3x3, in code that is traced: Jacobi's method, SWEEPS times over the three pairs of axes.

A turn of axes p, q with tangent t = 2 b / (d + sign(d) sqrt(d^2 + 4 b^2)), d = a_qq - a_pp and b = a_pq, makes a_pq zero; what is left
after a sweep is as small as the square of what was, and less (Golub and Van Loan, Matrix Computations, Sec. 8.5).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie.three import product, transpose
from redmax.math import less, sqrt, where

SWEEPS = 5
Axis = tuple[Any, list[Any]]  # its moment, and its direction (3,)


def principal_axes(A: Any) -> list[Axis]:
    """By rising moments."""
    M, V = [list(row) for row in A], np.eye(3).tolist()
    for _ in range(SWEEPS):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            G = turn(M, p, q)
            M, V = product(transpose(G), product(M, G)), product(V, G)
    axes = [(M[i][i], [row[i] for row in V]) for i in range(3)]
    for i, k in ((0, 1), (1, 2), (0, 1)):
        axes[i], axes[k] = sorted_pair(axes[i], axes[k])
    return axes


def turn(M: Any, p: int, q: int) -> list[list[Any]]:
    """The rotation of two axes that makes their product of inertia zero."""
    d, b = M[q][q] - M[p][p], M[p][q]
    root = sqrt(d * d + 4.0 * b * b)
    divisor = where(less(d, 0.0), d - root, d + root)
    some = less(0.0, abs(divisor))
    t = where(some, 2.0 * b / where(some, divisor, 1.0), 0.0)
    c = 1.0 / sqrt(1.0 + t * t)
    G: list[list[Any]] = np.eye(3).tolist()
    G[p][p], G[q][q], G[p][q], G[q][p] = c, c, t * c, 0.0 - t * c
    return G


def sorted_pair(a: Axis, b: Axis) -> tuple[Axis, Axis]:
    """The one of the smaller moment first."""
    swap = less(b[0], a[0])
    lower = (where(swap, b[0], a[0]), [where(swap, y, x) for x, y in zip(a[1], b[1], strict=True)])
    upper = (where(swap, a[0], b[0]), [where(swap, x, y) for x, y in zip(a[1], b[1], strict=True)])
    return lower, upper
