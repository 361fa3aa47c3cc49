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
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.trace import Graph, jvp
from redmax.trace.evaluate import evaluate_numeric, substitute
from redmax.trace.vector import vector_of

Rates = tuple[Any, Any, Any]  # a motion and its first two derivatives in time, (dof,) each


def torque_within(stiffness: Any, damping: Any, rest: Any, q: Any, qdot: Any, exerted: Iterable[Any]) -> Any:
    """-k (q - rest) - d qdot, and what else is exerted; q has no spring where it has more entries than qdot."""
    total = -damping * qdot
    if len(q) == len(qdot):
        total = total - stiffness * (q - rest)
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


def followed_acceleration(level: str, rates: Rates, b: Any, q: Any, qdot: Any) -> Any:
    """qdd_p + 2b (qd_p - qd) + b^2 (q_p - q).

    A motion at the level of velocities has no q_p to hold, one at the level of accelerations no qd_p either.
    """
    if level == "acceleration":
        return rates[0]
    if level == "velocity":
        return rates[1] + 2.0 * b * (rates[0] - qdot)
    return rates[2] + 2.0 * b * (rates[1] - qdot) + b * b * (rates[0] - q)


def followed_velocity(level: str, rates: Rates, b: Any, h: Any, q: Any, qdot: Any) -> Any:
    """qd_p + b (q_p - q) at the end of a step h (b the gain at the level of velocities); qdot + h qdd_p from an acceleration."""
    if level == "acceleration":
        return qdot + h * rates[0]
    return rates[0] if level == "velocity" else rates[1] + b * (rates[0] - q)


def impedance_within(by_q: Any, by_qdot: Any) -> tuple[Any, Any]:
    """K and D, the symmetric parts of d tau/dq and -d tau/d qdot."""
    return 0.5 * (by_q + by_q.T), -0.5 * (by_qdot + by_qdot.T)


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
