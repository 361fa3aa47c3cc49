"""Implicit steps where forces couple bodies beyond the tree: the reduced system as a matrix, filled and solved in compiled loops.

    (J^T (M + h D - h^2 K) J + h D_r - h^2 K_r) a = f + h K qdot      (RedMax notes Eq. 2.75, for a = (qdot1 - qdot0) / h)

M enters as the momenta of composite bodies, the forces as blocks between the bodies they touch (forces/law.py), the joints' own springs and
dampers as blocks of theirs. f is the inverse dynamics of qddot = 0. Cost: O(n) for f, n^2 for the entries, n^3/6 for the solve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import felt, pushed, with_rotor
from redmax.dynamics.recursive.joints import implicit_block, implicit_given
from redmax.dynamics.recursive.system import velocity_terms
from redmax.lie import Inertia
from redmax.lie.three import cross
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion
from redmax.solvers.reduced_matrix import ReducedMatrix
from redmax.trace.vector import vector_of


def turned(R: Any, arm: Any, columns: Any) -> Any:
    """Columns (6, n) of (a; b) as (R a; R b + arm x R a), dof by dof: a twist seen from the world about another origin."""
    result: list[Any] = []
    for column in np.asarray(columns, object).T:
        a, b = R @ column[:3], R @ column[3:]
        result += [*a, *(b + vector_of(cross(list(arm), list(a))))]
    return vector_of(result)


@forward
def coupled_velocity(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w, stepped=True)
    j.given = implicit_given(j, w)
    j.block = with_rotor(implicit_block(j, w), j, j.S).ravel()
    j.Vdot = (j.X @ p.Vdot) + j.eta
    j.F = (j.M @ j.Vdot) + j.B
    j.twist = turned(np.asarray(j.R, object).reshape(3, 3), j.x - j.o, j.S)
    if j.touched:
        j.own = np.zeros(36)


@backward
def composite_momentum(j: JointView, p: ParentView) -> None:
    """The momentum of all that a coordinate moves, and the force that qddot = 0 takes."""
    X, R = j.X, np.asarray(j.R, object).reshape(3, 3)
    M = j.M + Inertia.from_flat(j.M_hat)
    F = j.F + j.F_children - felt(j)
    U = M @ j.S
    swapped = np.concatenate([U[3:], U[:3]])  # a momentum is turned as a twist is, with force and torque in each other's place
    flat = turned(R, j.x - j.o, swapped).reshape(-1, 6)
    j.momentum = np.concatenate([flat[:, 3:], flat[:, :3]], axis=1).ravel()
    j.bias = j.S.T @ F - pushed(j)
    j.right = j.given - j.bias
    p.M_hat += X.T @ M @ X
    p.F_children += X.T @ F


@forward
def take_torques(j: JointView) -> None:
    """What prescribed joints must exert beside their own springs and torque functions."""
    if j.prescribed:
        j.tau = j.product + j.bias - j.passive


def coupled_fields(model: Model, **extra: Any) -> Fields:
    placed = model.force_fields(origin=True)
    joint: dict[str, Any] = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v", "given": "v", "right": "v", "bias": "v", "product": "v"}
    joint |= {"passive": "v", "block": "vv", "twist": "6v", "momentum": "6v"}
    return Fields(
        down={"V": 6, "Vdot": 6} | placed["down"],
        up={"M_hat": 21, "F_children": 6},
        state={"own": 36} | placed["state"] | joint,  # what forces add to first, where it is for all kinds of joints
        sums={"own": 36} | placed["sums"],
        world={"t": 1, "h": 1},
        **extra,
    )


def fill(part: Part = Part.IMPLICIT) -> Recursion:
    return recursion(coupled_velocity, interactions(part), composite_momentum, name=f"coupled {part}")


torques = recursion(take_torques, name="torques of prescribed joints")


def stages(model: Model) -> tuple[ProgramStage, ...]:
    """Fill the system and solve it."""
    H = ReducedMatrix(tuple(link.joint.dof for link in model.links), tuple(model.prescribed))
    last = (torques,) if any(model.prescribed) else ()
    solve = H.solve("right", "given", "qddot", "product")
    return *H.clear(), fill(), *H.assemble("twist", "momentum", "block", "own"), *solve, *last
