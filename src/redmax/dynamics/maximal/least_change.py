"""Bodies that move by themselves put back on their joints by the least change there is, measured by kinetic energy.

    places:  q <- q + dq,   dq: the least of  sum over bodies of |xi - J dq|^2_M,       xi = log(E(q)^-1 E) of bodies that are at E
    rates:   qdot:          the least of  sum over bodies of |V - s - J qdot|^2_M        V their twists, s what time brings

(with the inertia of rotors among it). The change is what an impulse of the joints would do. Rates that are nearest joint by joint, without
regard to masses, are no such thing: a step that asks for velocities at its end leaves slip of the first order in dt, and taking that out
by anything but impulses of joints is a force that nobody exerts, which drives a pendulum to any energy. Both are one recursion over
articulated bodies (recursive/system.py), with momenta in place of forces. It begins at the coordinates nearest joint by joint (joints.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import motion, rotor_torque, still
from redmax.dynamics.maximal.joints import CLOSE, PROJECT, joint_frame, joint_twist
from redmax.dynamics.recursive.system import reduce_joint
from redmax.joints.nearest import small_log
from redmax.lie import Adjoint
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion


def aim(j: JointView, X: Adjoint, S: Any, eta: Any, wanted: Any, known: Any) -> None:
    """What the recursion reads: the twist that a body is wanted to have, and what its joint is known to do, or its rotor to have."""
    if j.touched:
        j.applied = np.zeros(6)
    if j.pushed_at:
        j.pushed = np.zeros(j.joint.dof)
    j.X, j.S, j.eta = X, S, eta
    j.B = -(j.M @ wanted)
    j.given = known if j.prescribed else rotor_torque(j, S, known)


@forward
def aim_places(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where the body is, seen from where its coordinates have it."""
    X, S = still(j, w)
    R_p = np.asarray(p.R, object).reshape(3, 3)
    R, x = R_p @ X.R, p.x + R_p @ np.asarray(X.p, object)
    j.R, j.x = R.ravel(), x
    at, place = joint_frame(j, j.pose)
    still_there = np.zeros(j.joint.dof).astype(object)
    aim(j, X, S, np.zeros(6).astype(object), small_log(R.T @ at, R.T @ (place - x)), still_there)


@forward
def aim_rates(j: JointView, p: ParentView, w: WorldView) -> None:
    """How the body moves."""
    X, m = motion(j, j.qdot, w)
    aim(j, X, m.S, m.s, joint_twist(j, j.twist), j.qdot)


@backward
def weigh(j: JointView, p: ParentView) -> None:
    reduce_joint(j, p, 0.0)


def found(j: JointView, p: ParentView) -> Any:
    """What the joint does. The world's own Vdot is weight."""
    A = j.eta if j.root else (j.X @ p.Vdot) + j.eta
    y = j.given if j.prescribed else j.Psi_u - j.U_Psi.T @ A
    j.Vdot = A + j.S @ y
    return y


@forward
def shift(j: JointView, p: ParentView) -> None:
    dq = found(j, p)
    if j.joint.dof and not j.prescribed:
        j.q = j.joint.retract(j.q, dq)


@forward
def settle(j: JointView, p: ParentView) -> None:
    j.qdot = found(j, p)


LEAST_CHANGE: tuple[ProgramStage, ...] = (
    *PROJECT,
    recursion(aim_places, weigh, shift, name="least change of places"),
    recursion(aim_rates, weigh, settle, name="least change of rates"),
    CLOSE[0],
)
