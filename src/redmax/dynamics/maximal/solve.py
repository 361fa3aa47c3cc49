"""Accelerations of bodies whose joints are constraints: a symmetric indefinite (KKT) system.

    M_i v_i = f_i + F_i - sum_c X_c^T F_c,     F_i = N_i lambda_i - K_i (v_i - X_i v_p),     N_i^T (v_i - X_i v_p) = c_i

F_i is the wrench of the joint on body i, with parent p; K_i a symmetric block of what acts along the joint (impedance of an
implicit step). For a tree the bodies are eliminated from the leaves to the root, in O(n) (after Baraff 1996, Linear-time dynamics
using Lagrange multipliers): each leaf leaves v_i and F_i as affine functions of u = X_i v_p. With loops, or to check, the sparse
matrix is factorised as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

Block: TypeAlias = "tuple[int, int, np.ndarray]"  # two bodies and a (6, 6) between them


@dataclass(frozen=True, eq=False)
class JointEquation:
    """N: (6, rows); c: (rows,); K: (6, 6)."""

    N: np.ndarray
    c: np.ndarray
    K: np.ndarray


def solve_tree(
    parent: np.ndarray, M: np.ndarray, forces: np.ndarray, X: np.ndarray, joints: Sequence[JointEquation]
) -> tuple[np.ndarray, np.ndarray]:
    """v and F, (n, 6) each; parents come before children."""
    n = len(parent)
    M, f = M.copy(), forces.copy()
    v0, V1 = np.empty((n, 6)), np.empty((n, 6, 6))
    for i in reversed(range(n)):
        v0[i], V1[i] = eliminate(M[i], f[i], joints[i])
        p = parent[i]
        if p >= 0:
            M[p] += X[i].T @ M[i] @ V1[i] @ X[i]
            f[p] -= X[i].T @ (M[i] @ v0[i] - f[i])
    v, F = np.empty((n, 6)), np.empty((n, 6))
    for i in range(n):
        u = X[i] @ v[parent[i]] if parent[i] >= 0 else np.zeros(6)
        v[i] = v0[i] + V1[i] @ u
        F[i] = M[i] @ v[i] - f[i]
    return v, F


def eliminate(M: np.ndarray, f: np.ndarray, joint: JointEquation) -> tuple[np.ndarray, np.ndarray]:
    """v0 and V1 with v = v0 + V1 u, for a body whose children are already part of M and f."""
    N, K = joint.N, joint.K
    solved = np.linalg.solve(M + K, np.concatenate([f[:, None], K, N], axis=1))
    free, follow, push = solved[:, 0], solved[:, 1:7], solved[:, 7:]
    if not N.shape[1]:
        return free, follow
    A = N.T @ push
    multipliers = np.linalg.solve(A, np.concatenate([(joint.c - N.T @ free)[:, None], N.T - N.T @ follow], axis=1))
    return free + push @ multipliers[:, 0], follow + push @ multipliers[:, 1:]


def solve_sparse(
    parent: np.ndarray,
    M: np.ndarray,
    forces: np.ndarray,
    X: np.ndarray,
    joints: Sequence[JointEquation],
    blocks: Sequence[Block] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """The same by a sparse factorisation of the whole matrix, to which blocks (i, j, Z) between bodies may be added."""
    from scipy.sparse import block_array, csc_array, lil_array
    from scipy.sparse.linalg import splu

    n = len(parent)
    rows = np.concatenate([[0], np.cumsum([j.N.shape[1] for j in joints])])
    mass, G = lil_array((6 * n, 6 * n)), lil_array((int(rows[-1]), 6 * n))
    for i, j in enumerate(joints):
        own, here = slice(6 * i, 6 * i + 6), slice(int(rows[i]), int(rows[i + 1]))
        mass[own, own] += M[i] + j.K
        G[here, own] = j.N.T
        if parent[i] >= 0:
            up = slice(6 * parent[i], 6 * parent[i] + 6)
            G[here, up] = -j.N.T @ X[i]
            mass[own, up] -= j.K @ X[i]
            mass[up, own] -= X[i].T @ j.K
            mass[up, up] += X[i].T @ j.K @ X[i]
    for a, b, Z in blocks:
        mass[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] += Z
    matrix = csc_array(block_array([[mass, G.T], [G, None]]))
    right = np.concatenate([forces.ravel(), *[j.c for j in joints]])
    found = splu(matrix).solve(right)
    v, multipliers = found[: 6 * n].reshape(n, 6), -found[6 * n :]
    F = np.empty((n, 6))
    for i, j in enumerate(joints):
        u = X[i] @ v[parent[i]] if parent[i] >= 0 else np.zeros(6)
        F[i] = j.N @ multipliers[rows[i] : rows[i + 1]] - j.K @ (v[i] - u)
    return v, F
