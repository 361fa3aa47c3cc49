"""Implicit recursive dynamics: what the joints' own springs, dampers and torques do within a step is part of the system that is
solved.

For linearly implicit Euler, a = (qdot1 - qdot0) / h solves (M + h D - h^2 K) a = f + h K qdot0 (see integrators/implicit.py). K
and D act within single joints, so h D - h^2 K is added to each joint's own block and Alg. 10 of the RedMax notes is the exact
solve, in O(n).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from redmax.dynamics.common.joint_laws import followed_velocity, impedance_within, motion_rates
from redmax.dynamics.common.kinematics import coordinates, exerted_torque, passive_torque
from redmax.dynamics.recursive.system import acceleration, dynamics_fields, reduce_joint, velocity_terms
from redmax.joints.stepping import directions
from redmax.lie import Adjoint, Inertia
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.trace import jacobian, jvp


def stiffness_and_damping(j: JointView, w: WorldView) -> tuple[Any, Any]:
    """K = d tau/dq, along velocities, and D = -d tau/d qdot of what acts within a joint, symmetric as in the notes (Baraff, Witkin)."""
    n = j.joint.dof
    K, D = np.diag(-j.stiffness).astype(object), np.diag(j.damping).astype(object)
    if "torque" in j or j.joint.has_own("force") or j.joint_forces or "on_twist" in j or j.joint.nq != n:
        tau = exerted_torque(j, w)
        K, D = impedance_within(by_place(tau, j), jacobian(tau, list(j.qdot)))
    return K.reshape(n, n), D.reshape(n, n)


def by_place(values: Any, j: JointView) -> Any:
    """How values, (n,), change as the joint moves with each of its velocities, (n, dof)."""
    return np.array([jvp(list(values), moving) for moving in directions(j.joint, j.q)], object).reshape(-1, len(values)).T


def implicit_block(j: JointView, w: WorldView) -> Any:
    """h D - h^2 K."""
    K, D = stiffness_and_damping(j, w)
    return w.h * D - (w.h * w.h) * K


def implicit_given(j: JointView, w: WorldView) -> Any:
    """The right side: f + h K qdot for a joint whose force is given, the acceleration to the prescribed velocity for the others."""
    if j.prescribed:
        return (prescribed_velocity(j, w) - j.qdot) / w.h
    K, _ = stiffness_and_damping(j, w)
    return j.tau + passive_torque(j, w) + w.h * (K @ j.qdot)


def prescribed_velocity(j: JointView, w: WorldView) -> Any:
    """At the end of the step, of a joint that follows a motion; or by the acceleration given with the state."""
    if "motion" not in j:
        return j.qdot + w.h * j.qddot
    rates = motion_rates(j.motion, w.t, j.joint, j.motion_level)
    return followed_velocity(j.motion_level, rates, j.velocity_gain[0], w.h, j.joint, coordinates(j), j.qdot)


def own_impedance(j: JointView) -> Inertia | None:
    """h D - h^2 K of the forces that touch this body alone, in its joint frame: part of its inertia (Alg. 10 of the notes)."""
    if not j.touched:
        return None
    R = np.asarray(j.R, object).reshape(3, 3)
    return Inertia.from_matrix(np.asarray(j.own, object).reshape(6, 6)).congruence(Adjoint(R.T, np.zeros(3)))


@forward
def implicit_velocity(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w, stepped=True)
    if "own" in j:
        j.c = (j.X @ p.c) + j.eta
    if j.touched:
        j.own = np.zeros(36)
    j.given = implicit_given(j, w)


@backward
def implicit_inertia(j: JointView, p: ParentView, w: WorldView) -> None:
    reduce_joint(j, p, implicit_block(j, w), own_impedance(j))


implicit_dynamics = recursion(implicit_velocity, interactions(Part.IMPLICIT), implicit_inertia, acceleration, name="implicit dynamics")


def implicit_fields(model: Model, **extra: Any) -> Fields:
    """The record of the recursion where forces act, with the impedance that they add to the bodies they touch."""
    fields = dynamics_fields(False, model, **extra)
    down, state = {**fields.down, "c": 6}, {**fields.state, "own": 36}
    return replace(fields, down=down, state=state, sums={**fields.sums, "own": 36})
