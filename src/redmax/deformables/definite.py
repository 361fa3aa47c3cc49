"""Stiffness of linear tetrahedra that implicit steps can rely on: H = dP/dF (9, 9), never indefinite.

Where an element is compressed or inverted, the derivative of its stress has negative eigenvalues, and the matrix of an implicit step may
lose its definiteness. There another takes its place, by default that of linear elasticity in axes that turn with the element (Mueller and
Gross 2004, "Interactive virtual materials"), with R the rotation of F:

    dP = R (2 mu sym(R'dF) + lambda tr(R'dF) 1) = mu (dF + R dF'R) + lambda tr(R'dF) R

Any symmetric stiffness leaves the steps of first order. Matrices are lists of rows; the entry of P_ia and F_jb is at (3 i + a, 3 j + b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.lie.three import Matrix, dot
from redmax.math import less, where

SLACK = 1e-10  # of the trace: a negative eigenvalue that small is rounding error, and small beside the mass


def linear(G: Matrix, mu: Any, lam: Any) -> list[list[Any]]:
    """H of dP = mu (G G' dF + G dF'G) + lambda tr(G'dF) G: positive semidefinite, being 2 mu |E|^2 + lambda tr(E)^2 of E = sym(G'dF).

    With G = R it is the stiffness above; with G = F it is the viscosity of the Green strain.
    """
    square = [[dot(a, b) for b in G] for a in G]

    def entry(i: int, a: int, j: int, b: int) -> Any:
        other = mu * (G[i][b] * G[j][a]) + lam * (G[i][a] * G[j][b])
        return mu * square[i][j] + other if a == b else other

    return mirrored(lambda r, c: entry(r // 3, r % 3, c // 3, c % 3))


def choose(H: Matrix, otherwise: Matrix) -> list[list[Any]]:
    """H where it is positive semidefinite, the other one elsewhere."""
    good = definite(H)
    return mirrored(lambda i, j: where(less(0.5, good), H[i][j], otherwise[i][j]))


def definite(H: Matrix) -> Any:
    """1 if H, moved by the slack, has positive pivots throughout (LDL'), else 0."""
    n = len(H)
    slack = SLACK * sum((H[i][i] for i in range(1, n)), H[0][0])
    A = [[H[i][j] + slack if i == j else H[i][j] for j in range(n)] for i in range(n)]
    good: Any = 1.0
    for k in range(n):
        positive = less(0.0, A[k][k])
        good = where(positive, good, 0.0)
        over = 1.0 / where(positive, A[k][k], 1.0)
        for i in range(k + 1, n):
            factor = A[k][i] * over
            for j in range(i, n):
                A[i][j] = A[i][j] - factor * A[k][j]
    return good


def between_nodes(H: Matrix, B: Matrix) -> np.ndarray:
    """(12, 12): the derivative of V P B' on nodes 1, 2, 3, and minus their sum on node 0, by the places of the nodes."""
    half = [[[dot(row[3 * j : 3 * j + 3], B[m]) for j in range(3)] for m in range(3)] for row in H]  # by P_ia: m, j

    def entry(r: int, c: int) -> Any:
        (n, i), (m, j) = divmod(r, 3), divmod(c, 3)
        return dot(B[n], [half[3 * i + a][m][j] for a in range(3)])

    inner = np.array(mirrored(entry), object).reshape(3, 3, 3, 3)  # n, i, m, j
    result = np.zeros((4, 3, 4, 3)).astype(object)
    result[1:, :, 1:] = inner
    result[0, :, 1:] = -inner.sum(axis=0)
    result[1:, :, 0] = result[0, :, 1:].transpose(1, 2, 0)
    result[0, :, 0] = -result[0, :, 1:].sum(axis=1)
    return result.reshape(12, 12)


def mirrored(entry: Callable[[int, int], Any]) -> list[list[Any]]:
    """The symmetric (9, 9) of entry(i, j), i <= j."""
    M: list[list[Any]] = [[0.0] * 9 for _ in range(9)]
    for i in range(9):
        for j in range(i, 9):
            M[i][j] = M[j][i] = entry(i, j)
    return M
