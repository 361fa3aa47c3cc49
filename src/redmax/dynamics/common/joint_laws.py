"""What acts within one joint, of numbers: the prescribed motions and impedances of `kinematics` and `impedance`, for solvers in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import float_rates
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.model.links import Link
from redmax.trace import Graph, evaluate_numeric, jacobian
from redmax.trace.vector import vector_of


def prescribed_acceleration(link: Link, t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """As kinematics.prescribed_acceleration, of numbers."""
    given, g = float_rates(link.motion, t, link.joint.dof), link.gain
    if link.motion_level == "acceleration":
        return given[0]
    if link.motion_level == "velocity":
        return given[1] + 2 * g * (given[0] - qdot)
    return given[2] + 2 * g * (given[1] - qdot) + g * g * (given[0] - q)


def prescribed_velocity(link: Link, t: float, h: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """As recursive.joints.prescribed_velocity, of numbers."""
    given = float_rates(link.motion, t, link.joint.dof)
    if link.motion_level == "acceleration":
        return qdot + h * given[0]
    return given[0] if link.motion_level == "velocity" else given[1] + link.velocity_gain * (given[0] - q)


def stiffness_and_damping(
    link: Link, laws: Sequence[Callable[..., Any]], t: float, q: np.ndarray, qdot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As recursive.joints.stiffness_and_damping, of numbers: K and D, (dof, dof). laws: further torque functions of (t, q, qdot)."""
    n = link.joint.dof
    K, D = np.diag(-link.stiffness), np.diag(link.damping)
    own = own_force(link.joint) if link.joint.has_own("force") else None
    values = {"t": [t], "q": q, "qdot": qdot}
    for law in (link.torque, own, *laws):
        if law is None:
            continue
        slopes = np.array(evaluate_numeric(torque_slopes(law, n), lambda base, index: values[base][index]), float).reshape(2, n, n)
        by_q, by_qdot = 0.5 * (slopes + slopes.transpose(0, 2, 1))
        K, D = K + by_q, D - by_qdot
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
