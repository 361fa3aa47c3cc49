"""Coordinates and rates put on the constraints by the least change there is, measured by kinetic energy, as stages of a program.

    dq = -M^-1 G' (G M^-1 G')^-1 g      again until g is as small as roundings leave it;   q <- q + dq
    qdot -= M^-1 G' (G M^-1 G')^-1 gdot

(Hairer, Lubich, Wanner, Geometric Numerical Integration, Sec. IV.4; in the kinetic metric the change is what an impulse of the
constraints would do.) Rows with a gain or compliance of their own have no part in it, rows of velocities in rates alone, and one-sided
rows in positions alone, while they are violated. Rows that repeat others are met by meeting those.

How far a row is off is relative to the size L of the mechanism: |g| / |(T, L F, D)|, with the torques T and forces F of its wrenches and
what it does to coordinates, D: a number without a unit, whatever g is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.closing import follow
from redmax.dynamics.common.islands import Island, Rows
from redmax.dynamics.common.rows import RowSystem, solved
from redmax.dynamics.recursive.rows import RowsAlongTree
from redmax.math import sqrt, where
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Places, Vector, Whole, Wholes
from redmax.program.sweep import Part, Recursion, forward, once, recursion

STATE: dict[str, Any] = {"row_dq": "v"}
WORLD = {f"row_{name}": 1 for name in ("gain", "ahead", "size", "near", "off", "last", "turns", "going", "closed", "lost")}
LOST = 1e-5  # what is not closed nearer than this is not closed
CLOSED = 1e-13  # how far rows may be off, relative to the mechanism's size
NEAR = 0.25  # of the drift that is allowed: gaps below need no closer look
MOST_TURNS, FASTER = 10.0, 0.5  # of Newton's method; a turn that leaves more than this of what was off has met roundings


@routine
def find_sizes(W: Vector, D: Places, n: Whole, bodies: Whole, dofs: Wholes, joints: Whole, L: Vector, size: Vector) -> None:
    """|(T, L F, D)| of the rows of one constraint; 1 of a row that is zero."""
    for k in range(n):
        square = 0.0
        for b in range(bodies):
            first = 6 * (n * b + k)
            for i in range(3):
                square += W[first + i] * W[first + i] + (L[0] * W[first + 3 + i]) * (L[0] * W[first + 3 + i])
        for j in range(joints):
            for c in range(dofs[j]):
                square += D[j][dofs[j] * k + c] * D[j][dofs[j] * k + c]
        size[k] = sqrt(where(square > 0.0, square, 1.0))


@routine
def glance(g: Vector, n: Whole, near: Vector, going: Vector) -> None:
    """Whether some gap is beyond what is near."""
    for k in range(n):
        going[0] = where(abs(g[k]) > near[0], 1.0, going[0])


@routine
def find_worst(g: Vector, size: Vector, n: Whole, sided: Whole, off: Vector) -> None:
    """off = max(off, |g| / size) over the rows of one constraint; of a one-sided one, where g < 0."""
    for k in range(n):
        gap = where(g[k] < 0.0, -g[k], where(sided > 0, 0.0, g[k]))
        off[0] = max(off[0], gap / size[k])


@routine
def ask_positions(g: Vector, b: Vector, active: Vector, n: Whole, taking: Whole, sided: Whole) -> None:
    """b = -g of rows that take part."""
    for k in range(n):
        b[k] = -g[k]
        active[k] = where(taking > 0, where(sided > 0, where(g[k] < 0.0, 1.0, 0.0), 1.0), 0.0)


@routine
def ask_rates(gdot: Vector, b: Vector, active: Vector, n: Whole, taking: Whole, sided: Whole) -> None:
    """b = -gdot of rows that take part; what rows that only push do to rates, steps and impacts say."""
    for k in range(n):
        b[k] = -gdot[k]
        active[k] = where(taking > 0, where(sided > 0, 0.0, 1.0), 0.0)


@once
def begin_turns(w: WorldView) -> None:
    w.row_turns, w.row_last, w.row_closed = 0.0, 1e300, 0.0


@once
def clear_going(w: WorldView) -> None:
    w.row_going = 0.0


@once
def clear_off(w: WorldView) -> None:
    w.row_off = 0.0


@once
def judge(w: WorldView) -> None:
    """Whether another turn of Newton's method makes the rows better."""
    w.row_turns = w.row_turns + 1.0
    going = (w.row_off > CLOSED) & (w.row_off < FASTER * w.row_last) & (w.row_turns <= MOST_TURNS)
    w.row_going = where(going, 1.0, 0.0)
    w.row_closed = 1.0 - w.row_going
    w.row_last = w.row_off


@once
def give_up(w: WorldView) -> None:
    """Where Newton's method does not close the rows, nobody knows where the mechanism goes on."""
    w.row_lost = where(w.row_off > LOST, np.nan, 0.0)


@forward
def mark_lost(j: JointView, w: WorldView) -> None:
    j.qdot = j.qdot + w.row_lost


@forward
def clear_change(j: JointView) -> None:
    j.row_dq = 0.0 * j.qdot


@forward
def change(j: JointView) -> None:
    j.q = j.joint.retract(j.q, j.row_dq)


