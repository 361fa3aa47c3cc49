"""Linear systems whose matrix need not be symmetric: Gaussian elimination with partial pivoting (Golub and Van Loan, Alg. 3.4.1).

    P A = L U,  L unit lower triangular with entries of at most 1, U upper triangular; P exchanges row k with row order[k], k = 0, 1, ...
    A x = b:    L z = P b,  U x = z
    A' x = b:   U' z = b,   L' y = z,  x = P' y

L and U replace A. Of a singular A some entry of U's diagonal is zero, and x is not finite.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.call import Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.solvers.elimination import factor, solve
from redmax.solvers.reduced_matrix import panels


@routine
def exchange(x: Vector, k: Whole, p: Whole) -> None:
    """x_k and x_p change places."""
    kept = x[k]
    x[k] = x[p]
    x[p] = kept


@routine
def exchange_rows(A: Matrix, n: Whole, k: Whole, p: Whole) -> None:
    """Rows k and p change places."""
    for j in range(n):
        kept = A[k, j]
        A[k, j] = A[p, j]
        A[p, j] = kept


@routine
def factor_pivoted(A: Matrix, order: Vector, n: Whole, start: Whole, stop: Whole) -> None:
    """Eliminate the unknowns from start to stop, those before them done."""
    for k in range(start, stop):
        largest = abs(A[k, k])
        p = float(k)
        for i in range(k + 1, n):
            p = where(abs(A[i, k]) > largest, float(i), p)
            largest = where(abs(A[i, k]) > largest, abs(A[i, k]), largest)
        order[k] = p
        if p > float(k):
            exchange_rows(A, n, k, whole(p))
        for i in range(k + 1, n):
            L = A[i, k] / A[k, k]
            A[i, k + 1 : n] -= L * A[k, k + 1 : n]
            A[i, k] = L


@routine
def solve_pivoted(A: Matrix, order: Vector, b: Vector, n: Whole) -> None:
    """x in place of b."""
    for k in range(n):
        exchange(b, k, whole(order[k]))
    for i in range(1, n):
        b[i] -= dot(A[i, 0:i], b[0:i])
    for i in reversed(range(n)):
        b[i] = (b[i] - dot(A[i, i + 1 : n], b[i + 1 : n])) / A[i, i]


@routine
def solve_transposed(A: Matrix, order: Vector, b: Vector, n: Whole) -> None:
    """x of A' x = b in place of b."""
    for i in range(n):
        b[i] /= A[i, i]
        b[i + 1 : n] -= b[i] * A[i, i + 1 : n]
    for i in reversed(range(1, n)):
        b[0:i] -= b[i] * A[i, 0:i]
    for k in reversed(range(n)):
        exchange(b, k, whole(order[k]))


@routine
def solve_several(A: Matrix, order: Vector, B: Matrix, n: Whole, count: Whole) -> None:
    """A X' = B': each row of B is a right side, and then its solution."""
    for k in range(count):
        solve_pivoted(A, order, B[k], n)


def eliminate(A: Data, x: Data, n: int, symmetric: bool) -> tuple[Call, ...]:
    """A x = b for the first n unknowns; b stands in x. A symmetric A is positive definite."""
    if symmetric:
        factored = Call(factor, lambda at: [(A, n, *panel) for panel in panels(n)], (A,))
        return factored, Call(solve, lambda at: [(A, x, n)], (A, x))
    order = Data("order", n)
    factored = Call(factor_pivoted, lambda at: [(A, order, n, *panel) for panel in panels(n)], (A, order))
    return factored, Call(solve_pivoted, lambda at: [(A, order, x, n)], (A, order, x))
