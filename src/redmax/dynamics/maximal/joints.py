"""Joints as maximal coordinates see them: where bodies that move by themselves leave them, and how far they are open.

A body is at its pose E, moving with its twist phi. In joint frames the relative pose of two bodies is G_p^-1 G and their relative twist
V - X V_p. The coordinates of the joint between them are those whose Q(q) is nearest, that is, whose error has no part along S:

    e = log(Q(q)^-1 G_p^-1 G),    S+ e = 0,    qdot = S+ (V - X V_p - s),    S+ = (S^T S)^-1 S^T

q is carried along and improved by Newton's method (joints/nearest.py), until it moves no more; where it does not come to rest, as when a
body has turned by more than half a turn since q was right, nobody knows the coordinates, and the rates are no numbers, which ends the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import motion, still
from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.joints.nearest import nearer, small_log
from redmax.joints.stepping import directions
from redmax.lie import Adjoint
from redmax.lie.three import cross
from redmax.math import sqrt, where
from redmax.program.program import Repeat
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward, once, recursion
from redmax.trace.vector import vector_of

LITTLE = 1e-18  # sum of squares of the last steps: the next would be their square, or as small as the error has them
MOST_TURNS, LOST = 20.0, 1e-8  # a sum of squares that is larger after so many turns comes to no rest


def along(j: JointView, S: Any, V: Any) -> Any:
    """S+ V: the coordinates of the part of a twist along S."""
    return solve_symmetric(S.T @ S, (S.T @ V)[:, None], j.name)[:, 0] if j.joint.dof else np.zeros(0).astype(object)


def joint_frame(j: JointView, pose: Any) -> tuple[Any, Any]:
    """R and x of the joint frame in the world, of a body that is at a pose (12,)."""
    E = np.asarray(pose, object).reshape(3, 4)
    R = E[:, :3] @ j.body_R.T
    return R, E[:, 3] - R @ j.body_p


def joint_twist(j: JointView, twist: Any) -> Any:
    """The twist of the joint frame, of a body that moves with one."""
    w = j.body_R @ twist[:3]
    return np.concatenate([w, j.body_R @ twist[3:] + vector_of(cross(list(j.body_p), list(w)))])


def relative_frame(p: ParentView, R: Any, x: Any) -> tuple[Any, Any]:
    """R and p of the joint frame in its parent's."""
    Rp = np.asarray(p.R, object).reshape(3, 3)
    return Rp.T @ R, Rp.T @ (x - p.x)


def opening(X: Adjoint, R: Any, p: Any) -> Any:
    """log(Q^-1 E): how far bodies that are at E = (R, p) to each other are from where the joint would have them."""
    at, place = X.R, np.asarray(X.p, object)
    return small_log(at.T @ R, at.T @ (p - place))


@forward
def locate(j: JointView, p: ParentView) -> None:
    """Relative poses and twists; and coordinates that are not near a singularity, but for those of a prescribed motion."""
    R, x = joint_frame(j, j.pose)
    j.R, j.x, j.V = R.ravel(), x, joint_twist(j, j.twist)
    turn, shift = relative_frame(p, R, x)
    j.relative, j.slip = np.concatenate([turn.ravel(), shift]), j.V - (Adjoint(turn, shift) @ p.V)
    if not j.prescribed and j.joint.has_own("rechart"):
        better = j.joint.rechart([(j.q, np.zeros(j.joint.dof).astype(object))])
        if better is not None:
            j.q = better[0][0]


@once
def begin_turns(w: WorldView) -> None:
    w.turns, w.closed = 0.0, 0.0


@once
def begin_turn(w: WorldView) -> None:
    w.moved = 0.0


@forward
def improve(j: JointView, w: WorldView) -> None:
    """One step of Newton's method."""
    X, S = still(j, w)
    if not j.joint.dof:
        return
    e = opening(X, j.relative[:9].reshape(3, 3), j.relative[9:])
    step = nearer(S, e, directions(j.joint, j.q))
    j.q = j.joint.retract(j.q, step)
    w.gather("moved", sum(x * x for x in step))


@once
def end_turn(w: WorldView) -> None:
    w.turns = w.turns + 1.0
    w.closed = where((w.moved > LITTLE) & (w.turns < MOST_TURNS), 0.0, 1.0)
    w.lost = where((w.moved > LOST) & (w.turns >= MOST_TURNS), np.nan, 0.0)


@forward
def measure(j: JointView, w: WorldView) -> None:
    """The rates, and what is left: of the relative twist what is across S, and the error."""
    X, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
    rest = j.slip - m.s
    j.qdot = along(j, m.S, rest) + w.lost
    j.slip = rest - m.S @ j.qdot if j.joint.dof else rest
    j.gap = opening(X, j.relative[:9].reshape(3, 3), j.relative[9:])
    j.drift = size(j.gap)


def size(error: Any) -> Any:
    """|e|, radians and lengths together."""
    return sqrt(sum(e * e for e in error))


def closed(j: JointView, p: ParentView, w: WorldView) -> tuple[Any, Any]:
    """The pose and twist of a body whose joint is closed, from coordinates and rates."""
    X, m = motion(j, j.qdot, w)
    Rp = np.asarray(p.R, object).reshape(3, 3)
    R, x = Rp @ X.R, p.x + Rp @ np.asarray(X.p, object)
    j.R, j.x, j.V = R.ravel(), x, (X @ p.V) + m.twist(j.qdot)
    pose = np.concatenate([R @ j.body_R, (x + R @ j.body_p)[:, None]], axis=1).ravel()
    return pose, Adjoint(j.body_R, j.body_p) @ j.V


@forward
def begin_closed(j: JointView, p: ParentView, w: WorldView) -> None:
    """A run begins where its joints are closed, unless it goes on from poses and twists."""
    pose, twist = closed(j, p, w)
    j.pose, j.twist = where(w.fresh > 0.0, pose, j.pose), where(w.fresh > 0.0, twist, j.twist)


@forward
def close_joint(j: JointView, p: ParentView, w: WorldView) -> None:
    """Post-stabilisation: the body goes to where its coordinates say."""
    j.pose, j.twist = closed(j, p, w)


@forward
def measure_drift(j: JointView, p: ParentView, w: WorldView) -> None:
    R, x = joint_frame(j, j.pose)
    j.R, j.x = R.ravel(), x
    j.drift = size(opening(still(j, w)[0], *relative_frame(p, R, x)))


BEGIN = recursion(begin_closed, name="begin with closed joints")
CLOSE = (recursion(close_joint, name="close joints"), recursion(measure_drift, name="drift of joints"))
NEWTON = tuple(recursion(sweep, name=f"coordinates {sweep.name}") for sweep in (begin_turn, improve, end_turn))
IMPROVE = (recursion(begin_turns, name="coordinates begin"), Repeat(NEWTON, until="closed"))
PROJECT = (recursion(locate, name="locate joints"), *IMPROVE, recursion(measure, name="rates of joints"))
