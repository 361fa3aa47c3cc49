"""Fully implicit backward differentiation: BDF1 (order 1) and BDF2 (order 2, started by one step of SDIRK2), as compiled programs.

All are one equation for the new q (a the weight of the force, known = what the past contributes):

    M(q) (q - known_q) - (a h)^2 f(t, q, qdot) = 0,    qdot = (q - known_v) / (a h)

BDF1: a = 1, known_q = q0 + h v0, known_v = q0.   BDF2: a = 2/3, known_q = 4/3 q1 - 1/3 q0 + 8/9 h v1 - 2/9 h v0, known_v = 4/3 q1 - 1/3 q0.
SDIRK2: a = (2 - sqrt 2)/2, two stages. On a group, q are steps from where this one began, those of the past by `difference` (log).
The equation is solved by Newton's method (step_equation.py), which begins at q0 + h v0 and ends at
the tolerance, as the published runs do. With MANY coordinates it begins, if less is missing there, where qdot goes on changing as it does,
and goes on to a part of the tolerance: 3 iterations instead of 5 at 100 links, and the solution to 2e-12. The state before the present one
is carried along for that, in the coordinates of the present one, and goes in and out with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from redmax.integrators import step_equation
from redmax.integrators.bdf_samples import TURNED
from redmax.integrators.chart_change import changes_charts, sweep
from redmax.math import array, logical_and, logical_not, where
from redmax.model.model import Model
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, Sweep, compiled_together, forward, once, recursion
from redmax.solvers.newton import newton

ALPHA = (2 - math.sqrt(2)) / 2
MANY, BEYOND = 40, 1e-3  # coordinates, and the part of the tolerance
CLOCK = {"t0": 1, "k": 1, "going": 1, "young": 1, "onward": 1, "phase": 1, "t_failed": 1, "turned_far": 1, "given": 6, "marks": 5}
FARTHEST = 3.0  # rad, that log may be off what velocities say: beyond half a turn it takes the short way round
FIRST, SECOND, PLAIN = 0.0, 1.0, 2.0  # phase: of the stages of SDIRK2, or of a step with a history
PAST = ("q_older", "qdot_older")
GIVEN = ("t0", "h", "k", "tolerance", "beyond", "young")  # numbers of a world that go in together, in few arrays as each costs time
INPUTS = ("q", "qdot", "tau", "given", *PAST)
MARKS = ("young", "failed", "t_failed", "size", "iterations")  # and those that go out with each sample
ROW_MARKS = ("row_marks",)
OUTPUTS = ("q", "qdot", "marks", *PAST)


@once
def begin(w: WorldView) -> None:
    for name, value in zip(GIVEN, w.given, strict=True):
        setattr(w, name, value)
    w.going, w.iterations, w.t_failed, w.size, w.failed, w.turned_far = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0


@once
def begin_step(w: WorldView) -> None:
    w.onward, w.turned_far = 1.0, 0.0
    w.phase = where(w.young > 0.0, FIRST, PLAIN)


def set_rates(w: WorldView, ah: Any, t: Any) -> None:
    w.ah, w.r0, w.r1, w.r2, w.t = ah, 1.0, 1.0 / ah, 1.0 / (ah * ah), t


def guesses(w: WorldView) -> Any:
    """Whether there is a state before, and rates are expected to go on changing."""
    return logical_and(w.beyond < 1.0, w.young < 0.5)


def beyond(model: Model) -> float:
    """The part of its tolerance at which Newton's method ends."""
    return BEYOND if model.nv >= MANY else 1.0


def begun_at(j: JointView, begin: Any) -> Any:
    """The coordinates where a step began; those of an element of a group are counted from there."""
    return begin[: j.joint.nq] if j.joint.nq == j.joint.dof else np.zeros(j.joint.dof).astype(object)


