"""The coordinates of joints that close loops, as stages of a program: found from where bodies are, before rows are filled.

A program begins with the best of many places (`begin`), or where another ended (`begun`); then each evaluation goes on by Newton's method
(`follow`), until nothing moves. Where that comes to no rest, nobody knows them: what rows ask for is then no number, which ends the run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from redmax.constraints.carried import Carrying
from redmax.dynamics.common.islands import unplaced
from redmax.dynamics.common.kinematics import still
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.sweep import Part, Recursion, Sweep, forward, interactions, once, recursion
from redmax.solvers.reduced_matrix import copy

WORLD = {f"closing_{name}": 1 for name in ("start", "sought", "moved", "turns", "closed", "lost", "known", "fresh", "on")}
INPUTS, OUTPUTS = ("closing_fresh", "closing_q"), ("closing_q",)  # behind what an integrator takes and gives
LITTLE = 1e-18  # sum of squares of the last steps: the next would be their square
SOUGHT = ("closing search", "closing first start", "closing next start", "closing begin", "closing end of turn")  # what loops need alone
MOST_TURNS, LOST = 30.0, 1e-8  # a sum of squares that is larger after so many turns comes to no rest


def carrying(model: Model) -> list[Carrying]:
    """The constraints that carry coordinates."""
    return [c for c in model.constraints if isinstance(c, Carrying) and c.carries]


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    """Frames alone."""
    X = still(j, w)[0]
    R_p: Any = np.eye(3) if j.root else np.asarray(p.row_R, object).reshape(3, 3)
    j.row_R, j.row_x = (R_p @ X.R).ravel(), p.row_x + R_p @ np.asarray(X.p, object)


def placing(dynamics: str) -> Sweep:
    """How dynamics of this name place bodies."""
    if dynamics != "maximal":
        return place
    from redmax.dynamics.maximal.rows import place_free_frame

    return place_free_frame


@once
def begin_search(w: WorldView) -> None:
    w.closing_start, w.closing_sought, w.closing_known = 0.0, 0.0, 1.0


@once
def begin_turns(w: WorldView) -> None:
    w.closing_turns, w.closing_closed, w.closing_moved = 0.0, 0.0, 0.0


@once
def end_turn(w: WorldView) -> None:
    w.closing_turns = w.closing_turns + 1.0
    w.closing_closed = where((w.closing_moved > LITTLE) & (w.closing_turns < MOST_TURNS), 0.0, 1.0)
    lost = (w.closing_moved > LOST) & (w.closing_turns >= MOST_TURNS)
    w.closing_lost = where(w.closing_known > 0.0, where(lost, np.nan, 0.0), np.nan)  # a program that does not begin with `begin` fails
    w.closing_moved = 0.0


def follow(model: Model, dynamics: str = "") -> tuple[ProgramStage, ...]:
    """The coordinates that constraints carry, from those of the last evaluation; and what is told by functions that are called."""
    told = told_by_calls(model, dynamics)
    if not carrying(model):
        return told
    ended = recursion(end_turn, name="closing end of turn")
    placed = recursion(placing(dynamics), interactions(Part.TRACK_ROWS), name=f"closing first turn {dynamics}")
    turn = (recursion(interactions(Part.TRACK_ROWS), name="closing turn"), ended)
    return *told, recursion(begin_turns, name="closing begin"), placed, ended, Repeat(turn, until="closing_closed")


def told_by_calls(model: Model, dynamics: str) -> tuple[ProgramStage, ...]:
    """The values of targets that cannot be traced."""
    if not lasting(model):
        return ()
    from redmax.dynamics.common.called_rows import calls

    return calls(model, dynamics)


def begin(model: Model, dynamics: str = "") -> tuple[ProgramStage, ...]:
    """The coordinates that constraints carry, from nothing: near enough for `follow` to go on."""
    found = carrying(model)
    if not found:
        return ()
    last = float(max(c.starts for c in found))

    @once
    def next_start(w: WorldView) -> None:
        w.closing_start = w.closing_start + 1.0
        w.closing_sought = where(w.closing_start < last, 0.0, 1.0)

    counted = recursion(next_start, name="closing next start")
    placed = recursion(placing(dynamics), interactions(Part.SEEK_ROWS), name=f"closing first start {dynamics}")
    turn = (recursion(interactions(Part.SEEK_ROWS), name="closing start"), counted)
    return recursion(begin_search, name="closing search"), placed, counted, Repeat(turn, until="closing_sought")


def world(model: Model) -> dict[str, int]:
    """The fields of the world that all of it needs."""
    size = sum(c.carries for c in carrying(model))
    if size:
        return {**WORLD, "closing_q": size}
    return {"closing_lost": 1} if any(c.carries for c in model.constraints) else {}


def lasting(model: Model) -> tuple[str, ...]:
    """What functions that are called read of bodies."""
    return ("row_R", "row_V") if any(c.carries and not isinstance(c, Carrying) for c in model.constraints) else ()


def copied(model: Model, out: bool) -> Call:
    """closing_q from what constraints carry, or the other way."""

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        place = at.world("closing_q")
        for r in (r for r in unplaced(model) if isinstance(model.constraints[r.number], Carrying) and r.kept.carries):
            own = at.kept(r.acting, r.k) + r.kept.carried
            found.append((own, place, r.kept.carries) if out else (place, own, r.kept.carries))
            place += r.kept.carries
        return found

    return Call(copy, rows)


@once
def on_or_anew(w: WorldView) -> None:
    w.closing_on, w.closing_known = 1.0 - w.closing_fresh, 1.0


def begun(model: Model, program: Program, dynamics: str, placed: tuple[ProgramStage, ...] = ()) -> Program:
    """A program of many steps, which finds these coordinates where it begins, or goes on from those of another, and carries them along.

    placed: what puts the joints where they begin, if these follow from other coordinates
    """
    if not carrying(model):
        return program
    stages = with_before_save(program.stages, (copied(model, True),))
    first = next(n for n, stage in enumerate(stages) if not (isinstance(stage, Recursion) and stage.once))
    chosen = recursion(on_or_anew, name="closing on or anew")
    anew, on = Branch("closing_fresh", (*placed, *begin(model, dynamics))), Branch("closing_on", (copied(model, False),))
    inputs, outputs = (*program.inputs, *INPUTS), (*program.outputs, *OUTPUTS)
    return replace(program, stages=(*stages[:first], chosen, anew, on, *stages[first:]), inputs=inputs, outputs=outputs)


@once
def known_already(w: WorldView) -> None:
    w.closing_known, w.closing_lost, w.closing_moved = 1.0, 0.0, 0.0


def places_alone(model: Model, program: Program) -> Program:
    """What finds these coordinates at a state, of a program that begins with `begin`; closing_lost is no number where it does not."""
    stages = with_before_save(program.stages, (copied(model, True),))
    return replace(program, name=f"{program.name}, places", stages=stages, outputs=("closing_q", "closing_lost"))


def from_places(model: Model, program: Program) -> Program:
    """The same program without loops, from where these coordinates are, its input closing_q.

    Three of Newton's steps go on from there: nothing moves, but from a place that is held the first has the slope of where the coordinates
    are, and the second how that changes (Griewank and Walther 2008, Sec. 15.3); the third is for loops that are open by a drift, at
    which they are only nearly Newton's.
    """
    stages: list[ProgramStage] = [recursion(known_already, name="closing known"), copied(model, False)]
    for stage in program.stages:
        if isinstance(stage, Repeat):
            stages += 2 * stage.body[:1] if stage.until == "closing_closed" else ()
        elif not isinstance(stage, Save) and not (isinstance(stage, Recursion) and stage.name.startswith(SOUGHT)):
            stages.append(stage)
    made = replace(program, name=f"{program.name}, from places", stages=tuple(stages), inputs=(*program.inputs, "closing_q"))
    assert made.straight
    return made


def with_before_save(stages: tuple[ProgramStage, ...], before: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """The same stages, with others before each sample."""
    result: list[ProgramStage] = []
    for stage in stages:
        inner = replace(stage, body=with_before_save(stage.body, before)) if isinstance(stage, Repeat | Branch) else stage
        result += [*before, inner] if isinstance(stage, Save) else [inner]
    return tuple(result)
