"""Systems of rows that may repeat each other, of any sign: S A S = P L U Q by Gaussian elimination with complete pivoting.

    s_k = 1 / sqrt(d_k),   d_k the size of A_kk, or what it would be but for signs        (Golub and Van Loan, Alg. 3.4.3)
    |U_kk| <= DEPENDENT: the rows that are left repeat others;   d_k = 0: nothing moves along row k

A = B H^-1 G', as in semidefinite.py, where H need not be definite: multipliers that are large for a step can make it indefinite.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.solvers.pivoted import exchange, exchange_rows
from redmax.solvers.semidefinite import DEPENDENT

SHARE = 1e-3  # of |B_k| |Z_k|, that d_k is at least


@routine
def row_sizes(A: Matrix, B: Matrix, Z: Matrix, d: Vector, m: Whole, n: Whole) -> None:
    """d_k = max(|A_kk|, SHARE |B_k| |Z_k|), with A = B Z'."""
    for k in range(m):
        square = dot(B[k, 0:n], B[k, 0:n]) * dot(Z[k, 0:n], Z[k, 0:n])
        most = where(square > 0.0, SHARE * sqrt(where(square > 0.0, square, 1.0)), 0.0)  # whose slope at zero would be no number
        d[k] = where(abs(A[k, k]) > most, abs(A[k, k]), most)


@routine
def scale_both(A: Matrix, F: Matrix, d: Vector, scale: Vector, active: Vector, m: Whole) -> None:
    """F = S A S, with rows that are not active, or along which nothing moves, made zero."""
    for i in range(m):
        scale[i] = where(d[i] > 0.0, active[i], 0.0) / sqrt(where(d[i] > 0.0, d[i], 1.0))
    for i in range(m):
        F[i, 0:m] = (scale[i] * A[i, 0:m]) * scale[0:m]


@routine
def exchange_columns(F: Matrix, m: Whole, k: Whole, p: Whole) -> None:
    """Columns k and p change places."""
    for i in range(m):
        kept = F[i, k]
        F[i, k] = F[i, p]
        F[i, p] = kept


@routine
def eliminate_complete(F: Matrix, rows: Vector, columns: Vector, rank: Vector, m: Whole) -> None:
    """L below the diagonal, 1 / U_kk on it, the rest of U above; rows, columns: which ones stand where."""
    for k in range(m):
        rows[k] = float(k)
        columns[k] = float(k)
    rank[0] = 0.0
    going = 1.0
    for k in range(m):
        largest = 0.0
        p = float(k)
        c = float(k)
        for i in range(k, m):
            for j in range(k, m):
                more = abs(F[i, j]) > largest
                p = where(more, float(i), p)
                c = where(more, float(j), c)
                largest = where(more, abs(F[i, j]), largest)
        going = where(largest > DEPENDENT, going, 0.0)
        if going > 0.0:
            if p > float(k):
                exchange_rows(F, m, k, whole(p))
                exchange(rows, k, whole(p))
            if c > float(k):
                exchange_columns(F, m, k, whole(c))
                exchange(columns, k, whole(c))
            d = 1.0 / F[k, k]
            for i in range(k + 1, m):
                L = d * F[i, k]
                F[i, k + 1 : m] -= L * F[k, k + 1 : m]
                F[i, k] = L
            F[k, k] = d
            rank[0] += 1.0


@routine
def solve_complete(
    F: Matrix, rows: Vector, columns: Vector, rank: Vector, scale: Vector, b: Vector, x: Vector, z: Vector, m: Whole
) -> None:
    """x = A^-1 b by what is kept, zero for the others."""
    r = whole(rank[0])
    for i in range(r):
        k = whole(rows[i])
        z[i] = scale[k] * b[k] - dot(F[i, 0:i], z[0:i])
    for i in reversed(range(r)):
        z[i] = (z[i] - dot(F[i, i + 1 : r], z[i + 1 : r])) * F[i, i]
    for i in range(m):
        x[i] = 0.0
    for i in range(r):
        k = whole(columns[i])
        x[k] = scale[k] * z[i]
