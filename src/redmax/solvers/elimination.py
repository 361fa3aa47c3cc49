"""Linear systems by elimination: a symmetric matrix as L D L', of which the rows replace the matrix.

    H = L D L',  L unit lower triangular, D diagonal       (no pivoting: H is positive definite)
    H x = b:     L z = b,  y = D^-1 z,  L' x = y

Below the diagonal stands L then, on it 1 / D; above it is what was eliminated. Unknowns that are given come last and keep their columns.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot


@routine
def factor(H: Matrix, n: Whole, start: Whole, stop: Whole) -> None:
    """Eliminate the unknowns from start to stop, those before them done. L is left below the diagonal, 1 / D on it."""
    for k in range(start, stop):
        d = 1.0 / H[k, k]
        for i in range(k + 1, n):
            L = d * H[k, i]
            H[i, i:n] -= L * H[k, i:n]
            H[i, k] = L
        H[k, k] = d


@routine
def solve(H: Matrix, b: Vector, n: Whole) -> None:
    """x in place of b."""
    for i in range(n):
        b[i] -= dot(H[i, 0:i], b[0:i])
    for i in range(n):
        b[i] *= H[i, i]
    for i in reversed(range(n)):
        b[0:i] -= b[i] * H[i, 0:i]


@routine
def move_given(H: Matrix, b: Vector, free: Whole, n: Whole) -> None:
    """The columns of unknowns that are given go to the right side: b_u - H_up x_p."""
    for i in range(free):
        b[i] -= dot(H[i, free:n], b[free:n])


@routine
def multiply(H: Matrix, x: Vector, y: Vector, first: Whole, n: Whole) -> None:
    """y = H x, from row `first` on."""
    for i in range(first, n):
        y[i] = dot(H[i, 0:n], x[0:n])
