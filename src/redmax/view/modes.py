"""Moving points as few shapes: x(t) = mean + sum_k w_k(t) mode_k, the singular value decomposition of the points over time.

A wave is two modes whatever its length, a spline surface as many as its controls move independently: far less to store than the points
at every time, and as smooth in between.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PRECISION = 2e-4  # of the size of what moves: less than a pixel
AT_ONCE = 256  # times


def modes(points: Callable[[Array], Array], times: Array, size: float | None = None) -> tuple[Array, Array, Array]:
    """mean (k,), weights (T, r) and modes (r, k) of the points (T, ...) of k numbers at the times (T,).

    size: of what moves, of which the precision is a share; by default that of the box of the whole motion
    """
    sample = points(times[np.unique(np.linspace(0, len(times) - 1, AT_ONCE).astype(int))])
    tolerance = PRECISION * (float(np.ptp(sample, axis=tuple(range(sample.ndim - 1))).max()) if size is None else size)
    rows = sample.reshape(len(sample), -1)
    mean = rows.mean(axis=0)
    basis = leading(rows - mean, tolerance)
    weights, i = [], 0
    while i < len(times):
        part = points(times[i : i + AT_ONCE]).reshape(-1, len(mean)) - mean
        weights.append(part @ basis.T)
        rest = part - weights[-1] @ basis
        i += AT_ONCE
        if np.abs(rest).max() > tolerance:  # something that the sample did not show: once more with what it takes
            basis = np.concatenate([basis, leading(rest, tolerance / 2)])
            weights, i = [], 0
    return mean, np.concatenate(weights), basis


def leading(rows: Array, tolerance: float) -> Array:
    """(r, k) orthonormal rows, as few as leave no entry of `rows` farther than the tolerance from what they span."""
    few = rows.shape[1] < len(rows)
    squares, mixtures = np.linalg.eigh(rows.T @ rows if few else rows @ rows.T)  # many times faster than the decomposition, good to 1e-8
    left = np.sqrt(np.cumsum(squares.clip(0.0)))  # norm of all that is left without the last ones, which bounds each entry
    kept = mixtures[:, left > tolerance]
    return kept.T if few else np.linalg.qr(rows.T @ kept)[0].T
