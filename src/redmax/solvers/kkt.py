"""Systems bordered by rows, as stages of a program: A x = b + G' lambda, G x = g (RedMax notes Eqs. 2.102-2.103, with f = +G' lambda).

    [ A  -G' ] [   x    ]   [ b ]
    [ G   0  ] [ lambda ] = [ g ]       by elimination with pivoting of the whole, so that A alone may be singular

Rows must be independent. Gram and Schmidt with pivoting tell: their largest rest, in each turn made a unit row that the others lose, has
norms r_1 >= r_2 >= ..., and r_m <= DEPENDENT r_1 of rows that ask for the same thing twice. x is then not finite.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.call import Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.solvers.bordered import DEPENDENT
from redmax.solvers.elimination import factor, solve
from redmax.solvers.pivoted import exchange_rows, factor_pivoted, solve_pivoted
from redmax.solvers.reduced_matrix import copy, panels


@routine
def border(A: Matrix, G: Matrix, K: Matrix, n: Whole, m: Whole) -> None:
    """K = [[A, -G'], [G, 0]]."""
    for i in range(n):
        K[i, 0:n] = A[i, 0:n]
        for k in range(m):
            K[i, n + k] = -G[k, i]
    for k in range(m):
        K[n + k, 0:n] = G[k, 0:n]
        K[n + k, n : n + m] = 0.0


@routine
def largest_row(G: Matrix, k: Whole, m: Whole, n: Whole) -> float:
    """Which of the rows from k on is the longest, as a number."""
    p = float(k)
    longest = dot(G[k, 0:n], G[k, 0:n])
    for i in range(k + 1, m):
        length = dot(G[i, 0:n], G[i, 0:n])
        p = where(length > longest, float(i), p)
        longest = where(length > longest, length, longest)
    return p


@routine
def norms(G: Matrix, r: Vector, m: Whole, n: Whole) -> None:
    """r of rows G, which are orthonormal afterwards as far as they are independent."""
    for k in range(m):
        p = largest_row(G, k, m, n)
        if p > float(k):
            exchange_rows(G, n, k, whole(p))
        r[k] = sqrt(dot(G[k, 0:n], G[k, 0:n]))
        scale = 1.0 / where(r[k] > 0.0, r[k], 1.0)
        G[k, 0:n] *= scale
        for i in range(k + 1, m):
            G[i, 0:n] -= dot(G[i, 0:n], G[k, 0:n]) * G[k, 0:n]


@routine
def refuse_dependent(r: Vector, z: Vector, m: Whole) -> None:
    """A right side that has no solution, where the rows depend on each other."""
    z[0] /= where(r[m - 1] > DEPENDENT * r[0], 1.0, 0.0)


def eliminate(A: Data, x: Data, n: int, symmetric: bool) -> tuple[Call, ...]:
    """A x = b for the first n unknowns; b stands in x. A symmetric A is positive definite."""
    if symmetric:
        factored = Call(factor, lambda at: [(A, n, *panel) for panel in panels(n)], (A,))
        return factored, Call(solve, lambda at: [(A, x, n)], (A, x))
    order = Data("order", n)
    factored = Call(factor_pivoted, lambda at: [(A, order, n, *panel) for panel in panels(n)], (A, order))
    return factored, Call(solve_pivoted, lambda at: [(A, order, x, n)], (A, order, x))


def eliminate_with_rows(A: Data, x: Data, G: Data, g: Data, n: int) -> tuple[Call, ...]:
    """The same with rows G (m, n) and their right side g, in the place of which lambda is found."""
    m = G.rows
    K, z, copied, r = Data("K", n + m, n + m), Data("z", n + m), Data("rows of G", m, G.columns), Data("r", m)
    return (
        Call(copy, lambda at: [(at[x], at[z], n), (at[g], at[z] + n, m), (at[G], at[copied], G.size)], (x, z, g, G, copied)),
        Call(norms, lambda at: [(copied, r, m, n)], (copied, r)),
        Call(refuse_dependent, lambda at: [(r, z, m)], (r, z)),
        Call(border, lambda at: [(A, G, K, n, m)], (A, G, K)),
        *eliminate(K, z, n + m, symmetric=False),
        Call(copy, lambda at: [(at[z], at[x], n), (at[z] + n, at[g], m)], (x, z, g)),
    )
