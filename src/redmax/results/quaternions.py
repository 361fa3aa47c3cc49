"""Quaternions (w, x, y, z) of rotations, for those who read tables."""

from __future__ import annotations

import numpy as np


def quaternions(R: np.ndarray) -> np.ndarray:
    """(..., 4), of length 1 with w >= 0, from (..., 3, 3).

    Of the four columns of 4 q q^T, whose entries are sums and differences of those of R, the longest is best conditioned.
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    x, y, z = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]  # 4 w times the vector
    xy, xz, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    K = np.stack(
        [
            np.stack([1 + xx + yy + zz, x, y, z], -1),
            np.stack([x, 1 + xx - yy - zz, xy, xz], -1),
            np.stack([y, xy, 1 - xx + yy - zz, yz], -1),
            np.stack([z, xz, yz, 1 - xx - yy + zz], -1),
        ],
        -2,
    )
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(K, best[..., None, None], -2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True) * np.where(q[..., :1] < 0, -1.0, 1.0)
