"""The equation of one implicit step, as Newton's method takes it (solvers/newton.py): the q at which inverse dynamics misses no force.

    r(q, qdot, qddot) = 0    with    qdot = (q - known_v) / (a h),   qddot = (q - known_q) / (a h)^2

What must vanish is (a h)^2 r; the direction is exact (dynamics/recursive/newton.py). Prescribed joints are put on their motion before, and
keep their place.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.common.kinematics import coordinates
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.transmitted import move_joint, transmit
from redmax.model.model import Model
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.solvers.newton import Equation, tally

STATE: dict[str, Any] = {"known_q": "v", "known_v": "v", "q_base": "q"}
WORLD = {"ah": 1}


def try_place(j: JointView, w: WorldView) -> None:
    """A fraction of the way along dx; where terms are only weighed, without qddot."""
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
    r = ah2 * (needed - w.whole * j.tau)
    if len(r):
        w.gather("square", (1.0 - w.whole) * (r @ r) if j.prescribed else r @ r)
    if len(r) and not j.prescribed:
        w.gather("base_square", (ah2 * ah2) * (j.missing @ j.missing))


@forward
def hold(j: JointView) -> None:
    """The search begins where the direction was found."""
    j.q_base = j.q


residual = recursion(attempt, interactions(Part.WRENCH), missing, name="step residual")


def equation(model: Model) -> Equation:
    """Along the tree, or by a matrix where forces couple bodies."""
    return Equation((residual,), (*newton.stages(model), recursion(hold, name="step hold")))
