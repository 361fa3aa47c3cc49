"""Where a fit starts: B-splines through positions and unit quaternions entry by entry, a linear problem.

Quaternions are given the signs with which each is nearest to the one before it; those of the control frames are then normalised.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from redmax.design.curves.spans import Spans
from redmax.lie import se3, so3
from redmax.types import Array

CURVED = 1e-10  # weight of squared second differences of control values, of what data weigh: it counts where these do not say more


def start(spans: Spans, q: Array, poses: Array, weights: Array) -> Array:
    """Control frames (n, 4, 4). q: (N,) ascending; weights: (N,)"""
    quaternions = so3.to_quaternion(poses[:, :3, :3])
    signs = np.cumprod(np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0, -1.0, 1.0))
    quaternions[1:] *= signs[:, None]
    around = -1.0 if spans.cyclic and quaternions[-1] @ quaternions[0] < 0 else 1.0
    p = fitted(spans, q, poses[:, :3, 3], weights, 1.0)
    R = so3.from_quaternion(fitted(spans, q, quaternions, weights, around))
    return se3.pose(R, p)


def fitted(spans: Spans, q: Array, values: Array, weights: Array, around: float) -> Array:
    """Control values (n, m) of values (N, m). around: the sign that they have gained after one period of a closed curve"""
    piece, u = spans.place(q)
    n = spans.count
    N = basis_matrix(spans.ordinary(piece, u), piece, n, around)
    bend = np.arange(n if spans.cyclic else n - 2)
    D = basis_matrix(np.tile([1.0, -2.0, 1.0], (len(bend), 1)), bend, n, around)
    weighted = N.T.multiply(weights).tocsr()
    penalty = CURVED * max(weights.sum(), np.finfo(float).tiny) / n
    found = spsolve((weighted @ N + penalty * (D.T @ D)).tocsc(), weighted @ values)
    return np.asarray(found).reshape(n, -1)


def basis_matrix(values: Array, first: Array, count: int, around: float) -> sparse.csr_matrix:
    """Rows that have `values` (N, k) from the columns `first` (N,) on; each time around changes the sign, if it does."""
    turns, column = np.divmod(first[:, None] + np.arange(values.shape[1]), count)
    row = np.broadcast_to(np.arange(len(values))[:, None], values.shape)
    return sparse.csr_matrix(((values * around**turns).ravel(), (row.ravel(), column.ravel())), shape=(len(values), count))
