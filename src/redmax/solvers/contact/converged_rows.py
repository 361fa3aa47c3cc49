"""Rows of constraints in what a converged step of contact is differentiated by: those that are held, and those that have come to a bound.

    r(x) - R' l = 0;      held: R x + c l = b,     else l is where it is: at no force, or at a limit of its force

    dr/dz = ( dr/dx   -R' )
            ( R        c  )      z = (x, l), rows that are not held: (0, 1)

Which are held is what the solver found last, with rows left out that repeat others (semidefinite.py).
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, dot, whole
from redmax.solvers.contact.constrained import BOUND, LOWER, UPPER

FREE, HELD, AT_LOWER, AT_UPPER = 0.0, 1.0, 2.0, 3.0  # l = 0, R x + c l = b, l at the lower and at the upper limit
MARGIN = 1e-9  # of what a row adds up: what is less is the edge of another state


@routine
def note_held(
    l: Vector, b: Vector, active: Vector, scale: Vector, order: Vector, rank: Vector, box: Vector, z: Vector, held: Vector, n: Whole,  # noqa: E741
    rows: Whole, limited: Whole,
) -> None:  # fmt: skip
    """held: the state of each row; z: l behind the n changes of rates."""
    for r in range(rows):
        held[r] = FREE
        z[n + r] = l[r]
    for k in range(rows):
        r = whole(order[k])
        if float(k) < rank[0] - 0.5:
            held[r] = where(active[r] > 0.5, where(scale[r] > 0.0, HELD, FREE), FREE)
    if limited > 0:
        for r in range(rows):
            lower, upper = box[LOWER * rows + r], box[UPPER * rows + r]
            at = box[BOUND * rows + r]
            beyond = where(abs(at - upper) <= abs(at - lower), AT_UPPER, AT_LOWER)
            held[r] = where(active[r] > 0.5, held[r], where(at == 0.0, FREE, beyond))
    for r in range(rows):
        z[n + r] = where(held[r] > 0.5, l[r], 0.0)


@routine
def rows_off(
    R: Matrix, b: Vector, soft: Vector, box: Vector, held: Vector, z: Vector, g: Vector, n: Whole, rows: Whole, limited: Whole
) -> None:
    """What rows add to r, and how far they are off."""
    for r in range(rows):
        g[0:n] -= z[n + r] * R[r, 0:n]
        off = dot(R[r, 0:n], z[0:n]) + soft[r] * z[n + r] - b[r]
        at = 0.0
        if limited > 0:
            at = where(held[r] > 2.5, box[UPPER * rows + r], where(held[r] > 1.5, box[LOWER * rows + r], 0.0))
        g[n + r] = where(held[r] > 0.5, where(held[r] < 1.5, off, z[n + r] - at), z[n + r])


@routine
def border(R: Matrix, soft: Vector, held: Vector, A: Matrix, n: Whole, rows: Whole) -> None:
    """dr/dz, of which dr/dx is there."""
    for r in range(rows):
        on = where(held[r] > 0.5, where(held[r] < 1.5, 1.0, 0.0), 0.0)
        A[n + r, 0:n] = on * R[r, 0:n]
        for k in range(rows):
            A[n + r, n + k] = 0.0
        A[n + r, n + r] = where(on > 0.5, soft[r], 1.0)
        for k in range(n):
            A[k, n + r] = -R[r, k]


@routine
def row_doubt(
    R: Matrix, S: Matrix, b: Vector, soft: Vector, box: Vector, held: Vector, z: Vector, speed: Number, n: Whole, free: Whole, rows: Whole,
    limited: Whole,
) -> float:  # fmt: skip
    """Which row is at the edge of two states, 1 for the first of all; 0: none. speed: what weight makes in a step, or so"""
    found = 0.0
    for r in range(free, rows):
        moves = dot(R[r, 0:n], z[0:n]) + soft[r] * z[n + r] - b[r]
        size = speed + abs(b[r]) + abs(S[r, r] * z[n + r]) + abs(moves + b[r])
        within, open_ = z[n + r] * S[r, r], 0.0
        if limited > 0:
            within = min(z[n + r] - box[LOWER * rows + r], box[UPPER * rows + r] - z[n + r]) * S[r, r]
            open_ = where(box[LOWER * rows + r] < box[UPPER * rows + r], 0.0, 1.0)
        apart = where(held[r] > 2.5, -moves, where(held[r] > 1.5, moves, where(held[r] > 0.5, within, moves)))
        edge = where(apart <= MARGIN * size, 1.0 - open_, 0.0)
        found = where(found > 0.5, found, edge * (1.0 + float(r)))
    return found


@routine
def keep_rows(z: Vector, held: Vector, solution: Vector, n: Whole, rows: Whole) -> None:
    """Multipliers, and which rows are held, behind the changes of rates."""
    for r in range(rows):
        solution[n + r] = z[n + r]
        solution[n + rows + r] = held[r]


@routine
def rows_back(solution: Vector, g: Vector, l: Vector, held: Vector, n: Whole, rows: Whole) -> None:  # noqa: E741
    """l = solution - (dr/dz)^-1 r of rows; which of them are held."""
    for r in range(rows):
        l[r] = solution[n + r] - g[n + r]
        held[r] = solution[n + rows + r]
