"""Momenta of the coordinates, p = dL/dqdot = sum J' M V, and their way back; what acts on bodies; and the end of a step:

    p_k+1 = sum J(q_k+1)' F_1 + h/2 f_k+1 + r,      f: of gravity, springs, dampers, torques and all other forces

r is what Newton's method left over (step.py): with it p changes by the impulse of the forces alone, to rounding, wherever it stopped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.joint_laws import motion_rates
from redmax.dynamics.common.kinematics import (
    applied_wrench,
    exerted_torque,
    felt,
    motion,
    place_frame,
    pushed,
    rotor_torque,
    with_rotor,
)
from redmax.integrators.variational.step import FARTHEST, spun_at
from redmax.lie import Inertia
from redmax.math import where
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion


@forward
def velocity(j: JointView, p: ParentView, w: WorldView) -> None:
    j.X, m = motion(j, j.qdot, w)
    j.S = m.S
    j.V = (j.X @ p.V) + m.twist(j.qdot)


@backward
def momentum(j: JointView, p: ParentView) -> None:
    """Of a joint whose motion is given, p is its rate."""
    P = (j.M @ j.V) + j.F_hat
    p.F_hat += j.X.T @ P
    j.p = j.qdot if j.prescribed else j.S.T @ P + rotor_torque(j, j.S, j.qdot)


@forward
def frame(j: JointView, w: WorldView) -> None:
    j.X, m = motion(j, j.qdot, w)
    j.S, j.drift = m.S, m.s


@backward
def articulate(j: JointView, p: ParentView) -> None:
    """As Alg. 6 of the RedMax supplement, with twists for accelerations: the rates of prescribed joints are given."""
    X, M, B = j.X, j.M + Inertia.from_flat(j.M_hat), j.B_hat
    if j.prescribed or j.joint.dof == 0:
        p.M_hat += X.T @ M @ X
        p.B_hat += X.T @ (B + (M @ (j.drift + j.S @ j.p)) if j.joint.dof else B + (M @ j.drift))
        return
    free = release(M, j.S, with_rotor(0.0, j, j.S), j.p - j.S.T @ B, j.name)
    j.U_Psi, j.Psi_u, Pi = free.U_Psi, free.solved, free.Pi
    p.M_hat += X.T @ Pi @ X
    p.B_hat += X.T @ (free.passed(B, j.p) + (Pi @ j.drift))


@forward
def rates(j: JointView, p: ParentView, w: WorldView) -> None:
    """qdot = M(q)^-1 p; and whether a body turns by more in a step than these see."""
    V = (j.X @ p.V) + j.drift
    if j.joint.dof:
        j.qdot = j.p if j.prescribed else j.Psi_u - j.U_Psi.T @ V
        V = V + j.S @ j.qdot
    j.V = V
    turn = w.h * V[:3]
    w.gather("turned_far", where(turn @ turn > FARTHEST * FARTHEST, 1.0, 0.0))


def load_joint(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where the body is and how it moves in the mean of a step, and what gravity and given wrenches do to it, in its frame."""
    j.X, m = motion(j, j.qdot, w)
    place_frame(j, p, j.X)
    j.S, j.V, j.Vdot = m.S, (j.X @ p.V) + m.twist(j.qdot), j.X @ p.Vdot
    j.W = applied_wrench(j, w) - (j.M @ j.Vdot)


def gather_load(j: JointView, p: ParentView, w: WorldView) -> Any:
    """h/2 J' W of all that acts on bodies, and of what forces add to the coordinates, (dof,)."""
    W = j.W + felt(j) + j.W_hat
    p.W_hat += j.X.T @ W
    return (0.5 * w.h) * (j.S.T @ W + pushed(j))


@forward
def weigh(j: JointView, p: ParentView, w: WorldView) -> None:
    load_joint(j, p, w)


@backward
def gather(j: JointView, p: ParentView, w: WorldView) -> None:
    j.load = gather_load(j, p, w)


@forward
def arrive(j: JointView, p: ParentView, w: WorldView) -> None:
    """The step ends where it was found to."""
    j.q = j.q_end
    load_joint(j, p, w)


@backward
def conclude(j: JointView, p: ParentView, w: WorldView) -> None:
    F = j.F1 + j.F_hat
    p.F_hat += j.X.T @ F
    j.load = gather_load(j, p, w)
    if not j.prescribed:
        j.p = j.r + j.S.T @ F + spun_at(j, j.S) + j.load + (0.5 * w.h) * (j.tau + exerted_torque(j, w))
    else:
        j.p = prescribed_rate(j, w)


def prescribed_rate(j: JointView, w: WorldView) -> Any:
    """At the end of a step; of accelerations, by the trapezoidal rule."""
    if "motion" not in j:
        return j.p
    if j.motion_level == "acceleration":
        before, after = (np.ravel(np.asarray(j.motion(t), object)) for t in (w.t - w.h, w.t))
        return j.p + (0.5 * w.h) * (before + after)
    rates = motion_rates(j.motion, w.t, j.joint, j.motion_level)
    return rates[0] if j.motion_level == "velocity" else rates[1]


find_momentum = recursion(velocity, momentum, name="variational momentum")
find_rates = recursion(frame, articulate, rates, name="variational rates")
find_loads = recursion(weigh, interactions(Part.WRENCH), gather, name="variational loads")
conclusion = recursion(arrive, interactions(Part.WRENCH), conclude, name="variational conclusion")
