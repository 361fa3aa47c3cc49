"""Joints as maximal coordinates see them: where they are, what they allow, and what they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.joint_laws import impedance_within
from redmax.dynamics.common.kinematics import motion
from redmax.dynamics.redmax.joints import begin
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.model.links import Link
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion
from redmax.trace import Graph, evaluate_numeric, jacobian
from redmax.trace.vector import vector_of


@dataclass(eq=False)
class Joints:
    """All joints at one instant, in joint frames: relative poses, motion subspaces, velocities."""

    G: np.ndarray  # (n, 4, 4) joint frames in the world
    X: np.ndarray  # (n, 6, 6) parent's twists to the child
    S: list[np.ndarray]  # (6, dof) each
    s: np.ndarray  # (n, 6) the twists that time alone brings
    bias: np.ndarray  # (n, 6) Sdot qdot + sdot - ad(V_rel) X V_p
    error: np.ndarray  # (n, 6) log(Q(q)^-1 E_rel)
    V: np.ndarray  # (n, 6) twists
    relative: np.ndarray  # (n, 6) V_i - X V_p
    q: np.ndarray
    qdot: np.ndarray
    configuration: np.ndarray


@dataclass(frozen=True, eq=False)
class JointMotions:
    """S, Sdot: (6, dof) of each joint;  E: (n, 4, 4), joint frames in their parents;  s, sdot: (n, 6), what time brings."""

    S: list[np.ndarray]
    Sdot: list[np.ndarray]
    E: np.ndarray
    s: np.ndarray
    sdot: np.ndarray


@forward
def place_joint(j: JointView, w: WorldView) -> None:
    X, m = motion(j, j.qdot, w)
    begin(j, X, m)
    j.drift = np.concatenate([m.s, m.sdot])


joint_motions = recursion(place_joint, name="joint motions")


def poses(flat: np.ndarray) -> np.ndarray:
    """(n, 4, 4) from (12 n,)."""
    E = np.tile(np.eye(4), (len(flat) // 12, 1, 1))
    E[:, :3] = flat.reshape(-1, 3, 4)
    return E


def complement(S: np.ndarray) -> np.ndarray:
    """An orthonormal basis (6, 6 - dof) of what the joint does not allow."""
    return np.linalg.qr(S, mode="complete")[0][:, S.shape[1] :]


def coordinates_along(S: list[np.ndarray], vectors: np.ndarray) -> np.ndarray:
    """The coordinates of the vectors' parts along S, one after the other: (S^T S)^-1 S^T v."""
    return np.concatenate([np.linalg.solve(s.T @ s, s.T @ v) for s, v in zip(S, vectors, strict=True)] or [np.zeros(0)])


def dual(S: np.ndarray) -> np.ndarray:
    """S (S^T S)^-1, (6, dof): the wrench along S of a unit joint force."""
    return np.linalg.solve(S.T @ S, S.T).T


def turned(row: np.ndarray, E: np.ndarray) -> np.ndarray:
    """(torque, force, point) in world axes, the point in body axes, as a wrench at the body's origin in body axes."""
    row = np.asarray(row, float)
    n, f = E[:3, :3].T @ row[:3], E[:3, :3].T @ row[3:6]
    return np.concatenate([n + np.cross(row[6:], f), f])


def stiffness_and_damping(
    link: Link, laws: Sequence[Callable[..., Any]], t: float, q: np.ndarray, qdot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """K and D of what acts within a joint, (dof, dof). laws: further torque functions of (t, q, qdot)."""
    n = link.joint.dof
    K, D = np.diag(-link.stiffness), np.diag(link.damping)
    own = own_force(link.joint) if link.joint.has_own("force") else None
    values = {"t": [t], "q": q, "qdot": qdot}
    for law in (link.torque, own, *laws):
        if law is None:
            continue
        slopes = np.array(evaluate_numeric(torque_slopes(law, n), lambda base, index: values[base][index]), float).reshape(2, n, n)
        more = impedance_within(slopes[0], slopes[1])
        K, D = K + more[0], D + more[1]
    return K, D


def exerted(force: JointForce, t: Any, q: Any, qdot: Any) -> Any:
    """A force within a joint, as a torque function of (t, q, qdot)."""
    return force.exerted(q, qdot, t)


@lru_cache(maxsize=256)
def own_force(joint: Joint) -> Callable[..., Any]:
    """What a joint itself exerts, as a torque function of (t, q, qdot)."""

    def exerted(t: Any, q: Any, qdot: Any) -> Any:
        force = joint.force(q, qdot)
        return np.zeros(joint.dof) if force is None else force

    return exerted


@lru_cache(maxsize=256)
def torque_slopes(torque: Any, n: int) -> list[Any]:
    """d tau/dq and d tau/d qdot of a scene's function, traced, one after the other."""
    graph = Graph()
    q, qdot = (vector_of(graph.inputs(name, n)) for name in ("q", "qdot"))
    tau = np.asarray(torque(graph.input("t", 0), q, qdot), object).ravel()
    return [*jacobian(tau, list(q)).ravel(), *jacobian(tau, list(qdot)).ravel()]
