"""Newton's method for one implicit step, as stages of a program: the q at which inverse dynamics misses no force.

    r(q, qdot, qddot) = 0    with    qdot = (q - known_v) / (a h),   qddot = (q - known_q) / (a h)^2

The direction is exact (dynamics/recursive/newton.py), and the first of 1, 1/2, 1/4, ... of it that makes the residual (a h)^2 r smaller is
taken. Prescribed joints are put on their motion before, and keep their place. What it finds is left in flags of the world: `done`, and
`failed` with the residual; Python makes sentences of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import coordinates, felt, motion
from redmax.dynamics.recursive import newton
from redmax.dynamics.recursive.system import twist_terms, velocity_terms
from redmax.math import logical_and, logical_not, logical_or, minimum, sqrt, where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage, Repeat
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Recursion, backward, forward, interactions, once, recursion

TOLERANCE, ITERATIONS, HALVINGS = 1e-9, 50, 30  # of (a h)^2 r; the first is an input of the program
CLOSE, ROUNDING = 1e-5, 1e-11  # a Newton step so small beside what the forces do, or beside q, is the last: the next is its square
HUGE = 1e300
STOPPED, SINGULAR = 1.0, 2.0  # what `failed` says

STATE: dict[str, Any] = {"known_q": "v", "known_v": "v", "q_base": "q"}
WORLD = {
    "tolerance": 1, "ah": 1, "inertial": 1, "square": 1, "size": 1, "scale": 1, "fraction": 1, "tries": 1, "turns": 1, "searched": 1,
    "near": 1, "moved": 1, "dx_square": 1, "way_square": 1, "q_square": 1, "done": 1, "doubtful": 1, "failed": 1, "iterations": 1,
}  # fmt: skip


def try_place(j: JointView, w: WorldView) -> None:
    """A fraction of the way along dx; without `inertial` the terms that cancel in the residual, all but those of qddot and tau."""
    j.q = j.joint.retract(j.q_base, w.fraction * j.dx)
    place = coordinates(j)
    way = place - j.known_q
    j.qdot, j.qddot = (place - j.known_v) * w.r1, w.inertial * w.r2 * way
    for name, vector in (("dx_square", j.dx), ("way_square", way), ("q_square", place)):
        if len(vector):
            w.gather(name, vector @ vector)


def accelerate(j: JointView, p: ParentView) -> None:
    j.Vdot = (j.X @ p.Vdot) + j.S @ j.qddot + j.eta
    j.F = (j.M @ j.Vdot) + j.B


@forward
def trial(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where nothing asks for frames in the world."""
    try_place(j, w)
    twist_terms(j, p, w, *motion(j, j.qdot, w))
    accelerate(j, p)


@forward
def placed_trial(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where forces do."""
    try_place(j, w)
    velocity_terms(j, p, w)
    accelerate(j, p)


@backward
def missing(j: JointView, p: ParentView, w: WorldView) -> None:
    """(a h)^2 r, squared and added up: of joints whose force is given, and of all where it is the scale that is asked for."""
    F = j.F + j.F_hat - felt(j)
    p.F_hat += j.X.T @ F
    r = (w.ah * w.ah) * (j.S.T @ F - j.passive - w.inertial * j.tau)
    if len(r):
        w.gather("square", (1.0 - w.inertial) * (r @ r) if j.prescribed else r @ r)


@forward
def hold(j: JointView) -> None:
    """The search begins where the direction was found."""
    j.q_base = j.q


def clear_sums(w: WorldView) -> None:
    w.square, w.dx_square, w.way_square, w.q_square = 0.0, 0.0, 0.0, 0.0


@once
def weigh(w: WorldView) -> None:
    """How large the terms are, at the first guess."""
    w.inertial, w.fraction, w.turns, w.failed, w.near = 0.0, 0.0, 0.0, 0.0, 0.0
    clear_sums(w)


@once
def weighed(w: WorldView) -> None:
    w.scale, w.inertial = sqrt(w.square), 1.0
    clear_sums(w)


def norm(square: Any) -> Any:
    """Of a sum that may not be a number: infinite then."""
    return sqrt(where(square <= HUGE, square, np.inf))


def enough(w: WorldView) -> Any:
    return w.tolerance * minimum(1.0, w.scale)


@once
def first_look(w: WorldView) -> None:
    w.size = norm(w.square)
    w.done = where(w.size <= enough(w), 1.0, 0.0)


@once
def begin_search(w: WorldView) -> None:
    w.fraction, w.tries, w.searched = 1.0, 0.0, 0.0
    clear_sums(w)


@once
def compare(w: WorldView) -> None:
    """Whether this fraction is taken; if not, half of it is tried, up to HALVINGS times."""
    better = norm(w.square) < w.size
    w.tries = w.tries + 1.0
    w.moved = where(better, 1.0, 0.0)
    w.size = where(better, norm(w.square), w.size)
    w.near = where(sqrt(w.dx_square) <= CLOSE * sqrt(w.way_square) + ROUNDING * (1.0 + sqrt(w.q_square)), 1.0, 0.0)
    w.failed = where(logical_or(w.dx_square <= HUGE, logical_not(w.size <= HUGE)), 0.0, SINGULAR)
    w.searched = where(logical_or(better, logical_or(w.tries >= float(HALVINGS), w.failed > 0.0)), 1.0, 0.0)
    w.fraction = 0.5 * w.fraction
    clear_sums(w)


@once
def decide(w: WorldView) -> None:
    """Converged; or at an end, perhaps at the limit of rounding, which the scale at this place will tell."""
    w.turns, w.iterations = w.turns + 1.0, w.iterations + 1.0
    solved = logical_or(w.size <= enough(w), logical_and(w.near > 0.0, w.size < w.tolerance))
    over = logical_or(w.moved < 0.5, w.turns >= float(ITERATIONS))
    w.done = where(logical_or(solved, over), 1.0, 0.0)
    w.doubtful = where(logical_and(over, logical_and(logical_not(solved), w.failed < 0.5)), 1.0, 0.0)


@once
def weigh_again(w: WorldView) -> None:
    w.inertial, w.fraction = 0.0, 0.0
    clear_sums(w)


@once
def judge(w: WorldView) -> None:
    rounding = logical_or(logical_and(w.near > 0.0, w.size < 1e3 * w.tolerance), w.size < 1e-12 * sqrt(w.square))
    w.failed = where(rounding, 0.0, STOPPED)


def own(sweep: Any) -> Recursion:
    return recursion(sweep, name=f"newton {sweep.name}")


def stages(model: Model) -> tuple[ProgramStage, ...]:
    """From q_base, the first guess, with dx = 0: q and qdot at the end of the step."""
    begin = placed_trial if model.acting or model.world_wrench else trial
    evaluate = recursion(begin, interactions("wrench"), missing, name="newton residual")
    search = Repeat((evaluate, own(compare)), until="searched")
    again = Branch("doubtful", (own(hold), own(weigh_again), evaluate, own(judge)))
    turn = (*newton.stages(model), own(hold), own(begin_search), search, own(decide), again)
    return own(weigh), evaluate, own(weighed), evaluate, own(first_look), Repeat(turn, until="done")
