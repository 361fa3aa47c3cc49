"""Rows whose multipliers live between bounds: A x = b + w, with w = 0 of free rows, and of the others, which come last,

    lower < x < upper: w = 0,      x = lower: w >= 0,      x = upper: w <= 0

Principal pivoting as in complementarity.py (Judice and Pires 1994 have it for boxes too): rows are held (w = 0) or at one of their bounds;
A x = b of the held ones is solved with the others where they are, and those change sides whose x leaves its bounds or whose w has the wrong
sign. Rows that repeat others share what is asked of them: the diagonal of rows with bounds is APART larger for the solution, and what that
leaves of w is asked for again, which keeps the shares.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, dot
from redmax.solvers.complementarity import APART, CONTRADICTED, MOST, PATIENCE, SMALL
from redmax.solvers.semidefinite import eliminate_largest, scale_rows, solve_ranked

BOUNDLESS = 1e29  # of a bound from which on there is none
MISSED = 1e-6  # of what a row adds up, that one lacks which nothing moves along: it is at a bound as well
FEWEST, LEFT, TAKEN, TURNS = 0, 1, 2, 3  # what is known of turns: the fewest wrong rows, patience that is left, how many; and of how much
AGAIN = 2  # times that what is left is asked for


@routine
def find_held(
    A: Matrix, F: Matrix, b: Vector, x: Vector, left: Vector, y: Vector, z: Vector, scale: Vector, held: Vector, bound: Vector,
    order: Vector, rank: Vector, free: Whole, m: Whole,
) -> None:  # fmt: skip
    """x of the rows that are held, beside the others at `bound`. left, y, z: room."""
    for i in range(free, m):
        A[i, i] *= 1.0 + APART
    scale_rows(A, F, scale, held, order, m)
    eliminate_largest(F, order, rank, m)
    for i in range(free, m):
        A[i, i] /= 1.0 + APART
    for i in range(m):
        x[i] = where(held[i] > 0.0, 0.0, bound[i])
    for _ in range(AGAIN + 1):
        for i in range(m):
            left[i] = b[i] - dot(A[i, 0:m], x[0:m])
        solve_ranked(F, order, rank, scale, left, y, z, m)
        x[0:m] += y[0:m]


@routine
def judge_box(
    A: Matrix, b: Vector, x: Vector, held: Vector, bound: Vector, lower: Vector, upper: Vector, wrong: Vector, free: Whole, m: Whole
) -> float:
    """How many rows with bounds are on the wrong side, which are marked: 1 to be held, 2 to go to the lower bound, 3 to the upper one."""
    count = 0.0
    for i in range(free, m):
        total = dot(A[i, 0:m], x[0:m])
        size = SMALL * (abs(b[i]) + abs(total) + abs(A[i, i] * x[i]))
        w = total - b[i]
        vain = where(abs(w) > MISSED * (abs(b[i]) + abs(total)), where(upper[i] < BOUNDLESS, where(w > 0.0, 2.0, 3.0), 0.0), 0.0)
        below = where((x[i] - lower[i]) * A[i, i] < -size, 2.0, vain)
        beyond = where((x[i] - upper[i]) * A[i, i] > size, 3.0, below)
        at_lower = where(w < -size, where(bound[i] <= lower[i], 1.0, 0.0), 0.0)
        at_upper = where(w > size, where(bound[i] >= upper[i], 1.0, 0.0), 0.0)
        back = where(lower[i] < upper[i], where(at_lower > at_upper, at_lower, at_upper), 0.0)
        wrong[i] = where(held[i] > 0.0, beyond, back)
        count += where(wrong[i] > 0.0, 1.0, 0.0)
    return count


@routine
def go_on(count: Number, turns: Vector) -> float:
    """Whether there is another turn after one with so many wrong rows."""
    turns[LEFT] = where(count < turns[FEWEST], PATIENCE, turns[LEFT] - 1.0)
    turns[FEWEST] = where(count < turns[FEWEST], count, turns[FEWEST])
    turns[TAKEN] += 1.0
    return where(count > 0.0, where(turns[TAKEN] < MOST, 1.0, 0.0), 0.0)


@routine
def turn_box(held: Vector, bound: Vector, lower: Vector, upper: Vector, wrong: Vector, free: Whole, m: Whole, turns: Vector) -> None:
    """Wrong rows change sides: all of them, or only the last."""
    left = where(turns[LEFT] > 0.0, float(m), 1.0)
    for k in reversed(range(free, m)):
        to = where(left > 0.0, wrong[k], 0.0)
        held[k] = where(to > 0.0, where(to > 1.5, 0.0, 1.0), held[k])
        bound[k] = where(to > 1.5, where(to > 2.5, upper[k], lower[k]), bound[k])
        left -= where(to > 0.0, 1.0, 0.0)


@routine
def in_box(
    A: Matrix, F: Matrix, b: Vector, x: Vector, left: Vector, y: Vector, z: Vector, scale: Vector, held: Vector, bound: Vector,
    lower: Vector, upper: Vector, order: Vector, rank: Vector, wrong: Vector, turns: Vector, free: Whole, m: Whole,
) -> None:  # fmt: skip
    """x, and which rows are held or at which bound; rows from `free` on have bounds."""
    for i in range(m):
        held[i] = 1.0
        bound[i] = 0.0
    for i in range(free, m):
        pushes = where(b[i] > 0.0, 1.0, 0.0)
        held[i] = where(upper[i] > lower[i], where(upper[i] < BOUNDLESS, where(b[i] > -BOUNDLESS, 1.0, 0.0), pushes), 0.0)
        bound[i] = lower[i]
    turns[FEWEST] = float(m) + 1.0
    turns[LEFT] = PATIENCE
    turns[TAKEN] = 0.0
    going = 1.0
    while going > 0.0:
        find_held(A, F, b, x, left, y, z, scale, held, bound, order, rank, free, m)
        going = go_on(judge_box(A, b, x, held, bound, lower, upper, wrong, free, m), turns)
        if going > 0.0:
            turn_box(held, bound, lower, upper, wrong, free, m, turns)
    largest = 0.0
    for i in range(m):
        largest = max(largest, where(held[i] > 0.0, abs(b[i]), abs(A[i, i] * x[i])))  # rows at bounds ask the others for what they do
    for i in range(free, m):
        missed = where(upper[i] < BOUNDLESS, 0.0, b[i] - dot(A[i, 0:m], x[0:m]))
        inside = where(x[i] < lower[i], lower[i], where(x[i] > upper[i], upper[i], x[i]))
        z[i] = inside / where(missed > CONTRADICTED * largest, 0.0, 1.0)
    for i in range(free, m):
        x[i] = z[i]
