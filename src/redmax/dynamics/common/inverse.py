"""Inverse dynamics in O(n): the joint forces that produce given accelerations, and what each joint transmits.

V_j = X V_p + S qd;  Vdot_j = X Vdot_p + S qdd + eta;  F_j = M_j Vdot_j - ad(V_j)^T M_j V_j - F_ext + sum_c X_c^T F_c;  tau_j = S^T F_j
(RedMax supplement Alg. 6, all joints prescribed). The joint's own spring and torque function are part of what produces the motion, so
tau is what must be added to them. The reaction F_j is the wrench of the parent on the child, in the user's joint frame.
"""

from __future__ import annotations

from redmax.dynamics.common.kinematics import felt, pushed, rotor_torque, stack
from redmax.dynamics.recursive.system import velocity_terms
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion


@forward
def body_accelerations(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w)
    j.Vdot = (j.X @ p.Vdot) + j.S @ j.qddot + j.eta
    j.F = (j.M @ j.Vdot) + j.B


@backward
def joint_forces(j: JointView, p: ParentView) -> None:
    X = j.X
    F = j.F + j.F_children - felt(j)
    j.tau = j.S.T @ F - j.passive - pushed(j) + rotor_torque(j, j.S, j.qddot)
    j.reaction = stack(list(j.C @ F[:3]), list(j.C @ F[3:]))
    p.F_children += X.T @ F


inverse_dynamics = recursion(body_accelerations, interactions(Part.WRENCH), joint_forces, name="inverse dynamics")


def inverse_fields(wrench: bool, model: Model) -> Fields:
    placed = model.force_fields()
    given = {"wrench": 6} if wrench else {}
    return Fields(
        down={"V": 6, "Vdot": 6} | placed["down"],
        up={"F_children": 6},
        state={"q": "q", "qdot": "v", "qddot": "v", "tau": "v", "reaction": 6} | given | placed["state"],
        sums=placed["sums"],
        world={"t": 1},
    )
