"""What friction in joints changes of accelerations, along the tree: y = H^-1 x in O(n) (RedMax notes Alg. 10)."""

from __future__ import annotations

import numpy as np

from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.kinematics import with_rotor
from redmax.dynamics.recursive.joints import implicit_block, own_impedance
from redmax.dynamics.rubbing.terms import placed
from redmax.lie import Inertia
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion


@forward
def place_rubbing(j: JointView) -> None:
    j.X, j.S = placed(j)


@backward
def articulate_rubbing(j: JointView, p: ParentView, w: WorldView) -> None:
    """Lines 3-17, with what springs and dampers within joints and on single bodies add in an implicit step."""
    X, S = j.X, j.S
    M = j.M + Inertia.from_flat(j.M_hat)
    impedance = own_impedance(j) if "own" in j else None
    M = M if impedance is None else M + impedance
    if j.prescribed:
        p.M_hat += X.T @ M @ X
        p.B_hat += X.T @ j.B_hat
        return
    free = release(M, S, with_rotor(implicit_block(j, w), j, S), j.rub_push - S.T @ j.B_hat, j.name)
    j.U_Psi, j.Psi_u = free.U_Psi, free.solved
    p.M_hat += X.T @ free.Pi @ X
    p.B_hat += X.T @ free.passed(j.B_hat, j.rub_push)


@forward
def accelerate_rubbing(j: JointView, p: ParentView) -> None:
    A = j.X @ p.rub_A
    if j.prescribed:
        j.rub_y, j.rub_A = np.zeros(j.joint.dof), A
    else:
        j.rub_y = j.Psi_u - j.U_Psi.T @ A
        j.rub_A = A + j.S @ j.rub_y


along_tree = recursion(place_rubbing, articulate_rubbing, accelerate_rubbing, name="rubbing along the tree")


def solve_along_tree(model: Model) -> tuple[ProgramStage, ...]:
    """From rub_push to rub_y = H^-1 rub_push."""
    return (along_tree,)
