"""Rows that only push, in a motion that is smooth between events: each acts as an equality or not at all, by its mode, until an event.

    off:  g >= 0, and nothing acts;    an event where g would pass zero
    on:   g = 0, lambda >= 0;          an event where lambda would

At an event the state is put on the rows, those that are closed stop what would pass them (an inelastic impact: gdot+ >= 0, impulses >= 0,
one of them zero), and those act from then on that accelerations would pass: gddot >= 0, lambda >= 0, one of them zero (Pfeiffer and Glocker
1996, Secs. 6 and 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.constraints.law import FAR
from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_projection import Projection
from redmax.dynamics.common.rows import RowSystem, asked, asked_of, complementarity
from redmax.math import where
from redmax.program.program import ProgramStage
from redmax.program.record import WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.program.sweep import once, recursion

WORLD = {"row_event": 1, "row_largest": 1}
CLOSED, STILL = 1e-9, 1e-9  # g (m, rad) and gdot (per s) that count as zero once the state has been put on the rows
PASSED, PULLED = 1e-13, 1e-10  # what g is below zero, and lambda as a part of the largest, that is no event


@routine
def find_largest(x: Vector, n: Whole, largest: Vector) -> None:
    """largest = max(largest, |x|)."""
    for k in range(n):
        largest[0] = max(largest[0], abs(x[k]))


@routine
def notice(g: Vector, x: Vector, mode: Vector, n: Whole, largest: Vector, event: Vector) -> None:
    """Whether rows that are off are passed, or rows that are on pull."""
    for k in range(n):
        passed = where(g[k] < -PASSED, 1.0, 0.0)
        pulls = where(x[k] < -PULLED * largest[0], 1.0, 0.0)
        event[0] = max(event[0], where(mode[k] > 0.0, pulls, passed))


@routine
def stop(g: Vector, gdot: Vector, b: Vector, n: Whole, sided: Whole) -> None:
    """b = -gdot of equalities, and of other rows that are closed."""
    for k in range(n):
        b[k] = -gdot[k]
        if sided > 0:
            b[k] = where(g[k] <= CLOSED, b[k], -FAR)


@routine
def keep_closed(g: Vector, gdot: Vector, b: Vector, n: Whole) -> None:
    """Of accelerations nothing is asked by rows that are open, or opening."""
    for k in range(n):
        b[k] = where(g[k] <= CLOSED, where(gdot[k] <= STILL, b[k], -FAR), -FAR)


@routine
def take_modes(x: Vector, mode: Vector, n: Whole) -> None:
    """Rows that push are on."""
    for k in range(n):
        mode[k] = where(x[k] > 0.0, 1.0, 0.0)


@once
def no_event(w: WorldView) -> None:
    w.row_event, w.row_largest = 0.0, 0.0


begin_notice = recursion(no_event, name="no event")


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
            for r in (r for r in every if r.one_sided):
                kept, k = at.kept(r.acting, r.k), r.kept
                flags = at.world("row_largest"), at.world("row_event")
                found.append((kept + k.gap, kept + k.multipliers, kept + k.mode, k.size, *flags))
            return found

        return begin_notice, Call(find_largest, sizes), Call(notice, rows)

    def impacts(self) -> tuple[ProgramStage, ...]:
        """Rates after what rows stop; q is on them."""
        rates = Projection(self.rows.model).of_rates
        found: list[ProgramStage] = [*rates.factors()]
        for i in rates.islands:
            found += [*rates.columns(i), *self.stopped(i), *complementarity(i), *rates.accelerations(i)]
        return tuple(found)

    def modes_anew(self) -> tuple[ProgramStage, ...]:
        """Which rows act from now on."""
        found: list[ProgramStage] = [*self.free, *self.rows.terms(factors=True)]
        for i in self.pushing:
            found += [*self.rows.columns(i), *asked(i), *self.kept_closed(i), *complementarity(i), *self.modes(i)]
        return tuple(found)

    def stopped(self, i: Island) -> tuple[ProgramStage, ...]:
        """What impacts ask for."""
        b = asked_of(i)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k)) for r in i.rows]
            return [(k + r.kept.gap, k + r.kept.rate, at[b] + r.first, r.kept.size, int(r.one_sided)) for r, k in kept]

        return (Call(stop, rows, (b,)),)

    def kept_closed(self, i: Island) -> tuple[ProgramStage, ...]:
        """What closed rows ask of accelerations."""
        b = asked_of(i)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            kept = [(r, at.kept(r.acting, r.k)) for r in i.rows if r.one_sided]
            return [(k + r.kept.gap, k + r.kept.rate, at[b] + r.first, r.kept.size) for r, k in kept]

        return (Call(keep_closed, rows, (b,)),)

    def modes(self, i: Island) -> tuple[ProgramStage, ...]:
        """Which rows act from now on."""
        x, sided = i.multipliers, [r for r in i.rows if r.one_sided]
        rows = lambda at: [(at[x] + r.first, at.kept(r.acting, r.k) + r.kept.mode, r.kept.size) for r in sided]  # noqa: E731
        return (Call(take_modes, rows, (x,)),)
