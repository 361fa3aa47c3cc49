"""Inverse dynamics that leaves in the record what derivatives at the same state begin with (linearised.py): V, Vdot, F, and all frames.

F = M Vdot + B - (forces on the body) + sum of X' F over the children,     needed = S' F - (own springs and torques)
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.common.kinematics import felt, pushed, rotor_torque
from redmax.dynamics.recursive.system import velocity_terms
from redmax.program.record import JointView, ParentView, WorldView


def move_joint(j: JointView, p: ParentView, w: WorldView) -> None:
    """Frame, twist and acceleration at q, qdot, qddot, and what moving the body alone takes, in its own frame."""
    velocity_terms(j, p, w)
    j.Vdot = (j.X @ p.Vdot) + j.S @ j.qddot + j.eta
    j.inertial = (j.M @ j.Vdot) + j.B


def transmit(j: JointView, p: ParentView) -> Any:
    """F; and what the joint must exert beside its own springs and torques, (dof,), of which tau may be a part."""
    j.F = j.inertial + j.F_hat - felt(j)
    p.F_hat += j.X.T @ j.F
    return j.S.T @ j.F - j.passive - pushed(j) + rotor_torque(j, j.S, j.qddot)
