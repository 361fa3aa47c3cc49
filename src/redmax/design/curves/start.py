"""Where a fit starts: B-splines through positions and unit quaternions entry by entry, a linear problem.

Quaternions are given the signs with which each is nearest to the one before it; those of the control frames are then normalised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.lie import se3, so3
from redmax.types import Array

CURVED = 1e-10  # weight of squared second differences of control values, of what data weigh: it counts where these do not say more
DENSE = 100_000  # entries, up to which sparse matrices take longer


def start(spans: Spans, q: Array, poses: Array, weights: Array) -> Array:
    """Control frames (n, 4, 4). q: (N,) ascending; weights: (N,)"""
    quaternions = so3.to_quaternion(poses[:, :3, :3])
    signs = np.cumprod(np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0, -1.0, 1.0))
    quaternions[1:] *= signs[:, None]
    around = -1.0 if spans.cyclic and quaternions[-1] @ quaternions[0] < 0 else 1.0
    rows = poses[:, :3, 3], quaternions
    if around == 1.0:  # one problem
        found = fitted(spans, q, np.concatenate(rows, axis=1), weights, 1.0)
        p, quaternions = found[:, :3], found[:, 3:]
    else:
        p, quaternions = (fitted(spans, q, values, weights, sign) for values, sign in zip(rows, (1.0, around)))
    return se3.pose(so3.from_quaternion(quaternions), p)


def fitted(spans: Spans, q: Array, values: Array, weights: Array, around: float) -> Array:
    """Control values (n, m) of values (N, m). around: the sign that they have gained after one period of a closed curve"""
    piece, u = spans.place(q)
    n = spans.count
    bend = np.arange(n if spans.cyclic else n - 2)
    second = np.tile([1.0, -2.0, 1.0], (len(bend), 1))
    penalty = CURVED * max(weights.sum(), np.finfo(float).tiny) / n
    if len(q) * n <= DENSE:
        N, D = (dense(*basis(b, first, n, around), n) for b, first in ((spans.ordinary(piece, u), piece), (second, bend)))
        weighted = N.T * weights
        return np.linalg.solve(weighted @ N + penalty * (D.T @ D), weighted @ values)
    from scipy.sparse.linalg import spsolve

    N, D = (sparse(*basis(b, first, n, around), n) for b, first in ((spans.ordinary(piece, u), piece), (second, bend)))
    weighted = N.T.multiply(weights).tocsr()
    return np.asarray(spsolve((weighted @ N + penalty * (D.T @ D)).tocsc(), weighted @ values)).reshape(n, -1)


def basis(values: Array, first: Array, count: int, around: float) -> tuple[Array, Array]:
    """Entries (N, k) of rows and their columns, from the columns `first` (N,) on; each time around changes the sign, if it does."""
    turns, column = np.divmod(first[:, None] + np.arange(values.shape[1]), count)
    return values * around**turns, column


def dense(entries: Array, column: Array, count: int) -> Array:
    """(N, count)."""
    rows = np.arange(len(entries))[:, None] * count
    return np.bincount((rows + column).ravel(), entries.ravel(), minlength=len(entries) * count).reshape(len(entries), count)


def sparse(entries: Array, column: Array, count: int) -> Any:
    """(N, count), those in one place added."""
    from scipy.sparse import csr_matrix

    row = np.broadcast_to(np.arange(len(entries))[:, None], entries.shape)
    return csr_matrix((entries.ravel(), (row.ravel(), column.ravel())), shape=(len(entries), count))
