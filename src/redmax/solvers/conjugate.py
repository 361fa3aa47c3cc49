"""Conjugate gradients for a symmetric positive definite matrix, as a routine (Hestenes and Stiefel 1952).

    r = b - A x,  p = r;   alpha = r'r / p'Ap,   x += alpha p,   r -= alpha A p,   p = r + (r'r / old r'r) p

Each world stops by itself, once |r| <= tolerance |b|, or after so many turns.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot


@routine
def iterate(A: Matrix, x: Vector, r: Vector, p: Vector, y: Vector, tolerance: Vector, n: Whole, most: Whole) -> None:
    """x of A x = b from x = 0; b stands in r, which is what is left of it afterwards. p, y: (n,) for the search."""
    x[0:n] = 0.0
    p[0:n] = r[0:n]
    rr = dot(r[0:n], r[0:n])
    enough = tolerance[0] * tolerance[0] * rr
    turns = 0
    while rr > enough and turns < most:
        for i in range(n):
            y[i] = dot(A[i, 0:n], p[0:n])
        alpha = rr / dot(p[0:n], y[0:n])
        x[0:n] += alpha * p[0:n]
        r[0:n] -= alpha * y[0:n]
        before = rr
        rr = dot(r[0:n], r[0:n])
        beta = rr / before
        p[0:n] = r[0:n] + beta * p[0:n]
        turns += 1
