"""Rows of which some have limited forces, as stages: their bounds, and lambda between these (constraints/force_limits.py).

euler and implicit: lambda and the slip s at the end of the step are complementary (solvers/box_complementarity.py)
accelerations: a row that slips is at one of its limits, and one that does not is held as far as these allow; between events by its
               mode (row_events.py)
"""

from __future__ import annotations

from typing import Any

from redmax.constraints.traced_rows import FAR
from redmax.dynamics.common.islands import Island
from redmax.math import sqrt, where
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.solvers.box_complementarity import BOUNDLESS, TURNS, find_held, in_box
from redmax.solvers.reduced_matrix import clear, copy
from redmax.solvers.semidefinite import eliminate_largest, scale_rows

HELD, LOWER, UPPER = 1.0, 2.0, 3.0  # modes
WORLD = {"row_within": 1}  # s: how long a moment is, see `catch`
ROUNDED, NOTHING = 1e-9, 1e-12  # slip that roundings leave, as a part of all rates, and at rest
CLOSED = 1e-9  # g (m, rad) that counts as zero


@routine
def only_push(lower: Vector, upper: Vector, n: Whole) -> None:
    """Bounds of rows that push without limit."""
    lower[0:n] = 0.0
    upper[0:n] = FAR


@routine
def stand_by_modes(mode: Vector, lower: Vector, upper: Vector, held: Vector, bound: Vector, n: Whole) -> None:
    """Which rows are held, and where the others are."""
    for k in range(n):
        held[k] = where(abs(mode[k] - HELD) < 0.5, 1.0, 0.0)
        bound[k] = where(mode[k] > UPPER - 0.5, upper[k], where(mode[k] > LOWER - 0.5, lower[k], 0.0))


@routine
def all_held(held: Vector, m: Whole) -> None:
    """All rows are, but for those of which more is known."""
    held[0:m] = 1.0


@routine
def catch(
    A: Matrix, lower: Vector, upper: Vector, slip: Vector, gap: Vector, caught: Vector, first: Whole, n: Whole, m: Whole, sided: Whole,
    within: Vector, speed: Vector,
) -> None:  # fmt: skip
    """Which slips count as zero: those that the forces of rows could change as much within a moment; none of rows that are open."""
    for k in range(n):
        stopping = where(slip[k] > 0.0, -lower[first + k], upper[first + k])
        change = A[first + k, first + k] * stopping
        for j in range(m):
            most = where(upper[j] > -lower[j], upper[j], -lower[j])
            change += abs(A[first + k, j]) * where(most < BOUNDLESS, where(abs(j - first - k) > 0, most, 0.0), 0.0)
        small = within[0] * change + ROUNDED * sqrt(speed[0]) + NOTHING
        caught[k] = where(abs(slip[k]) <= small, 1.0, 0.0)
        if sided > 0:
            caught[k] = where(gap[k] <= CLOSED, caught[k], 0.0)


@routine
def keep_slipping(slip: Vector, gap: Vector, caught: Vector, lower: Vector, upper: Vector, n: Whole, sided: Whole) -> None:
    """The limit at which rows are that slip, as both of their bounds; that of open rows is zero."""
    for k in range(n):
        forward = where(slip[k] > 0.0, 1.0, 0.0)
        if sided > 0:
            forward = where(gap[k] <= CLOSED, forward, 1.0)
        upper[k] = where(caught[k] > 0.0, upper[k], where(forward > 0.0, lower[k], upper[k]))
        lower[k] = where(caught[k] > 0.0, lower[k], upper[k])


@routine
def take_limited_modes(held: Vector, bound: Vector, lower: Vector, upper: Vector, mode: Vector, n: Whole) -> None:
    """From how lambda of accelerations was found."""
    for k in range(n):
        mode[k] = where(held[k] > 0.0, HELD, where(bound[k] <= lower[k], LOWER, UPPER))


def vectors(i: Island, *names: str) -> list[Data]:
    """As long as there are rows."""
    return [i.data(name, i.m) for name in names]


def bounds(i: Island) -> tuple[ProgramStage, ...]:
    """What lambda is between, of rows that have bounds."""
    lower, upper = vectors(i, "lower", "upper")
    given, pushing = [r for r in i.rows if r.kept.limited], [r for r in i.rows if r.one_sided and not r.kept.limited]

    def told(at: Addresses) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for r in given:
            kept = at.kept(r.acting, r.k)
            found += [(kept + r.kept.lower, at[lower] + r.first, r.kept.size), (kept + r.kept.upper, at[upper] + r.first, r.kept.size)]
        return found

    rest = lambda at: [(at[lower] + r.first, at[upper] + r.first, r.kept.size) for r in pushing]  # noqa: E731
    return Call(copy, told, (lower, upper)), *([Call(only_push, rest, (lower, upper))] if pushing else [])


