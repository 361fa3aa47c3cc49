"""Products with the reduced inertia M_r = J^T M J and with its inverse, in O(n), without forming either.

y = M_r^-1 x: RedMax notes Alg. 10 (Sec. 2.13), which is Alg. 6 without velocities, gravity and external forces.
y = M_r x: inverse dynamics of the acceleration x, likewise.
M_r may have J^T blkdiag(P_m) J + P_r added, with P_m a symmetric 6x6 of each body, in its frame, and P_r a symmetric block of each joint:
what damping and stiffness within joints and bodies add to an implicit step. Where that is all there is, the inverse product is the step's
exact solution; else it is a preconditioner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.kinematics import still, with_rotor
from redmax.lie import Adjoint, Inertia
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion

TERMS = {"joint_terms": "vv", "body_terms": 21}


def body_inertia(j: JointView) -> Any:
    """M_j + P_j^m (line 7)."""
    if "body_terms" not in j:
        return j.M
    body = Adjoint(j.body_R, j.body_p)
    return j.M + (body.T @ Inertia.from_flat(j.body_terms) @ body)


def joint_block(j: JointView) -> Any:
    """P_j^r (line 6), with the inertia of the joint's rotor."""
    n = j.joint.dof
    return with_rotor(j.joint_terms.reshape(n, n) if "joint_terms" in j else np.zeros((n, n)), j, j.S)


@forward
def placement(j: JointView, w: WorldView) -> None:
    j.X, j.S = still(j, w)


def articulate_joint(j: JointView, p: ParentView, x: Any) -> None:
    """Lines 3-11 and 16-17."""
    X, S = j.X, j.S
    M = body_inertia(j) + Inertia.from_flat(j.M_hat)
    B = j.B_hat
    free = release(M, S, joint_block(j), x - S.T @ B, j.name)
    j.U_Psi, j.Psi_u = free.U_Psi, free.solved
    p.M_hat += X.T @ free.Pi @ X
    p.B_hat += X.T @ free.passed(B, x)


def articulate_held(j: JointView, p: ParentView, x: Any) -> None:
    """A held joint passes everything on, as a weld does."""
    if not j.prescribed:
        articulate_joint(j, p, x)
        return
    X = j.X
    p.M_hat += X.T @ (body_inertia(j) + Inertia.from_flat(j.M_hat)) @ X
    p.B_hat += X.T @ j.B_hat


def accelerated(j: JointView, p: ParentView, held: bool = False) -> Any:
    """y of lines 20-21, with the acceleration of the body. held: a prescribed joint does not move."""
    A = j.X @ p.A
    if held and j.prescribed:
        j.A = A
        return np.zeros(j.joint.dof)
    y = j.Psi_u - j.U_Psi.T @ A
    j.A = A + j.S @ y
    return y


def gathered(j: JointView, p: ParentView, x: Any) -> Any:
    """y = M_r x of a joint, given the accelerations of the bodies."""
    X = j.X
    F = (body_inertia(j) @ j.A) + j.B_hat
    p.B_hat += X.T @ F
    return j.S.T @ F + joint_block(j) @ x


@backward
def articulate(j: JointView, p: ParentView) -> None:
    articulate_joint(j, p, j.x)


@forward
def accelerate(j: JointView, p: ParentView) -> None:
    j.y = accelerated(j, p)


@backward
def articulate_unless_held(j: JointView, p: ParentView) -> None:
    articulate_held(j, p, j.x)


@forward
def accelerate_unless_held(j: JointView, p: ParentView) -> None:
    j.y = accelerated(j, p, held=True)


@forward
def accelerate_given(j: JointView, p: ParentView, w: WorldView) -> None:
    j.X, j.S = still(j, w)
    j.A = (j.X @ p.A) + j.S @ j.x


@backward
def gather_momentum(j: JointView, p: ParentView) -> None:
    j.y = gathered(j, p, j.x)


inverse_inertia_product = recursion(placement, articulate, accelerate, name="inverse inertia product")
held_inverse_product = recursion(placement, articulate_unless_held, accelerate_unless_held, name="held inverse inertia product")
inertia_product = recursion(accelerate_given, gather_momentum, name="inertia product")


def product_program(inverse: bool, terms: tuple[str, ...] = (), held: bool = False) -> Program:
    """y from q, x, the time and the terms that are given: P_r ("joint_terms") and P_m ("body_terms", 21 numbers as of `Inertia.flat`).

    held: prescribed joints do not move; their y is zero, and the inverse is that of the other joints' rows and columns.
    """
    chosen = (held_inverse_product if held else inverse_inertia_product) if inverse else inertia_product
    up = {"M_hat": 21, "B_hat": 6} if inverse else {"B_hat": 6}
    state = {"q": "q", "x": "v", "y": "v"} | {t: TERMS[t] for t in terms}
    fields = Fields(down={"A": 6}, up=up, state=state, world={"t": 1})
    return Program(chosen.name, (chosen,), fields, ("q", "x", "t", *terms), ("y",))
