"""Knots for a curve of frames whose coordinate is a distance: their Greville abscissae are how far the frames are along the curve.

The frame i of a spline of order k acts most at (t_{i+1} + ... + t_{i+k-1}) / (k - 1), its Greville abscissa. From each to the next it
rises by the mean of the k - 1 gaps between knots,

    (h_{i+1} + ... + h_{i+k-1}) / (k - 1) = d_i,        h_j = t_{j+1} - t_j,   d_i the distance from frame i to i + 1,

which leaves k - 2 gaps free of an open curve: the smallest one is made as large as it can be. Where distances differ so much that a gap
would be negative, or around a cyclic curve have no solution, the gaps come as near to it as they can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import flag
from redmax.components.given import Frames
from redmax.design.metric import Metric, lengths, metric_matrix
from redmax.errors import SceneError, warn, wrong
from redmax.joints.bspline import checked_order
from redmax.joints.frame_product import checked_frames
from redmax.lie import se3

OWNER = "natural_knots"
NARROWEST = 0.05  # of the shortest distance: gaps that are less would all but tear the curve
EXACT = 1e-9  # of the whole way: more than this is said


def natural_knots(frames: Frames, *, order: int = 4, cyclic: bool = False, metric: Metric | None = None) -> np.ndarray:
    """Knots for SplineCurve(frames, order=order, knots=..., cyclic=cyclic), with which q is about the way along the curve.

    (n + order,): their Greville abscissae are the distances of the frames from the first one, along the others. Cyclic: (n + 1,), where
    pieces begin and the period ends, which is the way around. The abscissa of the first frame is 0.
    frames: (n, 4, 4) poses or (n, 6) rows, as SplineCurve takes them; no two that follow each other alike
    metric: of the distances, as of `pose_distances`

    Where no ascending knots have them, the nearest are returned with a RedmaxWarning that says between which frames to put another.
    """
    k, closed = checked_order(OWNER, order), flag(OWNER, "cyclic", cyclic)
    C = checked_frames(OWNER, frames)
    if len(C) < (3 if closed else k):
        raise wrong(OWNER, "frames", frames, f"{3 if closed else k} frames or more")
    following = np.roll(C, -1, axis=0) if closed else C[1:]
    d = lengths(se3.log(se3.inverse(C[: len(following)]) @ following), metric_matrix(metric, OWNER))
    if not d.min() > 1e-12 * d.sum():
        i = int(np.argmin(d))
        pair = f"frames {i} and {(i + 1) % len(C)}"
        raise SceneError(f"{OWNER}: {pair} are the same. Leave one of them out.", owner=OWNER, argument="frames")
    A = averages(len(C), k, closed)
    h = widest(A, d)
    if h is None:
        h = nearest_gaps(A, d)
        off = A @ h - d
        i = int(np.argmax(np.abs(off)))
        if np.abs(off).max() > EXACT * d.sum():
            where = f"between frames {i} and {(i + 1) % len(C)} lies a distance of {d[i]:.4g}, where knots leave {d[i] + off[i]:.4g}"
            warn(f"{OWNER}: {where}. Put another frame where distances are long, for knots that have all of them.")
    t = np.concatenate([[0.0], np.cumsum(h)])
    if closed:
        return t - np.mean([t[-1 - i] - t[-1] if i else 0.0 for i in range(k - 1)])
    t = np.concatenate([[2 * t[0] - t[1]], t, [2 * t[-1] - t[-2]]])
    return t - t[1:k].mean()


def averages(count: int, order: int, cyclic: bool) -> np.ndarray:
    """The matrix that takes the gaps to the distances between Greville abscissae."""
    k = order - 1
    if cyclic:  # frame i acts on pieces i - k .. i: its abscissa is the mean of the k knots within
        A = np.zeros((count, count))
        for m in range(k):
            A[np.arange(count), (np.arange(count) - k + 1 + m) % count] += 1.0 / k
        return A
    A = np.zeros((count - 1, count + order - 3))
    for m in range(k):
        A[np.arange(count - 1), np.arange(count - 1) + m] = 1.0 / k
    return A


def widest(A: np.ndarray, d: np.ndarray) -> np.ndarray | None:
    """The gaps with A h = d of which the smallest is largest; None if some would be too narrow."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    rows, columns = A.shape
    size = d.mean()
    above = hstack([-csr_array(np.eye(columns)), csr_array(np.ones((columns, 1)))])  # m - h_j <= 0
    equal: Any = hstack([csr_array(A), csr_array((rows, 1))])
    free = [(None, None)] * (columns + 1)
    cost = np.append(np.zeros(columns), -1.0)
    found = linprog(cost, A_ub=above, b_ub=np.zeros(columns), A_eq=equal, b_eq=d / size, bounds=free, method="highs")
    if found.status != 0:
        return None
    h = size * found.x[:-1]
    h += np.linalg.lstsq(A, d - A @ h, rcond=None)[0]  # what the linear programme left, to the last digits
    return h if h.min() >= NARROWEST * d.min() and np.abs(A @ h - d).max() < EXACT * d.sum() else None


def nearest_gaps(A: np.ndarray, d: np.ndarray) -> np.ndarray:
    """The gaps, none too narrow, that come nearest to A h = d."""
    from scipy.optimize import lsq_linear

    least = NARROWEST * d.min()
    return lsq_linear(A, d, bounds=(least, np.inf), tol=1e-12).x
