"""What acts within one joint, each law once: its values may be numbers or traced scalars.

Springs, dampers and torques; motions that a joint is made to follow, at the level of positions, velocities or accelerations; stiffness and
damping, symmetric as the RedMax notes take them (after Baraff and Witkin); rotors of motors:

    T = 1/2 a qdot^2,   tau = a qddot                                of coordinates that last
    T = 1/2 a |w|^2,    tau = a W' wdot = a W' (W qddot + Wdot qdot)      of a ball joint, w = W qdot its angular velocity (w x a w is zero)

A rotor acts on the coordinates alone: what carries it about is part of a body, and its own angular momentum is left out, as in Pinocchio
and MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.trace import Graph, jvp
from redmax.trace.evaluate import substitute
from redmax.trace.vector import vector_of

Rates = tuple[Any, Any, Any]  # a motion, its velocities and their rates


def spring_within(joint: Joint, stiffness: Any, rest: Any, q: Any) -> Any:
    """-k (q - rest); of an element of a group, what velocities feel of -k log(rest^-1 q)."""
    away = joint.away(rest, q)
    return joint.pulled(away, -stiffness * away)


def energy_within(joint: Joint, stiffness: Any, rest: Any, q: Any) -> Any:
    """1/2 k (q - rest)^2, or 1/2 k |log(rest^-1 q)|^2."""
    away = joint.away(rest, q)
    return 0.5 * sum((k * x * x for k, x in zip(stiffness, away, strict=True)), 0.0)


def torque_within(spring: Any, damping: Any, qdot: Any, exerted: Iterable[Any]) -> Any:
    """The spring's torque, -d qdot, and what else is exerted."""
    total = spring - damping * qdot
    for tau in exerted:
        total = total if tau is None else total + tau
    return total


def acting_on_twist(B: Any, damping: Any, qdot: Any, exerted: Iterable[Any]) -> Any:
    """B' (-d V + ...): a damper and what else acts along the twist V = B qdot of a ball joint (angular) or a free one, as rates feel it."""
    total = -damping * (B @ qdot)
    for wrench in exerted:
        total = total + wrench
    return B.T @ total


def rotor_block(a: Any, W: Any) -> Any:
    """What a rotor adds to the inertia of its joint, (dof, dof). a: (dof,), or (1,) of a ball joint."""
    n = W.shape[1]
    return np.diag(a).astype(object).reshape(n, n) if len(a) == n else a[0] * (W.T @ W)


def followed_acceleration(level: str, rates: Rates, b: Any, joint: Joint, q: Any, qdot: Any) -> Any:
    """qdd_p + 2b (qd_p - qd) + b^2 (q_p - q), the last by the step from q to q_p.

    A motion at the level of velocities has no q_p to hold, one at the level of accelerations no qd_p either.
    """
    if level == "acceleration":
        return rates[0]
    if level == "velocity":
        return rates[1] + 2.0 * b * (rates[0] - qdot)
    return rates[2] + 2.0 * b * (rates[1] - qdot) + b * b * joint.difference(q, rates[0])


def followed_velocity(level: str, rates: Rates, b: Any, h: Any, joint: Joint, q: Any, qdot: Any) -> Any:
    """qd_p + b (q_p - q) at the end of a step h (b the gain at the level of velocities); qdot + h qdd_p from an acceleration."""
    if level == "acceleration":
        return qdot + h * rates[0]
    return rates[0] if level == "velocity" else rates[1] + b * joint.difference(q, rates[0])


def impedance_within(by_q: Any, by_qdot: Any) -> tuple[Any, Any]:
    """K and D, the symmetric parts of d tau/dq and -d tau/d qdot."""
    return 0.5 * (by_q + by_q.T), -0.5 * (by_qdot + by_qdot.T)


def motion_rates(function: Any, t: Any, joint: Joint, level: str = "position") -> Rates:
    """A prescribed motion and its first two derivatives at a traced time; of places the velocities that go with them, and their rates."""
    graph = Graph()
    time = graph.input("t", 0)
    q = list(np.ravel(np.asarray(function(time), object)))
    qd = jvp(q, {time: 1.0})
    if level == "position" and joint.nq != joint.dof:
        qd = list(joint.speeds(vector_of(q), vector_of(qd)))
    qdd = jvp(qd, {time: 1.0})
    values, n, m = substitute([*q, *qd, *qdd], lambda base, index: t), len(q), len(qd)
    return vector_of(values[:n]), vector_of(values[n : n + m]), vector_of(values[n + m :])
