"""RedMax without its matrices: the right side of the reduced system in O(n), for a solver that needs only products with the left side.

    (J^T M J + P_r) qddot = tau - bias,   bias = -J^T (f - M Jdot qdot)

bias is the inverse dynamics of qddot = 0 (RedMax supplement Alg. 6, all joints prescribed). Where a joint's acceleration is prescribed, its
part of the left side is in bias already. J and Jdot, which have O(n^2) entries, are never filled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import felt, prescribed_acceleration, pushed
from redmax.dynamics.recursive.joints import implicit_block, implicit_given
from redmax.dynamics.recursive.system import velocity_terms
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Host, ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, interactions, recursion

Solver = Callable[[Any], None]  # reads q, given, bias, passive and block, writes qddot and, of prescribed joints, tau


def bias_acceleration(j: JointView, p: ParentView) -> None:
    own = j.eta + j.S @ j.given if j.prescribed else j.eta
    j.Vdot = (j.X @ p.Vdot) + own
    j.F = (j.M @ j.Vdot) + j.B


@forward
def explicit_bias(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive
    j.block = np.zeros(j.joint.dof**2)
    bias_acceleration(j, p)


@forward
def implicit_bias(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w)
    j.given = implicit_given(j, w)
    j.block = implicit_block(j, w).ravel()
    bias_acceleration(j, p)


@backward
def gather_bias(j: JointView, p: ParentView) -> None:
    X = j.X
    F = j.F + j.F_children - felt(j)
    j.bias = j.S.T @ F - pushed(j)
    p.F_children += X.T @ F


def matrix_free_fields(model: Model, **extra: Any) -> Fields:
    joint = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v", "given": "v", "passive": "v", "bias": "v", "block": "vv"}
    placed = model.force_fields()
    down, state = {"V": 6, "Vdot": 6} | placed["down"], joint | placed["state"]
    return Fields(down=down, up={"F_children": 6}, state=state, sums=placed["sums"], world={"t": 1, "h": 1}, **extra)


def stages(implicit: bool, solve: Solver) -> tuple[ProgramStage, ...]:
    """The right side, then the solver."""
    first, name = (implicit_bias, "implicit bias") if implicit else (explicit_bias, "explicit bias")
    return recursion(first, interactions("wrench"), gather_bias, name=name), Host("solve reduced system", solve)
