"""Products with the reduced inertia M_r = J^T M J and with its inverse, in O(n), without forming either.

y = M_r^-1 x: RedMax notes Alg. 10 (Sec. 2.13), which is Alg. 6 without velocities, gravity and external forces.
y = M_r x: inverse dynamics of the acceleration x, likewise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.kinematics import still
from redmax.dynamics.symmetric import solve_symmetric
from redmax.lie import Inertia
from redmax.program.fields import Fields
from redmax.program.sweep import backward, forward, recursion


@forward
def placement(j: Any) -> None:
    j.X, j.S = still(j)


@backward
def articulate(j: Any, p: Any) -> None:
    """Lines 8-11 and 16-17."""
    X, S = j.X, j.S
    M = j.M + Inertia.from_flat(j.M_hat)
    B = j.B_hat
    U = M @ S
    solved = solve_symmetric(S.T @ U, np.concatenate([U.T, (j.x - S.T @ B)[:, None]], axis=1), j.name)
    j.U_Psi, j.Psi_u = solved[:, :6].T, solved[:, 6]
    p.M_hat += X.T @ M.minus_outer(U, j.U_Psi) @ X
    p.B_hat += X.T @ (B + U @ j.Psi_u)


@forward
def accelerate(j: Any, p: Any) -> None:
    """Lines 20-21."""
    A = j.X @ p.A
    j.y = j.Psi_u - j.U_Psi.T @ A
    j.A = A + j.S @ j.y


@forward
def accelerate_given(j: Any, p: Any) -> None:
    j.X, j.S = still(j)
    j.A = (j.X @ p.A) + j.S @ j.x


@backward
def gather_momentum(j: Any, p: Any) -> None:
    X = j.X
    F = (j.M @ j.A) + j.B_hat
    j.y = j.S.T @ F
    p.B_hat += X.T @ F


inverse_inertia_product = recursion(placement, articulate, accelerate, name="inverse inertia product")
inertia_product = recursion(accelerate_given, gather_momentum, name="inertia product")


def product_fields(inverse: bool) -> Fields:
    up = {"M_hat": 21, "B_hat": 6} if inverse else {"B_hat": 6}
    return Fields(down={"A": 6}, up=up, state={"q": "q", "x": "v", "y": "v"})
