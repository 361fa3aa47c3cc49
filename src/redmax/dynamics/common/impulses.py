"""Impulses of impacts, added up for each row: what limits and ropes that close take away from a motion at once, and loops pass on.

    A p = -gdot          at an event of `adaptive`, of the rows that stop (row_events.py)
    A p = -(gdot + g/h)  in a step of `euler` and `implicit`, of rows that push: what they approach with, in this step, that must end; where
                         that is more than a row turns in a step, which gdot of one that was met already has, 2 h (qdot' g'' qdot);
                         nothing of a row that has pushed in the two steps before: it is at rest, and G turns with joints as well

p is an impulse, A = G M^-1 G'; equalities of the same island have p too, with nothing asked of them. The rest of a step's h lambda is what
forces take, as after the impact; of a row that rests, p is zero. row_impulse: the sum since the program began; row_struck: the time of the
last one, of each row; of a step, its end. Rows that give way, by compliance or at limits of their force, have no impulses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from redmax.dynamics.common import limited_rows
from redmax.dynamics.common.islands import Island
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Program, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.solvers.reduced_matrix import clear
from redmax.solvers.semidefinite import solve_ranked

OUTPUTS = ("row_impulse", "row_struck")
PUSHING = ("row_pushed", "row_pushed_at")  # in how many steps without a break each row has pushed, and the time of the last of them


def world(model: Model) -> dict[str, int]:
    """The fields of the world that they need: none where all rows hold both ways."""
    return dict.fromkeys((*OUTPUTS, *PUSHING), model.row_count) if any(c.one_sided for c in model.constraints) else {}


@routine
def stop_approach(
    approach: Vector, x: Vector, b: Vector, n: Whole, sided: Whole, pushed: Vector, last: Vector, t: Vector, h: Vector
) -> None:
    """b = what rows that push, x > 0, are approached with; nothing of others, nor of those that have been at rest."""
    for k in range(n):
        b[k] = 0.0
        if sided > 0:
            pushed[k] = where(x[k] > 0.0, 1.0 + where(t[0] - last[k] < 1.5 * h[0], pushed[k], 0.0), 0.0)
            last[k] = where(x[k] > 0.0, t[0], last[k])
            struck = where(pushed[k] > 0.0, where(pushed[k] < 2.5, 1.0, 0.0), 0.0)
            b[k] = where(approach[k] < 0.0, -approach[k] * struck, 0.0)


@routine
def note_end(end: Vector, t: Vector, h: Vector, ahead: Vector) -> None:
    """The time at which a step ends; ahead: by how much t is later than where it began."""
    end[0] = t[0] + h[0] - ahead[0]


@routine
def add_impulse(p: Vector, n: Whole, total: Vector, struck: Vector, t: Vector) -> None:
    """total += p; struck: when, of rows that have one."""
    for k in range(n):
        total[k] += p[k]
        struck[k] = where(abs(p[k]) > 0.0, t[0], struck[k])


def noted(model: Model, i: Island, impulses: Data, end: Data | None = None) -> Call:
    """Impulses of an island, by rows. end: when they were, if not now."""

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        first = {r.number: int(model.row_offsets[r.number]) for r in i.rows}
        places = [(r, at.world("row_impulse") + first[r.number], at.world("row_struck") + first[r.number]) for r in i.rows]
        when = at.world("t") if end is None else at[end]
        return [(at[impulses] + r.first, r.kept.size, total, struck, when) for r, total, struck in places]

    return Call(add_impulse, rows, (impulses,) if end is None else (impulses, end))


@routine
def if_some_push(x: Vector, p: Vector, free: Whole, m: Whole) -> None:
    """p = x if a row that only pushes does, else zero: what equalities take alone is rounding."""
    some = 0.0
    for k in range(free, m):
        some = where(x[k] > 0.0, 1.0, some)
    for k in range(m):
        p[k] = where(some > 0.0, x[k], 0.0)


def of_event(model: Model, i: Island) -> tuple[ProgramStage, ...]:
    """Those of an event: the multipliers of rates."""
    if not world(model):
        return ()
    x, p = i.multipliers, i.data("impulse", i.m)
    return Call(if_some_push, lambda at: [(x, p, i.free, i.m)], (x, p)), noted(model, i, p)


def of_step(model: Model, i: Island) -> tuple[ProgramStage, ...]:
    """Those of a step, from what complementarity left: its last elimination, and x of rows that push."""
    if not world(model):
        return ()
    F, b, x, rank = i.data("F", i.m, i.m), i.data("approach", i.m), i.multipliers, i.data("rank", 1)
    p, z, scale, order = (i.data(name, i.m) for name in ("impulse", "z", "scale", "order"))
    end, step = i.data("end", 1), ("t", "h")

    def approaches(at: Addresses) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for r in i.rows:
            first = int(model.row_offsets[r.number])
            before = [at.world(name) + first for name in PUSHING]
            rows = at.kept(r.acting, r.k) + r.kept.rate, at[x] + r.first, at[b] + r.first, r.kept.size, int(r.pushes)
            found.append((*rows, *before, *[at.world(name) for name in step]))
        return found

    return (
        *(limited_rows.left_out(i) if i.limited else ()),
        Call(stop_approach, approaches, (x, b)),
        Call(solve_ranked, lambda at: [(F, order, rank, scale, b, p, z, i.m)], (F, order, rank, scale, b, p, z)),
        Call(note_end, lambda at: [(end, *[at.world(name) for name in (*step, "row_ahead")])], (end,)),
        noted(model, i, p, end),
    )


def recorded(model: Model, program: Program) -> Program:
    """A program of many steps, which gives them out with each sample."""
    size = model.row_count
    if not world(model):
        return program
    none = Call(clear, lambda at: [(at.world(name), size) for name in (*OUTPUTS, *PUSHING)])
    return replace(program, stages=(none, *program.stages), outputs=(*program.outputs, *OUTPUTS))
