"""The equation of one implicit step, as Newton's method takes it (solvers/newton.py): the q at which inverse dynamics misses no force.

    r(q, qdot, qddot) = 0    with    qdot = (q - known_v) / (a h),   qddot = (q - known_q) / (a h)^2

Of a joint whose configuration is an element of a group, q is the step from where it began (known_v and known_q too), which retraction
takes to a configuration, and qdot the velocity that goes with its rate: backward Euler is q1 = q0 exp(h v1).

What must vanish is (a h)^2 r; the direction is exact (recursive/newton.py and maximal/newton.py of dynamics/). Prescribed joints are put on
their motion before, and keep their place. Constraints add G' lambda to the forces and g = 0 to the equation (recursive/newton_rows.py).
With a map, q are its coordinates and r its forces (redmax/newton.py).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from redmax.backends.base import Mechanism
from redmax.dynamics.common.kinematics import coordinates
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.explained import held
from redmax.dynamics.recursive.linearised import Linearised, linearise_joint, ready, width
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix
from redmax.dynamics.recursive.newton_step import eliminate_joint, step_joint
from redmax.dynamics.recursive.transmitted import move_joint, transmit
from redmax.dynamics.redmax.hyper_reduced import JointsAndSlides
from redmax.dynamics.redmax.newton import MappedNewton
from redmax.math import where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Held, Program, ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, once, recursion
from redmax.solvers import newton as solver
from redmax.solvers.newton import Equation, tally

STATE: dict[str, Any] = {"known_q": "v", "known_v": "v", "q_base": "q"}
ON_GROUP: dict[str, Any] = {"delta": "v", "delta_base": "v"}
WORLD = {"ah": 1}


def try_place(j: JointView, w: WorldView) -> None:
    """A fraction of the way along dx; where terms are only weighed, without qddot."""
    if j.joint.nq != j.joint.dof:
        try_on_group(j, w)
        return
    j.q_base = where(w.lost > 0.0, j.q, j.q_base)
    j.q = j.joint.retract(j.q_base, w.fraction * j.dx)
    place = coordinates(j)
    way = place - j.known_q
    j.qdot, j.qddot = (place - j.known_v) * w.r1, w.whole * w.r2 * way
    tally(w, j.dx, way, place)


def try_on_group(j: JointView, w: WorldView) -> None:
    """The same where the unknown is the step from q_base."""
    j.delta_base = where(w.lost > 0.0, j.delta, j.delta_base)
    j.delta = j.delta_base + w.fraction * j.dx
    j.q = j.joint.retract(j.q_base, j.delta)
    j.qdot = j.joint.velocity(j.delta, (j.delta - j.known_v) * w.r1)
    j.qddot = w.whole * w.r1 * (j.qdot - known_rate(j, w))
    tally(w, j.dx, j.delta - j.known_q, j.delta)


def known_rate(j: JointView, w: WorldView) -> Any:
    """What the past contributes to qdot."""
    return (j.known_q - j.known_v) * w.r1


@forward
def attempt(j: JointView, p: ParentView, w: WorldView) -> None:
    try_place(j, w)
    move_joint(j, p, w)


@backward
def missing(j: JointView, p: ParentView, w: WorldView) -> None:
    """(a h)^2 r, squared and added up: of joints whose force is given, and of all where the terms are weighed, without tau."""
    needed, ah2 = transmit(j, p), w.ah * w.ah
    j.missing = j.tau - needed
    r = ah2 * (needed - w.whole * j.tau)
    if len(r):
        w.gather("square", (1.0 - w.whole) * (r @ r) if j.prescribed else r @ r)
    if len(r) and not j.prescribed:
        w.gather("base_square", (ah2 * ah2) * (j.missing @ j.missing))


@forward
def attempt_slide(j: JointView, w: WorldView) -> None:
    """Of a map's coordinate, whose joints follow; or of joints that constraints are looked at between."""
    try_place(j, w)


@forward
def look(j: JointView, p: ParentView, w: WorldView) -> None:
    """At a solution: the rates that go with it; of an element of a group the step is known, and where it began may vary."""
    if j.joint.nq != j.joint.dof:
        j.q = j.joint.retract(j.q_base, j.delta)
        j.qdot = j.joint.velocity(j.delta, (j.delta - j.known_v) * w.r1)
        j.qddot = w.r1 * (j.qdot - known_rate(j, w))
    else:
        place = coordinates(j)
        j.qdot, j.qddot = (place - j.known_v) * w.r1, w.r2 * (place - j.known_q)
    move_joint(j, p, w)


@backward
def found_missing(j: JointView, p: ParentView) -> None:
    """-r, next to nothing."""
    j.missing = j.tau - transmit(j, p)


@forward
def arrive(j: JointView, w: WorldView) -> None:
    arrive_joint(j, w)


def arrive_joint(j: JointView, w: WorldView) -> None:
    """All of dx, and the rates that go with that."""
    if j.joint.nq != j.joint.dof:
        j.delta = j.delta + j.dx
        j.q = j.joint.retract(j.q_base, j.delta)
        j.qdot = j.joint.velocity(j.delta, (j.delta - j.known_v) * w.r1)
    else:
        j.q = j.joint.retract(j.q, j.dx)
        j.qdot = (coordinates(j) - j.known_v) * w.r1


