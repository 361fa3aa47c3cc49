"""Systems of rows that may repeat each other: A x = b, A = G H^-1 G', with b within its range; A is symmetric where H is.

    S A S = P L U P',   s_i = 1 / sqrt(A_ii)        elimination with the largest diagonal first, rows scaled to unit diagonals
    U_kk <= DEPENDENT: the rows that are left repeat others;   A_ii = 0, but for rounding: nothing moves along row i

x_i = 0 of rows that are left over is one solution; of all that move the system alike, the one of least norm is taken: with
C = A_rr^-1 A_rd of the rows r that are kept and d that are not, x -= Z (Z' Z)^-1 Z' x, Z = (-C; 1).
Rows whose `active` is zero are left out, and have x = 0.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.solvers.elimination import factor, solve
from redmax.solvers.pivoted import exchange

DEPENDENT = 1e-10
NOTHING = 1e-20  # of the largest diagonal: what rounding leaves of a row along which nothing moves


@routine
def scale_rows(A: Matrix, F: Matrix, scale: Vector, active: Vector, order: Vector, m: Whole) -> None:
    """F = S A S, with rows that are not active, or along which nothing moves, made zero."""
    least = 0.0
    for i in range(m):
        least = where(NOTHING * A[i, i] > least, NOTHING * A[i, i], least)
    for i in range(m):
        d = A[i, i]
        moves = where(d > least, active[i], 0.0)
        scale[i] = moves / sqrt(where(d > least, d, 1.0))
        order[i] = float(i)
    for i in range(m):
        F[i, 0:m] = (scale[i] * A[i, 0:m]) * scale[0:m]


@routine
def swap(F: Matrix, m: Whole, k: Whole, p: Whole) -> None:
    """Rows and columns k and p change places."""
    for j in range(m):
        kept = F[k, j]
        F[k, j] = F[p, j]
        F[p, j] = kept
    for j in range(m):
        kept = F[j, k]
        F[j, k] = F[j, p]
        F[j, p] = kept


@routine
def eliminate_largest(F: Matrix, order: Vector, rank: Vector, m: Whole) -> None:
    """L below the diagonal, 1 / U_kk on it, the rest of U above; what is left of rows behind `rank` is not touched."""
    rank[0] = 0.0
    going = 1.0
    for k in range(m):
        p = float(k)
        largest = F[k, k]
        for i in range(k + 1, m):
            p = where(F[i, i] > largest, float(i), p)
            largest = where(F[i, i] > largest, F[i, i], largest)
        going = where(largest > DEPENDENT, going, 0.0)
        if going > 0.0:
            if p > float(k):
                swap(F, m, k, whole(p))
                exchange(order, k, whole(p))
            d = 1.0 / F[k, k]
            for i in range(k + 1, m):
                L = d * F[i, k]
                F[i, k + 1 : m] -= L * F[k, k + 1 : m]
                F[i, k] = L
            F[k, k] = d
            rank[0] += 1.0


@routine
def solve_ranked(F: Matrix, order: Vector, rank: Vector, scale: Vector, b: Vector, x: Vector, z: Vector, m: Whole) -> None:
    """x = A^-1 b by the rows that are kept, zero for the others."""
    r = whole(rank[0])
    for i in range(r):
        k = whole(order[i])
        z[i] = scale[k] * b[k] - dot(F[i, 0:i], z[0:i])
    for i in reversed(range(r)):
        z[i] = (z[i] - dot(F[i, i + 1 : r], z[i + 1 : r])) * F[i, i]
    for i in range(m):
        x[i] = 0.0
    for i in range(r):
        k = whole(order[i])
        x[k] = scale[k] * z[i]


@routine
def least_norm(F: Matrix, order: Vector, rank: Vector, scale: Vector, x: Vector, C: Matrix, N: Matrix, z: Vector, m: Whole) -> None:
    """x without what moves nothing, where rows repeat others that do move: C (d, r), N = Z'Z (d, d)."""
    r = whole(rank[0])
    if r < m:
        for a in range(r, m):
            k = whole(order[a])
            moves = where(scale[k] > 0.0, 1.0, 0.0)
            back = moves / where(scale[k] > 0.0, scale[k], 1.0)
            for i in reversed(range(r)):
                C[a, i] = (moves * F[i, a] - dot(F[i, i + 1 : r], C[a, i + 1 : r])) * F[i, i]
            z[a] = 0.0
            for i in range(r):
                C[a, i] *= back * scale[whole(order[i])]
                z[a] -= C[a, i] * x[whole(order[i])]
        for a in range(r, m):
            for c in range(r, m):
                N[a - r, c - r] = dot(C[a, 0:r], C[c, 0:r])
            N[a - r, a - r] += 1.0
        d = m - r
        factor(N, d, 0, d)
        solve(N, z[r:], d)
        for a in range(r, m):
            for i in range(r):
                x[whole(order[i])] += C[a, i] * z[a]
            x[whole(order[a])] -= z[a]
