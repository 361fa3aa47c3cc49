"""How much a spline surface bends: the integral, over all of its range, of its second derivatives squared,

    E = int sum_ij |d^2 phi / dq_i dq_j|^2 dq        (a thin plate's, for two parameters)

a quadratic form in the control values, by Gauss's quadrature, which is exact for polynomials.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.design.surfaces.grid import Grid
from redmax.types import Array


def bending(grid: Grid) -> Array:
    """(cells, K, K): E = sum of c^T E_cell c over cells, of one column."""
    own = [[products(side, d) for d in range(3)] for side in grid.sides]
    total: Array = np.zeros(())
    for i, j in combinations_with_replacement(range(len(grid.sides)), 2):
        term = np.ones((1, 1, 1))
        for n, parts in enumerate(own):
            part = parts[(i, j).count(n)]
            cells, K = len(term) * len(part), term.shape[1] * part.shape[1]
            term = (term[:, None, :, None, :, None] * part[None, :, None, :, None, :]).reshape(cells, K, K)
        total = total + (1.0 if i == j else 2.0) * term
    return total


def products(side: Spans, derivative: int) -> Array:
    """(pieces, k, k): the integrals over each piece of products of derivatives of basis functions."""
    x, w = np.polynomial.legendre.leggauss(side.order)
    width = np.diff(side.breaks)
    piece = np.repeat(np.arange(side.pieces), len(x))
    u = (0.5 * width[:, None] * (x + 1.0)).ravel()
    N = side.ordinary(piece, u, derivative).reshape(side.pieces, len(x), side.order)
    return np.swapaxes(N, 1, 2) @ (0.5 * width[:, None, None] * w[:, None] * N)