def room(i: Island) -> tuple[Data, ...]:
    """A, F, b, x, and what the solvers need, as far as `bound`."""
    m = i.m
    names = ("right", "lambda", "left", "y", "z", "scale", "active", "bound")
    return i.A, i.data("F", m, m), *vectors(i, *names)


def boxed(i: Island) -> tuple[ProgramStage, ...]:
    """lambda within its bounds, complementary to what rows do beyond what is asked for."""
    lower, upper, order, wrong = vectors(i, "lower", "upper", "order", "wrong")
    row = (*room(i), lower, upper, order, i.data("rank", 1), wrong, i.data("turns", TURNS))
    return (Call(in_box, lambda at: [(*row, i.free, i.m)], row),)


def without_impulses(i: Island) -> tuple[ProgramStage, ...]:
    """Impulses of impacts, in which rows with limited forces have no part."""
    lower, upper = vectors(i, "lower", "upper")
    rows = lambda at: [(at[v] + r.first, r.kept.size) for r in i.rows if r.kept.limited for v in (lower, upper)]  # noqa: E731
    return *bounds(i), Call(clear, rows, (lower, upper)), *boxed(i)


def left_out(i: Island) -> tuple[ProgramStage, ...]:
    """The elimination of rows that act, without those whose force is limited."""
    A, F, rank, (held, scale, order) = i.A, i.data("F", i.m, i.m), i.data("rank", 1), vectors(i, "active", "scale", "order")
    rows = lambda at: [(at[held] + r.first, r.kept.size) for r in i.rows if r.kept.limited]  # noqa: E731
    return (
        Call(clear, rows, (held,)),
        Call(scale_rows, lambda at: [(A, F, scale, held, order, i.m)], (A, F, scale, held, order)),
        Call(eliminate_largest, lambda at: [(F, order, rank, i.m)], (F, order, rank)),
    )


def by_modes(i: Island) -> tuple[ProgramStage, ...]:
    """lambda of the rows that are held, with the others at their bounds; of rows that push without limit, mode 0 is their bound."""
    held, bound, lower, upper, order = vectors(i, "active", "bound", "lower", "upper", "order")
    row = (*room(i), order, i.data("rank", 1))

    def modes(at: Addresses) -> list[tuple[Any, ...]]:
        rows = [r for r in i.rows if r.bounded]
        places = [[at[v] + r.first for v in (lower, upper, held, bound)] for r in rows]
        return [(at.kept(r.acting, r.k) + r.kept.mode, *place, r.kept.size) for r, place in zip(rows, places, strict=True)]

    stand = Call(stand_by_modes, modes, (lower, upper, held, bound))
    return *bounds(i), Call(all_held, lambda at: [(held, i.m)], (held,)), stand, Call(find_held, lambda at: [(*row, i.free, i.m)], row)


def decided(i: Island) -> tuple[ProgramStage, ...]:
    """lambda of accelerations: rows that slip are at their limits, and those whose slip is caught are held if that suffices."""
    lower, upper = vectors(i, "lower", "upper")
    rows = [r for r in i.rows if r.kept.limited]

    def caught(at: Addresses) -> list[tuple[Any, ...]]:
        kept = [(r, at.kept(r.acting, r.k)) for r in rows]
        flags = at.world("row_within"), at.world("row_speed")
        return [
            (i.A, lower, upper, k + r.kept.slip, k + r.kept.gap, k + r.kept.caught, r.first, r.kept.size, i.m, int(r.one_sided), *flags)
            for r, k in kept
        ]

    def ends(at: Addresses) -> list[tuple[Any, ...]]:
        kept = [(r, at.kept(r.acting, r.k)) for r in rows]
        return [
            (k + r.kept.slip, k + r.kept.gap, k + r.kept.caught, at[lower] + r.first, at[upper] + r.first, r.kept.size, int(r.one_sided))
            for r, k in kept
        ]

    return *bounds(i), Call(catch, caught, (i.A, lower, upper)), Call(keep_slipping, ends, (lower, upper)), *boxed(i)


def modes(i: Island) -> Call:
    """Which rows are held from now on, and at which limit the others are."""
    held, bound = vectors(i, "active", "bound")

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for r in (r for r in i.rows if r.kept.limited):
            kept, k, places = at.kept(r.acting, r.k), r.kept, [at[v] + r.first for v in (held, bound)]
            found.append((*places, kept + k.lower, kept + k.upper, kept + k.mode, k.size))
        return found

    return Call(take_limited_modes, rows, (held, bound))
