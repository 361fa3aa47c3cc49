"""Forward dynamics with rows at one state: accelerations, and the multipliers of all constraints of a model, row after row.

    M qddot = f + tau + G' lambda,    G qddot = right          by the dual along the trees (dynamics/recursive/rows.py), as runs do it

Rows are numbered as the scene has its constraints; lambda of redundant rows are those of least norm. Rows that only push take part where
they are closed and not being left: then gddot >= 0, lambda >= 0, and one of them is zero. One that rests on its limit while G turns is
left by a step with h qdot' g'' qdot, and opens by half of h times that; what presses on it brings it back within steps, and it counts as
met. What rows with compliance exert is known. Rows with limited force are at a limit where they slip, faster than they could stop within
a moment, and else held as far as their force suffices.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from redmax.constraints.traced_rows import FAR
from redmax.dynamics.common.closing import begin, follow, lasting
from redmax.dynamics.common.closing import world as closing_world
from redmax.dynamics.common.islands import Island, unplaced
from redmax.dynamics.common.limited_rows import WORLD as LIMITED
from redmax.dynamics.common.limited_rows import decided
from redmax.dynamics.common.limits_near import WORLD
from redmax.dynamics.common.row_terms import DOWN, STATE, UP
from redmax.dynamics.common.rows import asked, asked_of, complementarity, equalities, stored
from redmax.dynamics.common.soft_rows import exerted, put_known
from redmax.dynamics.recursive.rows import RowsAlongTree
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics
from redmax.math import where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage, Save
from redmax.program.record import WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.program.sweep import Part, Recursion, once, recursion
from redmax.solvers.reduced_matrix import copy

MULTIPLIERS = "multipliers"
TOUCH, LEAVING = 1e-4, 1e-3  # gaps and rates up to which a limit is met, and not being left: steps of runs leave some
STEPS = 4.0  # in which what presses on a limit stops a rate that a step may have left it with


@once
def no_gain(w: WorldView) -> None:
    w.row_gain = 0.0


@routine
def ask_where_met(g: Vector, gdot: Vector, b: Vector, n: Whole, within: Vector) -> None:
    """Rows that only push ask for nothing where they are open, or opening, by more than what presses on them, b > 0, takes back."""
    for k in range(n):
        slow = LEAVING + where(b[k] > 0.0, STEPS * within[0] * b[k], 0.0)
        near = TOUCH + where(gdot[k] >= -slow, within[0] * (slow - LEAVING), 0.0)
        b[k] = where(g[k] <= near, where(gdot[k] <= slow, b[k], -FAR), -FAR)


exact = recursion(no_gain, name="nothing of drift is taken back")


@lru_cache(maxsize=64)
def moment(within: float) -> Recursion:
    """How long it may take to stop what counts as held."""

    @once
    def set_moment(w: WorldView) -> None:
        w.row_within, w.row_speed = within, 0.0

    return recursion(set_moment, name="moment")


def constrained_program(model: Model, wrench: bool, within: float) -> Program:
    """Accelerations, torques and multipliers. within (s): a slip that rows with limited force can stop so quickly is none,
    and rows that only push are met, not left, where steps as long may have left them so."""
    rows, found = RowsAlongTree(model, Part.ACCELERATION_ROWS), Data(MULTIPLIERS, model.row_count)

    def told(at: Addresses) -> list[tuple[Any, ...]]:
        places = [(at.kept(r.acting, r.k) + r.kept.multipliers, int(model.row_offsets[r.number]), r.kept.size) for r in unplaced(model)]
        return [(source, at[found] + target, size) for source, target, size in places]

    stages: list[ProgramStage] = [hybrid_dynamics, exact, *follow(model), *rows.terms(factors=True)]
    for i in rows.islands:
        solve = equalities(i) if i.free == i.m else decided(i) if i.limited else complementarity(i)
        asks = asked(i) if i.free == i.m else (*asked(i), met(i))
        stages += [*rows.columns(i), *asks, *exerted(i), *solve, *put_known(i), *stored(i), *rows.accelerations(i)]
    inputs = ("q", "qdot", "tau", "qddot", "t") + (("wrench",) if wrench else ())
    outputs = ("qddot", "tau", MULTIPLIERS)
    known = (*begin(model), *([moment(within)] if any(c.bounded for c in model.constraints) else []))
    stages += [Call(copy, told, (found,)), *([Save()] if begin(model) else [])]  # a program with loops says itself when it is done
    return Program("constrained dynamics", (*known, *stages), fields_of(model, wrench), inputs, outputs)


def fields_of(model: Model, wrench: bool) -> Fields:
    """Those of the dynamics without rows, and what rows need."""
    f = dynamics_fields(wrench, model)
    world = {**f.world, **WORLD, **closing_world(model), "row_gain": 1}
    world |= LIMITED | {"row_speed": 1} if any(c.bounded for c in model.constraints) else {}
    rows = replace(f, down={**f.down, **DOWN}, up={**f.up, **UP}, state={**f.state, **STATE}, world=world)
    return replace(rows, lasting=(*f.lasting, *lasting(model)))


def met(i: Island) -> Call:
    """What the rows of an island ask for that only push."""
    b = asked_of(i)

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        kept = [(r, at.kept(r.acting, r.k)) for r in i.rows if r.one_sided and not r.kept.limited]
        return [(k + r.kept.gap, k + r.kept.rate, at[b] + r.first, r.kept.size, at.world("row_within")) for r, k in kept]

    return Call(ask_where_met, rows, (b,))
