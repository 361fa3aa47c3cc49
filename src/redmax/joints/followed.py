"""Curves of frames at many values of their coordinate at once, in numbers: pose, S and dS/dq, by the recursion over the factors.

S <- z b' + A S,    dS <- z b'' + A dS - b' ad(z) A S,     A = Ad(exp(z b)^-1)        (Lee & Terzopoulos Eqs. 28-31)
"""

from __future__ import annotations

import numpy as np

from redmax.joints.frame_product import FrameProduct
from redmax.lie import se3


def along(curve: FrameProduct, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses (N, 4, 4), S (N, 6) and dS/dq (N, 6) at q (N,); NaN outside an open range."""
    j, u = placed(curve, np.asarray(q, float))
    B = curve.coefficients
    frames = np.zeros((curve.axis.count, 4, 4))
    frames[:, :3], frames[:, 3, 3] = curve.frames.array, 1.0
    rows = (j[:, None] * curve.stride + np.arange(curve.axis.order)) % curve.axis.count
    E, S, dS = followed(frames[rows], B[j] if len(B) > 1 else B[np.zeros_like(j)], u[:, None])
    return E[:, 0], S[:, 0], dS[:, 0]


def placed(curve: FrameProduct, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The piece of each, and how far from its beginning it is: as `Axis.place`, by a search in the breaks."""
    axis, (low, high) = curve.axis, curve.range
    if axis.cyclic:
        q = low + np.mod(q - low, high - low)
    breaks = np.arange(axis.pieces + 1.0) if curve.breaks is None else curve.breaks.array
    j = np.clip(np.searchsorted(breaks, q, side="right") - 1, 0, axis.pieces - 1)
    inside = (low <= q) & (q <= high) | (axis.outside != "error")
    return j, np.where(inside, q - breaks[j], np.nan)


def followed(frames: np.ndarray, cumulative: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses (pieces, m, 4, 4), S and dS/dq (pieces, m, 6) of pieces with frames (pieces, k, 4, 4) at u (pieces, m).

    cumulative: (pieces, k - 1, k) the functions B~ of each piece, as polynomials of how far from its beginning q is
    """
    z = se3.log(se3.inverse(frames[:, :-1]) @ frames[:, 1:])
    m = np.arange(cumulative.shape[2])
    powers = [u[..., None] ** m, *(np.zeros((*u.shape, len(m))) for _ in range(2))]
    powers[1][..., 1:] = m[1:] * powers[0][..., :-1]
    powers[2][..., 2:] = (m * (m - 1))[2:] * powers[0][..., :-2]
    b, db, ddb = (np.einsum("pim,pum->pui", cumulative, x) for x in powers)
    E, S, dS = np.broadcast_to(frames[:, None, 0], (*u.shape, 4, 4)), np.zeros((*u.shape, 6)), np.zeros((*u.shape, 6))
    for i in range(z.shape[1]):
        own, rate = z[:, None, i], db[..., i, None]
        step = se3.exp(own * b[..., i, None])
        A, across = se3.Ad(se3.inverse(step)), se3.ad(own)
        E, S, dS = E @ step, turned(A, S), turned(A, dS)
        S, dS = S + own * rate, dS + own * ddb[..., i, None] - rate * turned(across, S)
    return E, S, dS


def turned(A: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Matrices (..., 6, 6) times twists (..., 6)."""
    return (A @ V[..., None])[..., 0]
