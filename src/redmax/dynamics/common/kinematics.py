"""What every recursion begins with: the motion of one joint, and the applied forces that act on it.

Frames: j is the joint frame fixed to the child, E its pose in the parent's joint frame, X = Ad(E^-1). Twists are (angular; linear).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.joints.motion import Motion, traced_motion
from redmax.lie import Adjoint
from redmax.lie.three import cross
from redmax.program.record import JointView, ParentView, WorldView
from redmax.trace import Graph, jvp
from redmax.trace.evaluate import evaluate_numeric, substitute
from redmax.trace.vector import vector_of


def motion(j: JointView, qdot: Any, w: WorldView) -> tuple[Adjoint, Motion]:
    """X of a joint at j.q, with S, Sdot and what time brings (RedMax supplement Alg. 6 line 2)."""
    m = traced_motion(j.joint, j.q, qdot, w.t)
    return Adjoint(j.R0 @ m.E[:3, :3], j.p0 + j.R0 @ m.E[:3, 3]), m


def still(j: JointView, w: WorldView) -> tuple[Adjoint, Any]:
    """X and S where no velocity is involved."""
    X, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
    return X, m.S


def ad(V: Any, W: Any) -> Any:
    """ad(V) W = (w x a; v x a + w x b) with V = (w; v), W = (a; b)."""
    w, v, a, b = list(V[:3]), list(V[3:]), list(W[:3]), list(W[3:])
    return stack(cross(w, a), plus(cross(v, a), cross(w, b)))


def minus_ad_transposed(V: Any, F: Any) -> Any:
    """-ad(V)^T F = (w x n + v x f; w x f) with V = (w; v), F = (n; f): the rate of momentum seen from the moving frame."""
    w, v, n, f = list(V[:3]), list(V[3:]), list(F[:3]), list(F[3:])
    return stack(plus(cross(w, n), cross(v, f)), cross(w, f))


def plus(a: list[Any], b: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def stack(a: list[Any], b: list[Any]) -> np.ndarray:
    return vector_of([*a, *b])


def passive_torque(j: JointView, w: WorldView) -> Any:
    """The joint's spring and damper, -k (q - rest) - d qdot, what it exerts itself, the scene's torque function and forces within it."""
    total = -j.damping * j.qdot
    if j.joint.nq == j.joint.dof:
        total = total - j.stiffness * (coordinates(j) - j.rest)
    if j.joint.has_own("force"):
        exerted = j.joint.force(j.q, j.qdot)
        total = total if exerted is None else total + exerted
    if "torque" in j:
        total = total + np.asarray(j.torque(w.t, coordinates(j), j.qdot), object)
    for force in j.joint_forces:
        total = total + force.exerted(coordinates(j), j.qdot, w.t)
    return total


def coordinates(j: JointView) -> Any:
    """The joint's configuration without the charts in use."""
    return j.q[: j.joint.nq]


def applied_wrench(j: JointView, w: WorldView) -> Any:
    """F_ext of Alg. 6, in the joint frame: what is given with the state, and the scene's wrenches. j.R: the joint frame in the world."""
    body = Adjoint(j.body_R, j.body_p)
    total: Any = np.zeros(6).astype(object)
    if "wrench" in j:
        total = total + (body.T @ j.wrench)
    if "body_wrench" in j:
        total = total + (body.T @ np.asarray(j.body_wrench(w.t), object))
    if "world_wrench" in j:
        to_body = (np.asarray(j.R, object).reshape(3, 3) @ j.body_R).T
        for row in np.asarray(j.world_wrench(w.t), object):
            n, f, point = to_body @ row[:3], to_body @ row[3:6], list(row[6:])
            total = total + (body.T @ stack(plus(list(n), cross(point, list(f))), list(f)))
    return total


def place_frame(j: JointView, p: ParentView, X: Adjoint) -> None:
    """Where the joint frame is in the world, for forces that ask; and nothing yet of what they will add."""
    if "R" not in j:
        return
    Rp = np.asarray(p.R, object).reshape(3, 3)
    j.R = (Rp @ X.R).ravel()
    if "x" in j:
        j.x = p.x + Rp @ np.asarray(X.p, object)
    if "o" in j:
        j.o = j.x if j.root else p.o
    if j.touched and "applied" in j:
        j.applied = np.zeros(6)
    if j.pushed_at and "pushed" in j:
        j.pushed = np.zeros(j.joint.dof)


def felt(j: JointView) -> Any:
    """What forces have added, in joint axes."""
    if not j.touched or "applied" not in j:
        return np.zeros(6).astype(object)
    R = np.asarray(j.R, object).reshape(3, 3)
    return np.concatenate([R.T @ j.applied[:3], R.T @ j.applied[3:]])


def pushed(j: JointView) -> Any:
    """What forces have added to the joint's own coordinates."""
    return j.pushed if j.pushed_at and "pushed" in j else np.zeros(j.joint.dof).astype(object)


def prescribed_acceleration(j: JointView, w: WorldView) -> Any:
    """qdd_p + 2b (qd_p - qd) + b^2 (q_p - q), with the rates of the traced motion exact; or the acceleration given with the state.

    A motion at the level of velocities has no q_p to hold, one at the level of accelerations no qd_p either.
    """
    if "motion" not in j:
        return j.qddot
    given = motion_rates(j.motion, w.t, j.joint.dof)
    b = j.gain[0]
    if j.motion_level == "acceleration":
        return given[0]
    if j.motion_level == "velocity":
        qd, qdd, _ = given
        return qdd + 2.0 * b * (qd - j.qdot)
    q, qd, qdd = given
    return qdd + 2.0 * b * (qd - j.qdot) + b * b * (q - coordinates(j))


def float_rates(function: Any, t: float, dof: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A prescribed motion and its first two derivatives at a time."""
    found = evaluate_numeric(traced_motion_rates(function, dof), lambda base, index: t)
    values = np.array(found, float).reshape(3, dof)
    return values[0], values[1], values[2]


@lru_cache(maxsize=256)
def traced_motion_rates(function: Any, dof: int) -> list[Any]:
    return [x for part in motion_rates(function, Graph().input("t", 0), dof) for x in part]


def motion_rates(function: Any, t: Any, dof: int) -> tuple[Any, Any, Any]:
    """A prescribed motion and its first two derivatives at a traced time."""
    graph = Graph()
    time = graph.input("t", 0)
    q = list(np.ravel(np.asarray(function(time), object)))
    qd = jvp(q, {time: 1.0})
    qdd = jvp(qd, {time: 1.0})
    values = substitute([*q, *qd, *qdd], lambda base, index: t)
    parts = [vector_of(values[i * dof : (i + 1) * dof]) for i in range(3)]
    return parts[0], parts[1], parts[2]
