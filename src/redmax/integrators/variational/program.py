"""The program of variational steps (method.py says what they are): `count` of them, saving each `stride`-th.

A step is found by Newton's method from where the last steps lead, delta = 3 d1 - 3 d2 + d3; its factors are those of the first iteration.
It is over when dq and the contraction of the last iteration say that what is left is below TOLERANCE of the way of the step, or where
roundings let it come no nearer: where iterations have become no shorter, or are as short as they were when they did so of late.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import coordinates
from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.integrators.variational.momentum import conclusion, find_loads, find_momentum, find_rates
from redmax.integrators.variational.step import improvement, with_damping, with_factors
from redmax.math import array, logical_and, logical_not, logical_or, minimum, sqrt, where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import compiled_together, forward, once, recursion
from redmax.solvers.further import going_further, iterations
from redmax.solvers.reduced_matrix import clear_blocks
from redmax.trace import jacobian

TOLERANCE, ITERATIONS = 1e-14, 50
CLOSE = 1e-12  # the last of Newton's steps is at most so long beside the way
ROUNDING, LEAST = 1e-7, 1e-13  # where steps no longer become shorter, and are as short beside the way, or beside 1: by roundings
FAINT, FADING = 1e-10, 0.95  # how short that is at most, and how it is forgotten from step to step
FAR, SLOW = 0.02, 0.03  # steps so long, or shorter by no more than that, are followed by new factors
STOPPED, BROKEN, TURNED = 1.0, 2.0, 3.0  # what `failed` says
PAST = ("p", "d1", "d2", "d3")
GIVEN = ("t0", "h", "k", "known", "noise", "stride", "fresh")  # numbers of a world that go in together, in few arrays as each costs time
MARKS = ("known", "noise", "failed", "t_failed", "size", "iterations")  # and those that go out with each sample
INPUTS = ("q", "qdot", "tau", "given", *PAST)
OUTPUTS = ("q", "qdot", "marks", *PAST)
WORLD = dict.fromkeys(
    ("t_end", "going", "due", "done", "turns", "way", "way_square", "moved", "moved_far", "last", "t_failed", "failed", "size",
     "iterations", "left", "renew", "reuse", "turned_far", *GIVEN[3:]), 1,
) | {"t": 1, "h": 1, "t0": 1, "k": 1, "given": len(GIVEN), "marks": len(MARKS)}  # fmt: skip


@once
def begin(w: WorldView) -> None:
    for name, value in zip(GIVEN, w.given, strict=True):
        setattr(w, name, value)
    w.t = w.t0 + w.k * w.h
    w.going, w.iterations, w.t_failed, w.size, w.failed, w.left = 1.0, 0.0, 0.0, 0.0, 0.0, w.stride


@once
def begin_step(w: WorldView) -> None:
    w.t_end, w.turns, w.done, w.way_square, w.moved, w.moved_far, w.last = w.t0 + (w.k + 1.0) * w.h, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
    w.left, w.turned_far = w.left - 1.0, 0.0
    w.due = where(w.left < 0.5, 1.0, 0.0)
    w.left = where(w.left < 0.5, w.stride, w.left)


@forward
def guess(j: JointView, w: WorldView) -> None:
    """Where the step ends at first; a prescribed joint's, for good."""
    if j.prescribed:
        j.delta = prescribed_way(j, w)
    else:
        square = where(w.known > 2.5, 3.0 * (j.d1 - j.d2) + j.d3, where(w.known > 1.5, 2.0 * j.d1 - j.d2, j.d1))
        j.delta = where(w.known > 0.5, square, w.h * j.qdot)
    j.q_end, j.qdot = j.joint.retract(j.q, j.delta), j.delta / w.h
    if j.joint.dof:
        w.gather("way_square", j.delta @ j.delta)


def prescribed_way(j: JointView, w: WorldView) -> Any:
    """Within the step, of a joint whose motion is given; without one it goes on as it goes. Of rates by the midpoint rule."""
    if "motion" not in j:
        return w.h * j.p
    if j.motion_level == "position":
        return j.joint.difference(coordinates(j), np.ravel(np.asarray(j.motion(w.t_end), object)))
    if j.motion_level == "velocity":
        return w.h * np.ravel(np.asarray(j.motion(w.t + 0.5 * w.h), object))
    return w.h * (j.p + (0.5 * w.h) * np.ravel(np.asarray(j.motion(w.t), object)))


@once
def begin_improving(w: WorldView) -> None:
    w.way, w.way_square = sqrt(w.way_square), 0.0


