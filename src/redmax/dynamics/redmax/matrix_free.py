"""RedMax without its matrices: the right side of the reduced system in O(n), for a solver that needs only products with the left side.

    (J^T M J + P_r) qddot = tau - bias,   bias = -J^T (f - M Jdot qdot)

bias is the inverse dynamics of qddot = 0 (RedMax supplement Alg. 6, all joints prescribed). Where a joint's acceleration is prescribed, its
part of the left side is in bias already. J and Jdot, which have O(n^2) entries, are never filled. The left side is inverted along the tree
(RedMax notes Alg. 10), which is exact as long as no force couples bodies beside it; or by conjugate gradients (solve.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from redmax.dynamics.common.kinematics import felt, prescribed_acceleration, pushed, rotor_torque, still
from redmax.dynamics.recursive.joints import implicit_block, implicit_given
from redmax.dynamics.recursive.solve import accelerated, articulate_held, gathered, placement
from redmax.dynamics.recursive.system import velocity_terms
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion


class Solver(Protocol):
    """From given, bias, passive and joint_terms to qddot and, of prescribed joints, tau."""

    def stages(self) -> tuple[ProgramStage, ...]:
        """What runs behind the right side."""
        ...

    def fields(self, model: Model, **extra: Any) -> Fields:
        """The record of a program with these stages."""
        ...


@dataclass(frozen=True, eq=False)
class AlongTree:
    """Solves by Alg. 10. held: whether joints are prescribed, whose torques are then found."""

    held: bool

    def stages(self) -> tuple[ProgramStage, ...]:
        """Both sweeps, and then torques."""
        return (solve_along_tree, torques) if self.held else (solve_along_tree,)

    def fields(self, model: Model, **extra: Any) -> Fields:
        """No more than the right side needs."""
        return matrix_free_fields(model, **extra)


def bias_acceleration(j: JointView, p: ParentView) -> None:
    own = j.eta + j.S @ j.given if j.prescribed else j.eta
    j.Vdot = (j.X @ p.Vdot) + own
    j.F = (j.M @ j.Vdot) + j.B


@forward
def explicit_bias(j: JointView, p: ParentView, w: WorldView) -> None:
    bias_terms(j, p, w, stepped=False)


@forward
def stepped_bias(j: JointView, p: ParentView, w: WorldView) -> None:
    """The same, for an explicit step of h."""
    bias_terms(j, p, w, stepped=True)


def bias_terms(j: JointView, p: ParentView, w: WorldView, stepped: bool) -> None:
    velocity_terms(j, p, w, stepped)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive
    j.joint_terms = np.zeros(j.joint.dof**2)
    bias_acceleration(j, p)


@forward
def implicit_bias(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w, stepped=True)
    j.given = implicit_given(j, w)
    j.joint_terms = implicit_block(j, w).ravel()
    bias_acceleration(j, p)


@backward
def gather_bias(j: JointView, p: ParentView) -> None:
    X = j.X
    F = j.F + j.F_children - felt(j)
    j.bias = j.S.T @ F - pushed(j)
    if j.prescribed:
        j.bias = j.bias + rotor_torque(j, j.S, j.given)
    p.F_children += X.T @ F


def matrix_free_fields(model: Model, **extra: Any) -> Fields:
    joint = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v", "given": "v", "passive": "v", "bias": "v", "joint_terms": "vv"}
    placed = model.force_fields()
    down, state = {"V": 6, "Vdot": 6, "A": 6} | placed["down"], joint | placed["state"]
    up = {"F_children": 6, "M_hat": 21, "B_hat": 6}
    return Fields(down=down, up=up, state=state, sums=placed["sums"], world={"t": 1, "h": 1}, **extra)


@backward
def articulate_right_side(j: JointView, p: ParentView) -> None:
    articulate_held(j, p, j.given - j.bias)


@forward
def take_accelerations(j: JointView, p: ParentView) -> None:
    y = accelerated(j, p, held=True)
    j.qddot = j.given if j.prescribed else y


@forward
def accelerate_found(j: JointView, p: ParentView, w: WorldView) -> None:
    """Of all that moves because of the joints that are not prescribed: what the others do is in bias."""
    j.X, j.S = still(j, w)
    j.moved = np.zeros(j.joint.dof) if j.prescribed else j.qddot
    j.A = (j.X @ p.A) + j.S @ j.moved


@backward
def take_torques(j: JointView, p: ParentView) -> None:
    """What prescribed joints must exert beside their own springs and torque functions."""
    y = gathered(j, p, j.moved)
    if j.prescribed:
        j.tau = y + j.bias - j.passive


solve_along_tree = recursion(placement, articulate_right_side, take_accelerations, name="accelerations along the tree")
torques = recursion(accelerate_found, take_torques, name="torques along the tree")


def stages(implicit: bool, solver: Solver, stepped: bool = False) -> tuple[ProgramStage, ...]:
    """The right side, then the solver. stepped: for an explicit step of h."""
    explicit = (stepped_bias, "stepped bias") if stepped else (explicit_bias, "explicit bias")
    first, name = (implicit_bias, "implicit bias") if implicit else explicit
    return recursion(first, interactions(Part.WRENCH), gather_bias, name=name), *solver.stages()
