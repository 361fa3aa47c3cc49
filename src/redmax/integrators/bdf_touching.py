"""BDF2 beside constraints that only push: a step in which one of them closes or opens is made anew by backward Euler, and so is the next.

Velocities jump where a limit or a rope takes hold. Differences over two steps see the jump twice, and would throw back what has just been
caught; backward Euler ends such a step on the row, and the next one at rest along it, as an impact without bounce does. SDIRK2 then
starts anew. What is closed at the start of a step is looked at, not remembered, so that portions of a run are one run.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.recursive.newton import rows_of
from redmax.dynamics.recursive.transmitted import move_joint
from redmax.integrators import step_equation
from redmax.integrators.bdf import (
    ALPHA,
    CLOCK,
    FIRST,
    INPUTS,
    PLAIN,
    SECOND,
    begin,
    begun_at,
    outputs,
    own,
    seek,
    set_rates,
    two_step_places,
    wind_up,
)
from redmax.math import logical_and, logical_not, logical_or, where
from redmax.model.model import Model
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.program.sweep import Part, compiled_together, forward, interactions, once, recursion

CLOSED = 1e-7  # of a gap, m or rad: no more than that is zero
EULER = 3.0  # the phase of a step by backward Euler
AFTER = 2.0  # what `young` says of a state from which the next step is one
EXTRA = {"stepped": 1, "again": 1, "changed": 1, "next": 1}


@once
def begin_run(w: WorldView) -> None:
    """The time at which rows are looked at first."""
    w.t, w.r1 = w.t0 + w.k * w.h, 1.0 / w.h


@once
def begin_step(w: WorldView) -> None:
    w.stepped, w.again, w.turned_far = 0.0, 0.0, 0.0
    w.phase = where(w.young > 1.5, EULER, where(w.young > 0.0, FIRST, PLAIN))


@once
def rates(w: WorldView) -> None:
    end, a = w.t0 + (w.k + 1.0) * w.h, ALPHA * w.h
    plain = where(w.phase > 2.5, w.h, 2.0 * w.h / 3.0)
    set_rates(w, where(w.phase < 1.5 * SECOND, a, plain), where(w.phase < 0.5 * SECOND, end - w.h + a, end))
    w.changed = 0.0


@forward
def step(j: JointView, w: WorldView) -> None:
    """As `two_step` of bdf.py, or backward Euler, from where the step began if it is made again."""
    second = logical_and(w.phase < 1.5 * SECOND, w.phase > 0.5 * SECOND)
    kept = logical_or(second, w.again > 0.0)
    start, v = where(kept, j.q_older, j.q), where(kept, j.qdot_older, j.qdot)
    q, euler = begun_at(j, start), w.phase > 2.5
    places = (q + w.h * v, q, w.h * v, 0.0 * v)
    seek(j, w, start, *[where(euler, x, y) for x, y in zip(places, two_step_places(j, w, start, v), strict=True)])
    j.q_older, j.qdot_older = start, v


@once
def end_stage(w: WorldView) -> None:
    """Again by backward Euler; on to the second stage of SDIRK2; or the step is over."""
    euler, changed = w.phase > 2.5, w.changed > 0.0
    again = logical_and(logical_not(euler), logical_or(changed, w.failed > 0.0))
    over = logical_and(logical_not(again), w.phase > 0.5 * SECOND)
    w.next = where(euler, where(changed, AFTER, 1.0), 0.0)
    w.stepped, w.again, w.phase = where(over, 1.0, 0.0), where(again, 1.0, 0.0), where(again, EULER, SECOND)


@once
def end_step(w: WorldView) -> None:
    wind_up(w, w.next)


WORLD = compiled_together(begin, begin_run, begin_step, rates, end_stage, end_step, name="bdf2 world beside rows that push")


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where bodies are, for the rows."""
    j.qddot = 0.0 * j.qdot
    move_joint(j, p, w)


@routine
def compare(gap: Vector, closed: Vector, n: Whole, changed: Vector) -> None:
    """Whether another row is closed than at the start."""
    for k in range(n):
        now = where(gap[k] <= CLOSED, 1.0, 0.0)
        changed[0] = where(abs(now - closed[k]) > 0.5, 1.0, changed[0])


@routine
def remember(gap: Vector, closed: Vector, n: Whole) -> None:
    """Which rows are closed."""
    for k in range(n):
        closed[k] = where(gap[k] <= CLOSED, 1.0, 0.0)


def program(model: Model, solve: tuple[ProgramStage, ...], rewind: tuple[ProgramStage, ...], rechart: tuple[ProgramStage, ...]) -> Program:
    """`count` steps, saving each `stride`-th. solve: of one equation; rewind, rechart: changes of charts before and after a step."""
    rows = rows_of(model)
    closed, pushing = rows.vector("closed"), [r for r in rows.rows if r.one_sided]
    start, run, first_phase, set_up, stage, end = WORLD
    look = recursion(place, interactions(Part.REACTIONS), name="look at rows")

    def places(at: Any) -> list[tuple[Any, ...]]:
        return [(rows.kept(at, r, r.kept.gap), at[closed] + r.first, r.kept.size) for r in pushing]

    note = Call(remember, places, (closed,))
    seen = Call(compare, lambda at: [(*row, at.world("changed")) for row in places(at)], (closed,))
    again = Repeat((set_up, own(step), *solve, seen, stage), until="stepped")
    first = (Branch("young", rechart),) if rechart else ()
    body = (Branch("going", (*rewind, *first, first_phase, again, note, *rechart)), end, Save(strided=True))
    fields = step_equation.fields(model, {"q_older": "q", "qdot_older": "v"}, CLOCK | EXTRA)
    found = Program(
        "bdf2 beside rows that push", (start, run, *step_equation.placed(model), look, note, Repeat(body)), fields, INPUTS, outputs(model)
    )
    return step_equation.begun(model, found)