def seek(j: JointView, w: WorldView, begin: Any, known_q: Any, known_v: Any, ahead: Any, further: Any) -> None:
    """What Newton's method solves for, and where it begins: as far ahead, and further if that is better; or on a prescribed motion."""
    j.known_q, j.known_v = known_q, known_v
    if j.joint.nq != j.joint.dof:
        j.q_base, j.dx = begin, np.zeros(j.joint.dof) if j.prescribed else further
        j.delta = j.delta_base = prescribed_step(j, w, begin) if j.prescribed else ahead
    elif j.prescribed:
        j.q_base, j.dx = array([*prescribed_place(j, w, known_q, known_v), *j.q[j.joint.nq :]]), np.zeros(j.joint.dof)
    else:
        j.q_base, j.dx = j.joint.retract(j.q, ahead), further


def prescribed_place(j: JointView, w: WorldView, known_q: Any, known_v: Any) -> Any:
    """At the end of the step, of a joint that follows a motion; without one it goes on as it goes."""
    if "motion" not in j:
        return known_q
    given = np.ravel(np.asarray(j.motion(w.t), object))
    if j.motion_level == "acceleration":
        return known_q + w.ah * w.ah * given
    return known_v + w.ah * given if j.motion_level == "velocity" else given


def prescribed_step(j: JointView, w: WorldView, begin: Any) -> Any:
    """The same of an element of a group: to where the motion is, or with the velocity at the end."""
    given = np.ravel(np.asarray(j.motion(w.t), object)) if "motion" in j else None
    if given is not None and j.motion_level == "position":
        return j.joint.difference(begin, given)
    known = step_equation.known_rate(j, w)
    v = known if given is None else given if j.motion_level == "velocity" else known + w.ah * given
    return j.known_v + w.ah * j.joint.rate(j.known_v + w.ah * v, v)


@once
def euler_rates(w: WorldView) -> None:
    set_rates(w, w.h, w.t0 + (w.k + 1.0) * w.h)


@forward
def euler_step(j: JointView, w: WorldView) -> None:
    """BDF1."""
    q, v = begun_at(j, j.q), j.qdot
    seek(j, w, j.q, q + w.h * v, q, w.h * v, w.h * where(guesses(w), v - j.qdot_older, 0.0 * v))
    j.q_older, j.qdot_older = j.q, j.qdot


@once
def two_step_rates(w: WorldView) -> None:
    end, a = w.t0 + (w.k + 1.0) * w.h, ALPHA * w.h
    first = w.phase < 0.5 * SECOND
    set_rates(w, where(w.phase < 1.5 * SECOND, a, 2.0 * w.h / 3.0), where(first, end - w.h + a, end))


@forward
def two_step(j: JointView, w: WorldView) -> None:
    """BDF2, or a stage of SDIRK2, the first of which has left its place and rates in q and qdot, and where it began before them."""
    early, late = w.phase < 0.5 * SECOND, w.phase < 1.5 * SECOND
    second = logical_and(late, logical_not(early))
    begin, v = where(second, j.q_older, j.q), where(second, j.qdot_older, j.qdot)
    seek(j, w, begin, *two_step_places(j, w, begin, v))
    j.q_older, j.qdot_older = begin, v


def two_step_places(j: JointView, w: WorldView, begin: Any, v: Any) -> list[Any]:
    """What `seek` takes, by the phase of a step that began there."""
    early, late = w.phase < 0.5 * SECOND, w.phase < 1.5 * SECOND
    h, q, vm = w.h, begun_at(j, begin), j.qdot_older
    qm, rest, gone = history(j, w, begin)
    base, a = (4.0 * q - qm) / 3.0, ALPHA * h
    first_stage = (q + a * v, q, a * v, 0.0 * v)
    second_stage = (q + rest + h * ((2 * ALPHA - 1) * v + (1.0 - ALPHA) * j.qdot), q + rest, gone + rest, 0.0 * v)
    further = where(guesses(w), base - q + h * (v - 2.0 * vm) / 3.0, 0.0 * v)
    plain = (base + h * (8.0 * v - 2.0 * vm) / 9.0, base, h * v, further)
    return [where(early, x, where(late, y, z)) for x, y, z in zip(first_stage, second_stage, plain, strict=True)]


