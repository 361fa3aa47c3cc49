"""What acts on bodies that move by themselves and on the joints between them, and what the joints ask for, at one instant.

Explicit steps ask for accelerations, with Baumgarte's terms; the rate of the constraint is exact:

    v - X v_p = Sdot qdot + sdot - ad(V_rel) X V_p - 2 b (V_rel - s - S qdot) - b^2 e      across S

Implicit steps, and those of `euler` beside constraints, ask for the relative twist at their end, V_rel + h (v - X v_p) = s - b e across S.
In implicit ones springs, dampers and torques of the joints count with their impedance, as those of the scene's forces do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import (
    ad,
    applied_wrench,
    minus_ad_transposed,
    motion,
    passive_torque,
    prescribed_acceleration,
    rotor_torque,
)
from redmax.dynamics.maximal.joints import along, joint_frame, joint_twist, relative_frame
from redmax.dynamics.maximal.solve import across
from redmax.dynamics.recursive.joints import implicit_given, prescribed_velocity
from redmax.joints.motion import Motion
from redmax.lie import Adjoint
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward


def body_terms(j: JointView, p: ParentView, w: WorldView) -> tuple[Motion, Any]:
    """Frames and twists, Coriolis forces and wrenches of one body; returns the joint's motion, and X V_p."""
    R, x = joint_frame(j, j.pose)
    j.R, j.x, j.V = R.ravel(), x, joint_twist(j, j.twist)
    if "o" in j:
        j.o = j.x if j.root else p.o
    if j.touched:
        j.applied = np.zeros(6)
    if j.pushed_at:
        j.pushed = np.zeros(j.joint.dof)
    j.X = Adjoint(*relative_frame(p, R, x))
    _, m = motion(j, j.qdot, w)
    j.S = m.S
    j.B = minus_ad_transposed(j.V, j.M @ j.V) - applied_wrench(j, w)
    j.passive = passive_torque(j, w)
    return m, j.X @ p.V


@forward
def explicit_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    m, carried = body_terms(j, p, w)
    b = w.baumgarte
    drift = m.bias(j.qdot) - ad(j.V - carried, carried)
    j.eta = across(j, m.S, drift - 2.0 * b * j.slip - b * b * j.gap)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive
    add_rotor(j, m, drift)


@forward
def symplectic_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    """Of `euler` beside constraints, whose rows ask for velocities: so do those of joints, as in implicit steps."""
    m, carried = body_terms(j, p, w)
    drift = m.bias(j.qdot) - ad(j.V - carried, carried)
    j.eta = asked_at_end(j, w, m, carried)
    j.given = j.qdot / w.h + prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive
    if j.prescribed:
        j.eta = j.eta + drift
    add_rotor(j, m, drift)


def asked_at_end(j: JointView, w: WorldView, m: Motion, carried: Any) -> Any:
    """(s - b e - V_rel) / h across S. Where rates add up accelerations, h times the drift of V_rel would add up too, and counts beside."""
    return across(j, m.S, (m.s - w.baumgarte * j.gap - (j.V - carried)) / w.h)


@forward
def implicit_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    implicit_asked(j, p, w)


def implicit_asked(j: JointView, p: ParentView, w: WorldView) -> None:
    """What an implicit step asks for, and is given."""
    m, carried = body_terms(j, p, w)
    if j.touched:
        j.own = np.zeros(36)
    drift = m.bias(j.qdot) - ad(j.V - carried, carried)
    j.eta = asked_at_end(j, w, m, carried)
    j.given = prescribed_velocity(j, w) / w.h if j.prescribed else implicit_given(j, w)
    if j.prescribed and ("motion" not in j or j.motion_level == "acceleration"):
        j.eta = j.eta + drift
    add_rotor(j, m, drift)


def add_rotor(j: JointView, m: Motion, drift: Any) -> None:
    """A rotor resists qddot = S+ (v - X v_p - drift), of which the system knows S+ (v - X v_p) alone."""
    if "armature" in j and not j.prescribed:
        j.given = j.given + rotor_torque(j, m.S, along(j, m.S, drift))
