"""Rows that only push, in a motion that is smooth between events: each acts as an equality or not at all, by its mode, until an event.

    off:  g >= 0, and nothing acts;    an event where g would pass zero
    on:   g = 0, lambda >= 0;          an event where lambda would
    held: s = 0, lambda between limits; an event where lambda would leave them     (limited_rows.py)
    slipping: lambda at a limit;       an event where s would pass zero

At an event the state is put on the rows, those that are closed stop what would pass them (an inelastic impact: gdot+ >= 0, impulses >= 0,
one of them zero), and those act from then on that accelerations would pass: gddot >= 0, lambda >= 0, one of them zero (Pfeiffer and Glocker
1996, Secs. 6 and 8). Rows that give way have no modes: what they exert changes little at once, and stops nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.constraints.traced_rows import FAR
from redmax.dynamics.common import limited_rows
from redmax.dynamics.common.impulses import of_event
from redmax.dynamics.common.islands import Island, Rows
from redmax.dynamics.common.limited_rows import HELD, UPPER
from redmax.dynamics.common.row_projection import projection_of
from redmax.dynamics.common.rows import RowSystem, asked, asked_of, complementarity, solved
from redmax.dynamics.common.soft_rows import exerted, without_soft
from redmax.math import sqrt, where
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.program.sweep import Part, forward, once, recursion

WORLD = {"row_event": 1, "row_largest": 1, "row_speed": 1, "row_usual": 1}
CLOSED = 1e-9  # g (m, rad) that counts as zero once the state has been put on the rows
STILL = 1e-6  # gdot that does, relative to the rates of the whole: impacts that follow each other ever faster end there
PASSED, GRAZED = 1e-13, 1e-10  # what g is below zero that is no event, of rows that close, and of rows that hardly move
PULLED = 1e-10  # what lambda is, as a part of the largest
SLIPPED, BACK = 1e-12, 1e-13  # slip the other way that is no event, as a part of all rates, and at rest
MOMENT = 2e-10  # s: ten times as long as it is known when an event was


@routine
def find_largest(x: Vector, n: Whole, largest: Vector) -> None:
    """largest = max(largest, |x|)."""
    for k in range(n):
        largest[0] = max(largest[0], abs(x[k]))


@routine
def notice(g: Vector, gdot: Vector, x: Vector, mode: Vector, n: Whole, largest: Vector, speed: Vector, event: Vector) -> None:
    """Whether rows that are off are passed, or rows that are on pull. Those that hardly move may lie on zero, to roundings."""
    for k in range(n):
        grazing = where(gdot[k] < -STILL * sqrt(speed[0]), PASSED, GRAZED)
        passed = where(g[k] < -grazing, 1.0, 0.0)
        pulls = where(x[k] < -PULLED * largest[0], 1.0, 0.0)
        event[0] = max(event[0], where(mode[k] > 0.0, pulls, passed))


@routine
def notice_limited(
    slip: Vector, g: Vector, x: Vector, mode: Vector, lower: Vector, upper: Vector, n: Whole, sided: Whole, largest: Vector, speed: Vector,
    event: Vector,
) -> None:  # fmt: skip
    """Whether rows that are held exert more than they can, or rows that slip would slip the other way."""
    small = SLIPPED * sqrt(speed[0]) + BACK
    for k in range(n):
        beyond = max(lower[k] - x[k], x[k] - upper[k])
        forward = where(slip[k] < -small, 1.0, 0.0)
        if sided > 0:
            forward = where(g[k] < -PASSED, forward, 0.0)
        turned = where(mode[k] > UPPER - 0.5, where(slip[k] > small, 1.0, 0.0), forward)
        event[0] = max(event[0], where(mode[k] > HELD + 0.5, turned, where(beyond > PULLED * largest[0], 1.0, 0.0)))


@routine
def still_caught(slip: Vector, caught: Vector, b: Vector, active: Vector, n: Whole) -> None:
    """b = -s of rows that were caught."""
    for k in range(n):
        b[k] = -slip[k]
        active[k] = caught[k]


@routine
def stop(g: Vector, gdot: Vector, b: Vector, n: Whole, sided: Whole) -> None:
    """b = -gdot of equalities, and of other rows that are closed."""
    for k in range(n):
        b[k] = -gdot[k]
        if sided > 0:
            b[k] = where(g[k] <= CLOSED, b[k], -FAR)


@routine
def keep_closed(g: Vector, gdot: Vector, b: Vector, n: Whole, speed: Vector) -> None:
    """Of accelerations nothing is asked by rows that are open, or opening."""
    for k in range(n):
        b[k] = where(g[k] <= CLOSED, where(gdot[k] <= STILL * sqrt(speed[0]), b[k], -FAR), -FAR)


@routine
def ask_still(gdot: Vector, mode: Vector, b: Vector, active: Vector, n: Whole, sided: Whole) -> None:
    """b = -gdot of equalities, and of rows that are on."""
    for k in range(n):
        b[k] = -gdot[k]
        active[k] = 1.0
        if sided > 0:
            active[k] = mode[k]


@routine
def take_modes(x: Vector, mode: Vector, n: Whole) -> None:
    """Rows that push are on."""
    for k in range(n):
        mode[k] = where(x[k] > 0.0, 1.0, 0.0)


@once
def no_event(w: WorldView) -> None:
    w.row_event, w.row_largest = 0.0, 0.0


@once
def clear_speed(w: WorldView) -> None:
    w.row_speed = 0.0


@once
def set_moment(w: WorldView) -> None:
    w.row_within = MOMENT


@forward
def add_speed(j: JointView, w: WorldView) -> None:
    if j.joint.dof:
        w.gather("row_speed", j.qdot @ j.qdot)


@once
def forget_gain(w: WorldView) -> None:
    """Which rows act is decided by accelerations alone, not by what is taken back of drift."""
    w.row_usual, w.row_gain = w.row_gain, 0.0


@once
def recall_gain(w: WorldView) -> None:
    w.row_gain = w.row_usual


begin_notice = recursion(no_event, name="no event")
without_gain, with_gain = recursion(forget_gain, name="no gain"), recursion(recall_gain, name="gain")
moment = recursion(set_moment, name="moment of an event")
begin_speed, measure_speed = recursion(clear_speed, name="no speed"), recursion(add_speed, name="speed")


@dataclass(frozen=True, eq=False)
class Events:
    """Of the rows of a model. rows: at the level of accelerations; free: accelerations without rows."""

    rows: RowSystem
    free: tuple[ProgramStage, ...]

    @property
    def pushing(self) -> list[Island]:
        """The islands that have such rows."""
        return [i for i in self.rows.islands if i.free < i.m]

    def noticed(self) -> tuple[ProgramStage, ...]:
        """row_event, from rows as they were filled and solved last."""
        every = [r for i in self.rows.islands for r in i.rows]

        def sizes(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at.kept(r.acting, r.k) + r.kept.multipliers, r.kept.size, at.world("row_largest")) for r in every]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in (r for r in every if r.pushes):
                kept, k = at.kept(r.acting, r.k), r.kept
                flags = at.world("row_largest"), at.world("row_speed"), at.world("row_event")
                found.append((kept + k.gap, kept + k.rate, kept + k.multipliers, kept + k.mode, k.size, *flags))
            return found

        limited = [r for r in every if r.kept.limited]
        seen = [Call(notice_limited, lambda at: [limited_row(at, r) for r in limited])] if limited else []
        return begin_notice, Call(find_largest, sizes), Call(notice, rows), *seen

    def impacts(self) -> tuple[ProgramStage, ...]:
        """Rates after what rows stop; q is on them."""
        rates = projection_of(self.rows.model).of_rates
        found: list[ProgramStage] = [begin_speed, measure_speed, *rates.factors()]
        for i in rates.islands:
            solve = limited_rows.without_impulses(i) if i.limited else complementarity(i)
            found += [*rates.columns(i), *self.stopped(i), *solve, *of_event(rates.model, i), *rates.accelerations(i)]
        return tuple(found)

    def stilled(self) -> tuple[ProgramStage, ...]:
        """Rates with which rows that are on stay so: what is left of their own, which is little, is taken from them."""
        rates = projection_of(self.rows.model).of_rates
        found: list[ProgramStage] = [*rates.factors()]
        for i in rates.islands:
            found += [*rates.columns(i), *self.asked_still(i), *solved(i, Part.POSITION_ROWS), *rates.accelerations(i)]
        return tuple(found)

    def asked_still(self, i: Island) -> tuple[ProgramStage, ...]:
        """What is asked of them."""
        b, active = asked_of(i), i.data("active", i.m)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k), r.kept) for r in i.rows if not r.kept.limited]
            return [(k + at_.rate, k + at_.mode, at[b] + r.first, at[active] + r.first, at_.size, int(r.one_sided)) for r, k, at_ in kept]

        def limited(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k), r.kept) for r in i.rows if r.kept.limited]
            return [(k + at_.slip, k + at_.caught, at[b] + r.first, at[active] + r.first, at_.size) for r, k, at_ in kept]

        caught = [Call(still_caught, limited, (b, active))] if i.limited else []
        return Call(ask_still, rows, (b, active)), *caught, *without_soft(i)

    def modes_anew(self) -> tuple[ProgramStage, ...]:
        """Which rows act from now on."""
        known = [moment] if any(i.limited for i in self.pushing) else []
        found: list[ProgramStage] = [*known, *self.free, without_gain, *self.rows.terms(factors=True), with_gain]
        for i in self.pushing:
            solve = limited_rows.decided(i) if i.limited else complementarity(i)
            found += [*self.rows.columns(i), *asked(i), *self.kept_closed(i), *exerted(i), *solve, *self.modes(i)]
        return tuple(found)

    def stopped(self, i: Island) -> tuple[ProgramStage, ...]:
        """What impacts ask for."""
        b = asked_of(i)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k)) for r in i.rows]
            return [(k + r.kept.gap, k + r.kept.rate, at[b] + r.first, r.kept.size, int(r.one_sided)) for r, k in kept]

        return Call(stop, rows, (b,)), *without_soft(i)

    def kept_closed(self, i: Island) -> tuple[ProgramStage, ...]:
        """What closed rows ask of accelerations."""
        b = asked_of(i)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k)) for r in i.rows if r.pushes]
            return [(k + r.kept.gap, k + r.kept.rate, at[b] + r.first, r.kept.size, at.world("row_speed")) for r, k in kept]

        return (Call(keep_closed, rows, (b,)),)

    def modes(self, i: Island) -> tuple[ProgramStage, ...]:
        """Which rows act from now on."""
        x, sided = i.multipliers, [r for r in i.rows if r.pushes]
        rows = lambda at: [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.mode, r.kept.size) for r in sided]  # noqa: E731
        return Call(take_modes, rows, (x,)), *([limited_rows.modes(i)] if i.limited else [])


def limited_row(at: Addresses, r: Rows) -> tuple[Any, ...]:
    """What tells of an event, of the rows of a constraint with limited force."""
    kept, k = at.kept(r.acting, r.k), r.kept
    flags = at.world("row_largest"), at.world("row_speed"), at.world("row_event")
    return (*(kept + p for p in (k.slip, k.gap, k.multipliers, k.mode, k.lower, k.upper)), k.size, int(r.one_sided), *flags)
