"""Rows of which some only push: A x = b + w, with w = 0 of free rows, and x >= 0, w >= 0, x w = 0 of one-sided ones, which come last.

Principal pivoting (Judice and Pires 1994): the rows that act are guessed, A x = b of these is solved (semidefinite.py), and those change
sides whose x or w is negative, all at once while their number falls, and only the last of them where it does not fall for some turns: then
the method ends for every A whose minors are positive (Murty 1974). It begins with the rows that nothing else keeps.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.solvers.semidefinite import eliminate_largest, scale_rows, solve_ranked

SMALL = 1e-12  # of what a row adds up, that is rounding
PATIENCE = 3.0  # turns without fewer wrong rows
MOST = 100.0  # turns
CONTRADICTED = 1e-3  # of the most that a row asks for, that one may lack: others ask for the contrary, and x is not finite
APART = 1e-9  # added to the diagonal of one-sided rows until it is known which act: of two that ask for nearly the same, the stricter


@routine
def guess(active: Vector, b: Vector, free: Whole, m: Whole) -> None:
    """Free rows act, and one-sided ones that nothing keeps."""
    for i in range(m):
        active[i] = 1.0
    for i in range(free, m):
        active[i] = where(b[i] > 0.0, 1.0, 0.0)


@routine
def judge(A: Matrix, b: Vector, x: Vector, active: Vector, wrong: Vector, free: Whole, m: Whole) -> float:
    """How many one-sided rows are on the wrong side, which are marked."""
    count = 0.0
    for i in range(free, m):
        total = dot(A[i, 0:m], x[0:m])
        size = abs(b[i]) + abs(total) + abs(A[i, i] * x[i])
        pulls = where(x[i] * A[i, i] < -SMALL * size, 1.0, 0.0)
        passes = where(total - b[i] < -SMALL * size, 1.0, 0.0)
        wrong[i] = where(active[i] > 0.0, pulls, passes)
        count += wrong[i]
    return count


@routine
def turn(active: Vector, wrong: Vector, free: Whole, m: Whole, together: Vector) -> None:
    """Wrong rows change sides: all of them, or only the last."""
    left = where(together[0] > 0.0, float(m), 1.0)
    for k in reversed(range(free, m)):
        flip = wrong[k] * where(left > 0.0, 1.0, 0.0)
        active[k] = where(flip > 0.0, 1.0 - active[k], active[k])
        left -= flip


@routine
def complementary(
    A: Matrix, F: Matrix, b: Vector, x: Vector, z: Vector, scale: Vector, active: Vector, order: Vector, rank: Vector, wrong: Vector,
    together: Vector, free: Whole, m: Whole,
) -> None:  # fmt: skip
    """x; rows from `free` on are one-sided."""
    for i in range(free, m):
        A[i, i] *= 1.0 + APART
    guess(active, b, free, m)
    fewest = float(m) + 1.0
    patience = PATIENCE
    turns = 0.0
    going = 1.0
    while going > 0.0:
        scale_rows(A, F, scale, active, order, m)
        eliminate_largest(F, order, rank, m)
        solve_ranked(F, order, rank, scale, b, x, z, m)
        count = judge(A, b, x, active, wrong, free, m)
        fewer = where(count < fewest, 1.0, 0.0)
        patience = where(fewer > 0.0, PATIENCE, patience - 1.0)
        fewest = where(fewer > 0.0, count, fewest)
        together[0] = where(patience > 0.0, 1.0, 0.0)
        turns += 1.0
        going = where(count > 0.0, where(turns < MOST, 1.0, 0.0), 0.0)
        if going > 0.0:
            turn(active, wrong, free, m, together)
    for i in range(free, m):
        A[i, i] /= 1.0 + APART
    scale_rows(A, F, scale, active, order, m)
    eliminate_largest(F, order, rank, m)
    solve_ranked(F, order, rank, scale, b, x, z, m)
    largest = 0.0
    for i in range(m):
        largest = max(largest, where(active[i] > 0.0, abs(b[i]), 0.0))
    for i in range(free, m):
        missed = b[i] - dot(A[i, 0:m], x[0:m])
        z[i] = where(x[i] > 0.0, x[i], 0.0) / where(missed > CONTRADICTED * largest, 0.0, 1.0)
    for i in range(free, m):
        x[i] = z[i]
