"""Rows that fade where a mechanism passes a singular position, as a parallelogram that folds flat: they are left out while they are faint.

    A_kk < FADED most_k        A = G M^-1 G', most_k: the most that A_kk has been since the program began
    U_kk < FADED most_k        the same of its pivots, with unit diagonals, the largest first: of rows that come to repeat others

A row that fades and comes back, G ~ e and A_kk ~ e^2 at a distance e from the position, asks for -(Gdot qdot) / e: what is off by roundings
or by a step's error would be thrown about without bound, and turn the mechanism onto another branch of its motion. Left out for |e| < 1e-3,
it lacks a force of the order of e that changes its sign in between: the motion goes straight through, off by the order of e^3.
Elsewhere nothing is changed. Single evaluations remember nothing and leave nothing out.

A loop that is open by g is another mechanism: near the position it has a corner of the size of sqrt(g), which fixed steps must not meet.
While A_kk < FAINT most_k they end on the rows, however little these are off (row_upkeep.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from redmax.dynamics.common.islands import Island, islands
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.record import WorldView
from redmax.program.routines.call import Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.program.sweep import Part, once, recursion
from redmax.solvers.reduced_matrix import clear

WORLD = {"row_watched": 1, "row_faint": 1}  # whether a program remembers what rows were; whether some are faint
FADED, FAINT = 1e-6, 1e-3
LEAST = 1e-6  # of the largest entry, that each is thought to have been: for programs that begin at a singular position
NOTHING = 1e-24  # of the largest entry: a row along which nothing ever moved, but for roundings


@once
def watch(w: WorldView) -> None:
    w.row_watched = 1.0


@routine
def leave_faint(A: Matrix, most: Vector, active: Vector, m: Whole, watched: Vector, faint: Vector) -> None:
    """active = 0 of rows that have faded; whether some are about to."""
    largest = 0.0
    for k in range(m):
        largest = where(A[k, k] > largest, A[k, k], largest)
    for k in range(m):
        most[k] = where(A[k, k] > most[k], A[k, k], most[k])
        was = watched[0] * where(LEAST * largest > most[k], LEAST * largest, most[k])
        if most[k] > NOTHING * largest:
            faint[0] = where(A[k, k] < FAINT * was, where(active[k] > 0.0, 1.0, faint[0]), faint[0])
        active[k] = where(A[k, k] < FADED * was, 0.0, active[k])


@routine
def lower_rank(F: Matrix, rank: Vector, most: Vector, m: Whole, watched: Vector, faint: Vector) -> None:
    """rank without the pivots that have faded; whether some are about to. F: eliminated, with 1 / U_kk on its diagonal."""
    found = rank[0]
    for k in range(m):
        if float(k) < found:
            U = 1.0 / F[k, k]
            most[k] = where(most[k] < U, U, most[k])
            faint[0] = where(FAINT * watched[0] * most[k] > U, 1.0, faint[0])
            rank[0] = where(FADED * watched[0] * most[k] > U, where(float(k) < rank[0], float(k), rank[0]), rank[0])


def most_of(i: Island, part: Part) -> tuple[Data, Data]:
    """The most that each diagonal entry has been, and each pivot, at one level."""
    return i.data(f"most {part}", i.m), i.data(f"most pivots {part}", i.m)


def left_out(i: Island, part: Part) -> Call:
    """Rows that have faded take no part."""
    active, most = i.data("active", i.m), most_of(i, part)[0]
    return Call(leave_faint, lambda at: [(i.A, most, active, i.m, at.world("row_watched"), at.world("row_faint"))], (i.A, most, active))


def ranked(i: Island, part: Part) -> Call:
    """Nor do those that have come to repeat others."""
    F, rank, most = i.data("F", i.m, i.m), i.data("rank", 1), most_of(i, part)[1]
    return Call(lower_rank, lambda at: [(F, rank, most, i.m, at.world("row_watched"), at.world("row_faint"))], (F, rank, most))


def every_island(model: Model) -> Iterator[Island]:
    """Those of all dynamics, whole and without the rows that only push."""
    from redmax.dynamics.redmax.rows import together

    for i in (*(found := islands(model)), together(model, found)):
        yield i
        if 0 < i.free < i.m:
            yield i.equal


def begin_watch(model: Model) -> tuple[ProgramStage, ...]:
    """Once in a program: nothing is known of rows yet."""
    levels = Part.ACCELERATION_ROWS, Part.VELOCITY_ROWS, Part.POSITION_ROWS
    found = [data for i in every_island(model) for part in levels for data in most_of(i, part)]
    return recursion(watch, name="watch rows"), Call(clear, lambda at: [(at[d], d.size) for d in found], tuple(found))
