"""Rows that give way, at the level of accelerations: what they exert is known there, and the others are asked for what is left.

    lambda_s = -g / c  (constraints/traced_rows.py),      A lambda = right - G M^-1 G_s' lambda_s     of the other rows

They stop nothing: at impacts, and where rates are put on rows, they are left out.
"""

from __future__ import annotations

from redmax.dynamics.common.islands import Island
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.solvers.reduced_matrix import copy


@routine
def leave_out(A: Matrix, b: Vector, first: Whole, n: Whole, m: Whole) -> None:
    """Some rows of a system are as if nothing moved along them: their multipliers are zero."""
    for k in range(first, first + n):
        for i in range(m):
            A[i, k] = 0.0
            A[k, i] = 0.0
        b[k] = 0.0


@routine
def exert(A: Matrix, b: Vector, x: Vector, first: Whole, n: Whole, m: Whole) -> None:
    """b -= A x of rows whose multipliers x are known, which are then left out."""
    for k in range(n):
        for i in range(m):
            b[i] -= A[i, first + k] * x[k]
    leave_out(A, b, first, n, m)


def exerted(i: Island) -> tuple[ProgramStage, ...]:
    """What is left to ask for beside what rows that give way exert."""
    A, b = i.A, i.data("right", i.m)
    rows = lambda at: [(A, b, at.kept(r.acting, r.k) + r.kept.right, r.first, r.kept.size, i.m) for r in i.soft]  # noqa: E731
    return (Call(exert, rows, (A, b)),) if i.soft else ()


def put_known(i: Island) -> tuple[ProgramStage, ...]:
    """That beside the multipliers that were found."""
    x = i.multipliers
    rows = lambda at: [(at.kept(r.acting, r.k) + r.kept.right, at[x] + r.first, r.kept.size) for r in i.soft]  # noqa: E731
    return (Call(copy, rows, (x,)),) if i.soft else ()


def without_soft(i: Island) -> tuple[ProgramStage, ...]:
    """Rows that give way bring no impulse."""
    A, b = i.A, i.data("right", i.m)
    return (Call(leave_out, lambda at: [(A, b, r.first, r.kept.size, i.m) for r in i.soft], (A, b)),) if i.soft else ()
