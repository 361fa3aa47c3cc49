"""The reduced system of RedMax by conjugate gradients with O(n) products, RedMax notes Alg. 10 as the preconditioner P.

    A x = b,  A = J^T M J + P_r over the joints that are not prescribed;   z = P r,  p = z;   alpha = r'z / p'A p,   x += alpha p,
    r -= alpha A p,   z = P r,   p = z + (r'z / old r'z) p        until  r'z <= tolerance^2 b'P b       (Hestenes and Stiefel 1952)

r'z measures the error of x in A's norm, and adds no forces to torques. P is A^-1 but for rounding here, so that the first guess P b mostly
does, and has the derivatives of the solution even where b is zero. The residual r is updated, not recomputed, so that it reaches any
tolerance. Each world takes the turns that it needs. Where A or P is not positive definite, or the turns do not suffice, the accelerations
are not finite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import still
from redmax.dynamics.recursive.solve import accelerated, articulate_held, gathered
from redmax.dynamics.redmax.matrix_free import AlongTree, Solver, matrix_free_fields, torques
from redmax.math import where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage, Repeat
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, once, recursion

TOLERANCE = 1e-12
JOINT = {"found": "v", "residual": "v", "search": "v", "product": "v", "preconditioned": "v"}  # x, r, p, A p, z
WORLD = {"rz": 1, "rz_before": 1, "pAp": 1, "whole": 1, "alpha": 1, "beta": 1, "turns": 1, "most": 1, "solved": 1}


@once
def clear_sums(w: WorldView) -> None:
    w.rz, w.beta, w.turns, w.most = 0.0, 0.0, 0.0, 50.0


@forward
def begin(j: JointView, w: WorldView) -> None:
    """x = 0, r = b; and how many turns there may be, as rounding costs some beyond the n of exact arithmetic."""
    j.X, j.S = still(j, w)
    j.found = j.search = np.zeros(j.joint.dof)
    j.residual = j.found if j.prescribed else j.given - j.bias
    w.gather("most", 10.0 * j.joint.dof)


@backward
def articulate_residual(j: JointView, p: ParentView) -> None:
    articulate_held(j, p, j.residual)


@forward
def precondition(j: JointView, p: ParentView, w: WorldView) -> None:
    j.preconditioned = accelerated(j, p, held=True)
    if j.joint.dof:
        w.gather("rz", j.residual @ j.preconditioned)


@once
def guess(w: WorldView) -> None:
    """x = P b: a step of length one."""
    w.whole, w.alpha, w.rz, w.pAp = w.rz, 1.0, 0.0, 0.0


@once
def compare_guess(w: WorldView) -> None:
    """The search begins here, along z."""
    w.solved = where(w.rz > TOLERANCE**2 * w.whole, 0.0, 1.0)


@once
def clear_product(w: WorldView) -> None:
    w.pAp = 0.0


@forward
def accelerate_search(j: JointView, p: ParentView, w: WorldView) -> None:
    j.X, j.S = still(j, w)
    j.search = j.preconditioned + w.beta * j.search
    j.A = (j.X @ p.A) + j.S @ j.search


@backward
def multiply_search(j: JointView, p: ParentView, w: WorldView) -> None:
    y = gathered(j, p, j.search)
    j.product = np.zeros(j.joint.dof) if j.prescribed else y
    if j.joint.dof:
        w.gather("pAp", j.search @ j.product)


@once
def choose_length(w: WorldView) -> None:
    """alpha, which is not finite where p'A p is not positive."""
    w.alpha = w.rz / where(w.pAp > 0.0, w.pAp, 0.0)
    w.rz_before, w.rz = w.rz, 0.0


@forward
def correct(j: JointView, w: WorldView) -> None:
    j.X, j.S = still(j, w)
    j.found = j.found + w.alpha * j.search
    j.residual = j.residual - w.alpha * j.product


@once
def compare(w: WorldView) -> None:
    """Go on while there is something left: no longer where it is negative, or not a number."""
    w.beta = w.rz / w.rz_before
    w.turns = w.turns + 1.0
    w.solved = where((w.rz > TOLERANCE**2 * w.whole) & (w.turns < w.most), 0.0, 1.0)


@once
def trust(w: WorldView) -> None:
    """alpha = 1, or infinity where x is no solution."""
    w.alpha = 1.0 / where((w.rz >= 0.0) & (w.rz <= TOLERANCE**2 * w.whole), 1.0, 0.0)


@forward
def take(j: JointView, w: WorldView) -> None:
    j.qddot = j.given if j.prescribed else w.alpha * j.found


first = recursion(begin, articulate_residual, precondition, name="conjugate gradients: residual")
multiply = recursion(accelerate_search, multiply_search, name="conjugate gradients: product")
improve = recursion(correct, articulate_residual, precondition, name="conjugate gradients: step")
turn = (recursion(clear_product), multiply, recursion(choose_length), improve, recursion(compare))


@dataclass(frozen=True, eq=False)
class ByConjugateGradients:
    """Solves as above. held: whether joints are prescribed, whose torques are then found."""

    held: bool

    def stages(self) -> tuple[ProgramStage, ...]:
        """From the right side to qddot."""
        begun = recursion(clear_sums), first, recursion(guess), multiply, improve, recursion(compare_guess)
        ended = recursion(trust), recursion(take, name="conjugate gradients: accelerations")
        return *begun, Repeat(turn, until="solved"), *ended, *((torques,) if self.held else ())

    def fields(self, model: Model, **extra: Any) -> Fields:
        """With the vectors and sums of the iteration."""
        found = matrix_free_fields(model, **extra)
        return replace(found, state={**found.state, **JOINT}, world={**found.world, **WORLD})


def matrix_free_solver(name: str, model: Model, implicit: bool = False) -> Solver | None:
    """What solves the reduced system of redmax dynamics without its matrix; None where the dense solver is to be used.

    "auto" goes along the tree wherever that is exact: measured 1 us a step against 2 us of the dense solver at 10 degrees of freedom, 1.8
    against 4.2 us at 20, 12 against 106 us at 100. Limits of coordinates, which mostly do not act, ask for no matrix.
    """
    rows = bool(model.rubbing) or not all(c.waits for c in model.constraints)
    dense = rows or model.map is not None or (implicit and bool(model.acting))
    if name == "direct" or dense:
        return None
    held = any(model.prescribed)
    return ByConjugateGradients(held) if name == "cg" else AlongTree(held)