def own(sweep: Any) -> Recursion:
    """A recursion of this file."""
    return recursion(sweep, name=f"projection {sweep.name}")


@lru_cache(maxsize=64)
def noting_size(size: float, drift: float) -> Recursion:
    """The mechanism's size, and from which gap on rows are measured, where routines find them."""

    @once
    def note_size(w: WorldView) -> None:
        w.row_size, w.row_near = size, NEAR * drift * min(size, 1.0)

    return own(note_size)


@dataclass(frozen=True, eq=False)
class Projection:
    """Of the rows of a model. sided: of those too that only push, which fixed steps see to by themselves."""

    model: Model
    sided: bool = True

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """The rows that have a part in it."""
        every = self.rows.islands
        return every if self.sided else tuple(i.equal for i in every if i.free)

    @cached_property
    def rows(self) -> RowSystem:
        """How positions are changed."""
        return self.system("row_dq")

    @cached_property
    def of_rates(self) -> RowSystem:
        """How rates are."""
        return self.system("qdot")

    def system(self, target: str) -> RowSystem:
        """Whose multipliers change this."""
        return RowsAlongTree(self.model, Part.POSITION_ROWS, target)

    def placed(self) -> tuple[ProgramStage, ...]:
        """What comes before all else where coordinates have changed."""
        return ()

    def moved(self, sweep: Any) -> Recursion:
        """A sweep over what the coordinates belong to that are changed."""
        return own(sweep)

    def taking(self, r: Rows, rates: bool) -> bool:
        """Whether a constraint has a part in it."""
        c = self.model.constraints[r.number]
        return c.automatic and not c.compliant and (rates or not c.of_velocities)

    def begin(self, drift: float = 0.0) -> tuple[ProgramStage, ...]:
        """Once in a program."""
        return (noting_size(mechanism_size(self.model), drift),)

    def measured(self) -> tuple[ProgramStage, ...]:
        """row_off: how far rows are off, as they were filled last."""
        taking = [(i, r) for i in self.islands for r in i.rows if self.taking(r, False)]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            places = [(r, at.kept(r.acting, r.k) + r.kept.gap, at[i.sizes] + r.first) for i, r in taking]
            return [(gap, size, r.kept.size, int(r.one_sided), at.world("row_off")) for r, gap, size in places]

        return *self.sized(), own(clear_off), Call(find_worst, rows, tuple(i.sizes for i in self.islands))

    def glanced(self) -> tuple[ProgramStage, ...]:
        """row_going: whether a gap is so large that it is worth measuring, as they were filled last."""
        taking = [r for i in self.islands for r in i.rows if self.taking(r, False)]
        flags = lambda at: (at.world("row_near"), at.world("row_going"))  # noqa: E731
        rows = lambda at: [(at.kept(r.acting, r.k) + r.kept.gap, r.kept.size, *flags(at)) for r in taking]  # noqa: E731
        return own(clear_going), Call(glance, rows)

    def sized(self) -> tuple[ProgramStage, ...]:
        """What gaps are measured by, of each row."""

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for sizes, r in [(i.sizes, r) for i in self.islands for r in i.rows]:
                kept, k = at.kept(r.acting, r.k), r.kept
                slopes = [kept + k.slope(j) for j in range(len(k.dofs))]
                row = (kept + k.wrench(0), slopes, k.size, k.bodies, list(k.dofs), len(k.dofs))
                found.append((*row, at.world("row_size"), at[sizes] + r.first))
            return found

        return (Call(find_sizes, rows, tuple(i.sizes for i in self.islands)),)

    def stages(self) -> tuple[ProgramStage, ...]:
        """Positions, then rates."""
        islands = self.islands
        step = [self.moved(clear_change)]
        for i in islands:
            step += [*self.rows.columns(i), *self.asked(i, False), *solved(i, Part.POSITION_ROWS), *self.rows.accelerations(i)]
        known, moved = (*self.placed(), *follow(self.model)), Branch("row_going", (*step, self.moved(change)))
        turn = (*known, *self.rows.factors(), *self.measured(), own(judge), moved)
        found: list[ProgramStage] = [own(begin_turns), Repeat(turn, until="row_closed"), own(give_up), self.moved(mark_lost)]
        for i in islands:
            found += [*self.of_rates.columns(i), *self.asked(i, True), *solved(i, Part.POSITION_ROWS), *self.of_rates.accelerations(i)]
        return tuple(found)

    def asked(self, i: Island, rates: bool) -> list[ProgramStage]:
        """What is asked of the rows of an island, and which take part."""
        b, active = i.data("right", i.m), i.data("active", i.m)

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in i.rows:
                kept, sided = at.kept(r.acting, r.k), int(r.one_sided)
                given = (kept + (r.kept.rate if rates else r.kept.gap),)
                found.append((*given, at[b] + r.first, at[active] + r.first, r.kept.size, int(self.taking(r, rates)), sided))
            return found

        return [Call(ask_rates if rates else ask_positions, rows, (b, active))]


def projection_of(model: Model, sided: bool = True) -> Projection:
    """Of the coordinates of the joints, or of those that these follow from."""
    if model.map is None:
        return Projection(model, sided)
    from redmax.dynamics.redmax.rows_through_map import ProjectionThroughMap

    return ProjectionThroughMap(model, sided)