@once
def judge(w: WorldView) -> None:
    """After an improvement: whether another one is needed."""
    size = sqrt(w.moved)
    shrunk = minimum(size / w.last, 1.0)
    w.turns, w.iterations = w.turns + 1.0, w.iterations + 1.0
    solved = logical_or(size <= TOLERANCE, logical_and(size <= CLOSE, size * shrunk <= TOLERANCE))
    near = logical_or(size <= ROUNDING, sqrt(w.moved_far) <= LEAST)
    rounding = logical_and(logical_and(near, size >= 0.3 * w.last), w.turns > 1.5)
    found, finite = logical_or(logical_or(solved, rounding), size <= w.noise), size < 1e100
    w.noise = where(found, where(rounding, minimum(2.0 * size, FAINT), FADING * w.noise), w.noise)
    over = logical_or(w.turns >= float(ITERATIONS), logical_not(finite))
    w.failed = where(found, where(w.turned_far > 0.5, TURNED, 0.0), where(finite, where(over, STOPPED, 0.0), BROKEN))
    w.done = where(logical_or(found, over), 1.0, 0.0)
    renew = logical_or(size > FAR, logical_and(shrunk > SLOW, w.turns > 1.5))
    w.renew, w.reuse = where(renew, 1.0, 0.0), where(renew, 0.0, 1.0)
    w.size, w.last, w.moved, w.moved_far, w.turned_far = size, size, 0.0, 0.0, 0.0
    w.way, w.way_square = sqrt(w.way_square), 0.0


@once
def begin_conclusion(w: WorldView) -> None:
    w.t = w.t_end


@forward
def remember(j: JointView) -> None:
    j.d1, j.d2, j.d3 = j.delta, j.d1, j.d2


@once
def end_step(w: WorldView) -> None:
    """A world that failed goes no further, nor one whose bodies turn too far."""
    w.failed = where(logical_and(w.going > 0.0, logical_and(w.failed < 0.5, w.turned_far > 0.5)), TURNED, w.failed)
    broke = logical_and(w.going > 0.0, w.failed > 0.0)
    w.t_failed, w.going = where(broke, w.t, w.t_failed), where(w.failed > 0.0, 0.0, 1.0)
    w.known = minimum(w.known + 1.0, 3.0)
    w.k = w.k + 1.0
    w.marks = array([getattr(w, name) for name in MARKS])


@forward
def rechart(j: JointView) -> None:
    """Joints near a singularity of their coordinates change to others: qdot' = A qdot, so that p' = A^-T p keeps the motion's momentum."""
    if j.prescribed or not j.joint.has_own("rechart"):
        return
    states = j.joint.rechart([(j.q, j.qdot)])
    if states is None:
        return
    n = j.joint.dof
    A = jacobian(states[0][1], list(j.qdot)).reshape(n, n)
    covectors = solve_unsymmetric(A.T, np.stack([j.p, j.load], axis=1), nothing=0.0)
    j.q, j.qdot, j.p, j.load = states[0][0], states[0][1], covectors[:, 0], covectors[:, 1]
    j.d1, j.d2, j.d3 = A @ j.d1, A @ j.d2, A @ j.d3


START, STEP, IMPROVE, JUDGE, CONCLUDE, END = compiled_together(
    begin, begin_step, begin_improving, judge, begin_conclusion, end_step, name="variational world"
)
GUESS, REMEMBER, RECHART = (recursion(s, name=f"variational {s.name}") for s in (guess, remember, rechart))


def program(model: Model, further: bool = False) -> Program:
    """Where forces act on bodies, they may depend on velocities: what they do at the beginning of a step is found with each iteration.

    further: whether so many iterations as `further` says, an input, follow with new factors once the end is found (solvers/further.py)
    """
    charts = (RECHART,) if any(link.joint.has_own("rechart") for link in model.links) else ()
    loads = (find_loads,) if model.acting else ()
    factors = (clear_blocks, with_damping) if model.acting else (with_factors,)
    again = (*loads, Branch("renew", factors), Branch("reuse", (improvement,)), JUDGE)
    solve = (IMPROVE, *loads, *factors, JUDGE, Repeat(again, until="done"), *(iterations((*loads, *factors)) if further else ()))
    step = (*charts, STEP, GUESS, *solve, CONCLUDE, conclusion, REMEMBER, Branch("due", (find_rates,)))
    first = (START, Branch("fresh", (find_momentum,)), find_loads)
    made = Program("variational", (*first, Repeat((Branch("going", step), END, Save(strided=True)))), fields(model), INPUTS, OUTPUTS)
    return going_further(made) if further else made


def fields(model: Model) -> Fields:
    placed = model.force_fields(origin=True)
    impedance = {"own_damping": 36, "own_stiffness": 36} if model.acting else {}
    state: dict[str, Any] = {"q": "q", "qdot": "v", "tau": "v", "q_end": "q", "delta": "v", "load": "v", "r": "v", "F1": 6}
    state |= dict.fromkeys(PAST, "v") | {"Z": "6v", "Y": "6v", "inverse": "vv"}
    state |= {"spun": "v"} if any(link.armature is not None for link in model.links) else {}
    return Fields(
        down={"V": 6, "Vdot": 6, "G": 12, "s": 6} | placed["down"],
        up={"F_hat": 6, "W_hat": 6, "N_hat": 36, "b_hat": 6, "M_hat": 21, "B_hat": 6},
        state=impedance | placed["state"] | state,  # what forces add to first
        sums=impedance | placed["sums"],
        lasting=tuple(placed["down"]) if model.acting else (),
        world=WORLD,
    )
