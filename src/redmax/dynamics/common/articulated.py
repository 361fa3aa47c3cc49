"""What an articulated body is to its parent beyond a joint that moves freely (RedMax supplement Alg. 6 lines 11-15; notes Alg. 10):

    U = M^ S,    Psi = (S' U + P)^-1,    Pi = M^ - U Psi U',    beta = B^ + U Psi (tau - S' B^)

Where the columns of S are axes of the frame, as of hinges, slides and joints on groups, and P is zero, the rows of U Psi along them are
those of the identity, Pi is zero there, and beta is tau: these are written down, not computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.lie import Inertia
from redmax.trace import is_traced


@dataclass(frozen=True, eq=False)
class Released:
    """U, U_Psi: (6, dof);  solved: Psi times the right sides, (dof, ...);  Pi;  axes: those that S consists of, if it does."""

    U: np.ndarray
    U_Psi: np.ndarray
    solved: np.ndarray
    Pi: Inertia
    axes: list[int] | None

    def passed(self, B: Any, tau: Any) -> np.ndarray:
        """beta, of a single right side tau - S' B."""
        beta = B + self.U @ self.solved
        if self.axes is not None:
            beta[self.axes] = tau
        return beta


def release(M: Inertia, S: Any, own: Any, right: Any, name: str) -> Released:
    """own: P, (dof, dof), or 0.0;  right: one right side, (dof,), or several, (dof, k);  name: the joint."""
    U, right = M @ S, np.asarray(right, object)
    n, columns = len(right), right if right.ndim == 2 else right[:, None]
    axes = axes_of(S) if vanishes(own) else None
    if axes is None:
        found = solve_symmetric(S.T @ U + own, np.concatenate([U.T, columns], axis=1), name)
        U_Psi = found[:, :6].T
        return Released(U, U_Psi, found[:, 6:].reshape(right.shape), M.minus_outer(U, U_Psi), None)
    rest = [i for i in range(6) if i not in axes]
    found = solve_symmetric(U[axes], np.concatenate([U[rest].T, columns], axis=1), name)
    U_Psi = np.zeros((6, n), object)
    U_Psi[axes], U_Psi[rest] = np.eye(n), found[:, : len(rest)].T
    return Released(U, U_Psi, found[:, len(rest) :].reshape(right.shape), across(M, U, U_Psi, rest), axes)


def across(M: Inertia, U: np.ndarray, U_Psi: np.ndarray, rest: list[int]) -> Inertia:
    """M - U_Psi U' in the directions that are left, and zero in the others."""
    full, Pi = M.matrix(), np.zeros((6, 6), object)
    for i in rest:
        for j in rest:
            if i <= j:
                Pi[i, j] = Pi[j, i] = full[i, j] - sum(a * b for a, b in zip(U_Psi[i], U[j], strict=True))
    return Inertia.from_matrix(Pi)


def axes_of(S: Any) -> list[int] | None:
    """For each column the axis that it is; None if one is none, or if two are the same."""
    found = [axis_of(column) for column in np.asarray(S).T]
    return None if None in found or len(set(found)) < len(found) else [int(i) for i in found if i is not None]


def axis_of(column: Any) -> int | None:
    if any(is_traced(x) for x in column):
        return None
    filled = [i for i, x in enumerate(column) if x != 0]
    return filled[0] if len(filled) == 1 and column[filled[0]] == 1 else None


def vanishes(own: Any) -> bool:
    return all(not is_traced(x) and x == 0 for x in np.ravel(np.asarray(own, object)))
