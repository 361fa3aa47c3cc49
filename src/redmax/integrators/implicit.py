"""Linearly implicit Euler, of order 1 (RedMax notes Eq. 2.75, with the damping counted once).

    (M + h D - h^2 K) qdot1 = (M + h D) qdot0 + h f,   q1 = q0 + h qdot1

M, Coriolis and gravity at the start, f with all springs, dampers and torques at (t1, q0, qdot0), K = df/dq and D = -df/dqdot of the joints.
With a = (qdot1 - qdot0) / h it is (M + h D - h^2 K) a = f + h K qdot0: recursive dynamics with h D - h^2 K added to each joint's own block.
That is RedMax notes Alg. 10 as the exact solve, in O(n). Stable for any stiffness and damping within joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.kinematics import motion_rates, passive_torque
from redmax.dynamics.recursive import acceleration, reduce_joint, velocity_terms
from redmax.integrators.base import Method, fixed_step_program
from redmax.integrators.euler import step_symplectically
from redmax.model import Model
from redmax.program.program import Program
from redmax.program.sweep import backward, forward, once, recursion
from redmax.trace import jacobian


def stiffness_and_damping(j: Any, w: Any) -> tuple[Any, Any]:
    """K = d tau/dq and D = -d tau/d qdot of what acts within the joint, symmetric as the notes take them (after Baraff and Witkin)."""
    n = j.joint.dof
    K, D = np.diag(-j.stiffness).astype(object), np.diag(j.damping).astype(object)
    if "torque" in j:
        tau = passive_torque(j, w)
        by_q, by_qdot = jacobian(tau, list(j.q)), jacobian(tau, list(j.qdot))
        K, D = 0.5 * (by_q + by_q.T), -0.5 * (by_qdot + by_qdot.T)
    return K.reshape(n, n), D.reshape(n, n)


@forward
def implicit_velocity(j: Any, p: Any, w: Any) -> None:
    velocity_terms(j, p, w)
    if j.prescribed:
        j.given = (prescribed_velocity(j, w) - j.qdot) / w.h
    else:
        K, _ = stiffness_and_damping(j, w)
        j.given = j.tau + j.passive + w.h * (K @ j.qdot)


def prescribed_velocity(j: Any, w: Any) -> Any:
    """qd_p + b (q_p - q) at the end of the step (b the gain at the level of velocities)."""
    if "motion" not in j:
        return j.qdot + w.h * j.qddot
    q, qd, _ = motion_rates(j.motion, w.t, j.joint.dof)
    return qd + j.velocity_gain[0] * (q - j.q)


@backward
def implicit_inertia(j: Any, p: Any, w: Any) -> None:
    K, D = stiffness_and_damping(j, w)
    reduce_joint(j, p, w.h * D - (w.h * w.h) * K)


implicit_dynamics = recursion(implicit_velocity, implicit_inertia, acceleration, name="implicit dynamics")


@once
def to_end(w: Any) -> None:
    """Forces that depend on time are taken at the end of the step."""
    w.t = w.t0 + (w.k + 1.0) * w.h


clock_to_end = recursion(to_end, name="clock to end", core=False)


def program(model: Model) -> Program:
    return fixed_step_program("implicit", model, (clock_to_end, implicit_dynamics, step_symplectically))


IMPLICIT = Method("implicit", 1, False, program)
