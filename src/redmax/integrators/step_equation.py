"""The equation of one implicit step, as Newton's method takes it (solvers/newton.py): the q at which inverse dynamics misses no force.

    r(q, qdot, qddot) = 0    with    qdot = (q - known_v) / (a h),   qddot = (q - known_q) / (a h)^2

What must vanish is (a h)^2 r; the direction is exact (dynamics/recursive/newton.py). Prescribed joints are put on their motion before, and
keep their place. Constraints add G' lambda to the forces and g = 0 to the equation (dynamics/recursive/newton_rows.py).
With a map, q are its coordinates and r its forces (dynamics/redmax/newton.py).
"""

from __future__ import annotations

from typing import Any

from redmax.backends.base import Mechanism
from redmax.dynamics.common.kinematics import coordinates
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.transmitted import move_joint, transmit
from redmax.dynamics.redmax.hyper_reduced import JointsAndSlides
from redmax.dynamics.redmax.newton import MappedNewton
from redmax.math import where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.solvers import newton as solver
from redmax.solvers.newton import Equation, tally

STATE: dict[str, Any] = {"known_q": "v", "known_v": "v", "q_base": "q"}
WORLD = {"ah": 1}


def try_place(j: JointView, w: WorldView) -> None:
    """A fraction of the way along dx; where terms are only weighed, without qddot."""
    j.q_base = where(w.lost > 0.0, j.q, j.q_base)
    j.q = j.joint.retract(j.q_base, w.fraction * j.dx)
    place = coordinates(j)
    way = place - j.known_q
    j.qdot, j.qddot = (place - j.known_v) * w.r1, w.whole * w.r2 * way
    tally(w, j.dx, way, place)


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
    """Of a map's coordinate; the joints follow."""
    try_place(j, w)


residual = recursion(attempt, interactions(Part.WRENCH), missing, name="step residual")
residual_with_rows = recursion(attempt, interactions(Part.WRENCH), interactions(Part.REACTIONS), missing, name="step residual with rows")
slides = recursion(attempt_slide, name="step slides", core=False)


def equation(model: Model) -> Equation:
    """Along the tree, by a matrix where forces couple bodies, or in the coordinates of a map."""
    if model.map is None and model.constraints:
        rows = newton.rows_of(model)
        return Equation((*rows.attempt(), residual_with_rows, *rows.weigh()), newton.stages(model), rows.begin())
    if model.map is None:
        return Equation((residual,), newton.stages(model))
    mapped = MappedNewton(model, model.map)
    return Equation((slides, *mapped.residual()), mapped.direction())


def fields(model: Model, state: dict[str, Any], world: dict[str, int]) -> Fields:
    """The record of a program that solves it, with further fields."""
    own = WORLD | (newton.rows_of(model).world if model.constraints else {})
    return newton.fields(model, STATE | state, solver.WORLD | own | world, dense=None if model.map is None else True)


def mechanism(model: Model) -> Mechanism:
    """What the program is laid out for: the joints, and with a map the slides behind them."""
    return model if model.map is None else JointsAndSlides(model, model.map.size)