def history(j: JointView, w: WorldView, begin: Any) -> tuple[Any, Any, Any]:
    """Of the past: the coordinates a step ago; what the first stage of SDIRK2 adds to the second, and how far it has gone from the place
    that Newton's method begins at. Of an element of a group all are steps from where this one began."""
    if j.joint.nq == j.joint.dof:
        return j.q_older[: j.joint.nq], (1.0 - ALPHA) * w.h * j.qdot, 0.0 * j.qdot
    second = logical_and(w.phase < 1.5 * SECOND, w.phase > 0.5 * SECOND)
    there = j.joint.difference(begin, where(second, j.q, j.q_older))
    expected = (-0.5 * w.h) * (j.qdot + j.qdot_older)
    off = there - expected
    other = logical_and(off @ off > FARTHEST * FARTHEST, off @ off > 0.25 * (expected @ expected))
    plain = logical_and(w.phase > 1.5 * SECOND, w.phase < 2.5 * SECOND)
    w.gather("turned_far", where(logical_and(plain, other), 1.0, 0.0))
    return there, (1.0 - ALPHA) / ALPHA * there, there


@once
def end_stage(w: WorldView) -> None:
    """On to the second stage of SDIRK2, unless Newton's method failed."""
    w.onward, w.phase = where(w.failed > 0.0, 0.0, 1.0), SECOND


@once
def end_step(w: WorldView) -> None:
    wind_up(w, 0.0)


def wind_up(w: WorldView, young: Any) -> None:
    """A world that failed goes no further, nor one with a joint whose past is more than half a turn away."""
    w.failed = where(logical_and(w.failed < 0.5, w.turned_far > 0.5), TURNED, w.failed)
    broke = logical_and(w.going > 0.0, w.failed > 0.0)
    w.young, w.t_failed, w.going = young, where(broke, w.t, w.t_failed), where(w.failed > 0.0, 0.0, 1.0)
    w.k = w.k + 1.0
    w.marks = array([getattr(w, name) for name in MARKS])


def outputs(model: Model) -> tuple[str, ...]:
    """Of a program of steps, and of constraints which one is furthest off."""
    return (*OUTPUTS, *ROW_MARKS) if model.constraints else OUTPUTS


def own(sweep: Sweep) -> Recursion:
    return recursion(sweep, name=f"bdf {sweep.name}", core=False)


EULER = compiled_together(begin, euler_rates, end_step, name="bdf1 world")
TWO_STEP = compiled_together(begin, begin_step, two_step_rates, end_stage, end_step, name="bdf2 world")


def program(model: Model, second_order: bool, dynamics: str = "recursive") -> Program:
    """`count` steps, saving each `stride`-th. dynamics: whose system gives Newton's direction."""
    changing = {chosen: model.map is None and changes_charts(model, chosen) for chosen in (False, True)}
    rewind, rechart = ((sweep(chosen),) if changing[chosen] else () for chosen in (False, True))
    solve = newton(step_equation.equation(model, dynamics))
    if second_order and any(c.one_sided for c in model.constraints):
        from redmax.integrators import bdf_touching

        return bdf_touching.program(model, solve, rewind, rechart)
    if second_order:
        start, step, rates, stage, end = TWO_STEP
        solve = rates, own(two_step), *solve
        solved: tuple[ProgramStage, ...] = (step, Branch("young", (*solve, stage)), Branch("onward", solve))
    else:
        start, rates, end = EULER
        solved = (rates, own(euler_step), *solve)
    first = (Branch("young", rechart),) if rechart else ()
    body = (Branch("going", (*rewind, *first, *solved, *rechart)), end, Save(strided=True))
    fields = step_equation.fields(model, {"q_older": "q", "qdot_older": "v"}, CLOCK)
    return step_equation.begun(model, Program("bdf2" if second_order else "bdf1", (start, Repeat(body)), fields, INPUTS, outputs(model)))
