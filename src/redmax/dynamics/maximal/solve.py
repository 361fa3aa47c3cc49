"""Accelerations of bodies whose joints are constraints: a symmetric indefinite (KKT) system, eliminated along the tree in O(n).

    M_i v_i = f_i + F_i - sum_c X_c^T F_c,     S_i^T F_i = tau_i - Z_i S_i+ (v_i - X_i v_p),     N_i^T (v_i - X_i v_p - g_i) = 0

F_i is the wrench of the joint on body i with parent p, N_i a basis of the complement of S_i, g_i what the constraint asks for, and Z_i the
impedance of what acts in the joint (implicit steps). The rows say v_i = X_i v_p + P_i g_i + S_i a_i with a_i free and P = 1 - S S+, for any
N. From the leaves to the root (after Baraff 1996, Linear-time dynamics using Lagrange multipliers) each body and its rows are eliminated
into the inertia of its parent, which is what the recursion over articulated bodies does (recursive/system.py). A joint whose motion is
prescribed has all six rows: v_i = X_i v_p + g_i + S_i a_i with a_i given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.maximal.joints import along
from redmax.dynamics.recursive.joints import implicit_block
from redmax.dynamics.recursive.system import accelerate_joint, reduce_joint
from redmax.lie import Adjoint, Inertia
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward


def across(j: JointView, S: Any, V: Any) -> Any:
    """P V: the part of a twist that the joint does not allow. What is prescribed of a joint, all of it is."""
    return V if j.prescribed or not j.joint.dof else V - S @ along(j, S, V)


def falling(j: JointView) -> Any:
    """The acceleration of weight, in joint axes."""
    return np.concatenate([np.zeros(3), np.asarray(j.R, object).reshape(3, 3).T @ j.gravity])


def own_impedance(j: JointView) -> Inertia | None:
    """h D - h^2 K of the forces that touch this body, in its joint frame; they give it about the joint frame, in world axes."""
    if not j.touched:
        return None
    R = np.asarray(j.R, object).reshape(3, 3)
    return Inertia.from_matrix(np.asarray(j.own, object).reshape(6, 6)).congruence(Adjoint(R.T, np.zeros(3)))


@backward
def eliminate(j: JointView, p: ParentView) -> None:
    reduce_joint(j, p, 0.0)


@backward
def eliminate_implicitly(j: JointView, p: ParentView, w: WorldView) -> None:
    """Impedance resists what the body does in the world: its acceleration seen from a falling frame, and the fall."""
    j.c = -falling(j)
    reduce_joint(j, p, implicit_block(j, w), own_impedance(j))


@forward
def accelerate(j: JointView, p: ParentView) -> None:
    """v of the joint frame, seen from a falling frame; and the rate of the body's twist."""
    accelerate_joint(j, p)
    j.twist_rate = Adjoint(j.body_R, j.body_p) @ (j.Vdot + falling(j))