residual = recursion(attempt, interactions(Part.WRENCH), missing, name="step residual")
residual_with_rows = recursion(attempt, interactions(Part.WRENCH), interactions(Part.REACTIONS), missing, name="step residual with rows")
residual_of_tried = recursion(
    forward(move_joint), interactions(Part.WRENCH), interactions(Part.REACTIONS), missing, name="step residual with rows of tried places"
)
slides = recursion(attempt_slide, name="step slides", core=False)
at_solution = recursion(look, interactions(Part.WRENCH), found_missing, name="step at a solution")
arrival = recursion(arrive, name="step arrival", core=False)


def equation(model: Model, dynamics: str) -> Equation:
    """Along the tree, by a matrix or a sparse system where forces couple bodies, or in the coordinates of a map."""
    if model.map is None:
        direction = newton.stages(model, matrix=sparse_system(model) if dynamics == "maximal" else None)
        if model.constraints:
            return with_rows(model, direction)
        if any(model.prescribed):  # which are put on their motion before, so that they depend on more than the equation
            return Equation((residual,), direction)
        return Equation((residual,), direction, solved=once_more(model, direction, along=len(direction) == 1))
    mapped = MappedNewton(model, model.map)
    if mapped.rows is None:
        return Equation((slides, *mapped.residual()), mapped.direction())
    from redmax.dynamics.common.closing import follow

    rows, tried = mapped.rows, (slides, *mapped.residual(follow(model)))
    return Equation((*rows.attempt(), *tried, *rows.weigh()), mapped.direction(), rows.begin())


def once_more(model: Model, direction: tuple[ProgramStage, ...], along: bool) -> tuple[ProgramStage, ...]:
    """At a solution: one more step, in which Newton's matrix is held. along: whether it is eliminated along the tree"""
    return (once_more_along(width(model), bool(model.acting)),) if along else (at_solution, Held(direction, ("missing",)), arrival)


@lru_cache(maxsize=8)
def once_more_along(W: int, acting: bool) -> Recursion:
    """In one recursion, so that all of its values have places of their own. acting: whether there are forces between its sweeps"""

    def eliminate_held(j: JointView, p: ParentView, w: WorldView) -> None:
        here = linearise_joint(W, j, p, w)
        fixed = Linearised(*(held(x) for x in (here.s, here.chi, here.N, here.slopes, here.carried)))
        eliminate_joint(fixed, j, p, w)

    @backward
    def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
        eliminate_held(j, p, w)

    @backward
    def settle(j: JointView, p: ParentView, w: WorldView) -> None:
        j.missing = j.tau - transmit(j, p)
        eliminate_held(j, p, w)

    @forward
    def land(j: JointView, p: ParentView, w: WorldView) -> None:
        step_joint(j, p)
        arrive_joint(j, w)

    between = (interactions(Part.WRENCH), found_missing, ready, interactions(Part.NEWTON), eliminate) if acting else (settle,)
    return recursion(look, *between, land, name=f"step at a solution {W}{' with forces' * acting}")


def sparse_system(model: Model) -> NewtonMatrix:
    """Of bodies and joints."""
    from redmax.dynamics.maximal.newton import matrix_of

    return matrix_of(model)


def with_rows(model: Model, direction: tuple[ProgramStage, ...]) -> Equation:
    """With multipliers, and with the coordinates that constraints carry found at each place."""
    from redmax.dynamics.common.closing import follow

    rows, carried = newton.rows_of(model), follow(model)
    tried = (slides, *carried, residual_of_tried) if carried else (residual_with_rows,)
    return Equation((*rows.attempt(), *tried, *rows.weigh()), direction, rows.begin())


def fields(model: Model, state: dict[str, Any], world: dict[str, int]) -> Fields:
    """The record of a program that solves it, with further fields."""
    own = WORLD | (newton.rows_of(model).world if model.constraints else {})
    state = STATE | (ON_GROUP if any(link.joint.nq != link.joint.dof for link in model.links) else {}) | state
    found = newton.fields(model, state, solver.WORLD | own | world, dense=None if model.map is None else True)
    if not carries(model):
        return found
    from redmax.constraints.law import DOWN
    from redmax.dynamics.common import closing

    rows = replace(found, down={**found.down, **DOWN}, world={**found.world, **closing.world(model)})
    return replace(rows, lasting=(*found.lasting, *closing.lasting(model)))


def carries(model: Model) -> bool:
    """Whether a constraint carries coordinates of its own, which are found wherever rows are looked at."""
    return any(c.carries for c in model.constraints)


def begun(model: Model, program: Program) -> Program:
    """A program whose first stage sets its clock, with these coordinates found at its beginning."""
    if not carries(model):
        return program
    from redmax.dynamics.common import closing

    first, *rest = program.stages
    timed = replace(program, stages=(first, recursion(set_time, name="time of the beginning"), *rest))
    return closing.begun(model, timed, "", placed(model))


def placed(model: Model) -> tuple[ProgramStage, ...]:
    """What puts joints where the coordinates of a map have them."""
    return () if model.map is None else MappedNewton(model, model.map).place_joints()


@once
def set_time(w: WorldView) -> None:
    """That of the state a program is given."""
    w.t = w.t0 + w.k * w.h


def mechanism(model: Model) -> Mechanism:
    """What the program is laid out for: the joints, and with a map the slides behind them."""
    return model if model.map is None else JointsAndSlides(model, model.map.size)
