"""Whether a configuration is a least within bounds, found without the library's Jacobians: by differences of poses along `moved`.

Karush, Kuhn, Tucker: the gradient of 1/2 |r|^2 is zero along what is free, and leads out of the range where a bound holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import redmax as rm
from redmax.lie import so3
from redmax.model.mechanism_size import mechanism_size

STEP = 1e-4  # knots of splines, across which fifth derivatives are none, cost its square


def frame_error(E: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """(6,): from a goal to a pose."""
    return np.concatenate([E[:3, 3] - goal[:3, 3], so3.log(E[:3, :3] @ goal[:3, :3].T)])


def weights_at_zero(nodes: np.ndarray) -> np.ndarray:
    """Of values at five places, for the derivative at 0 that is exact for polynomials of degree 4."""
    return np.linalg.solve(np.vander(nodes, increasing=True).T, np.eye(len(nodes))[1])


def unheld_gradient(ik: rm.InverseKinematics, q: np.ndarray, error: Callable[[np.ndarray], np.ndarray]) -> float:
    """The largest entry of the gradient that no bound holds, relative to |J| |r|. error: r of coordinates (nq,)."""
    model, bounds = ik.model, ik.bounds
    r = error(q)
    low, high = (x[0] for x in bounds.room(model.configurations.join(q[None])))
    left, size = 0.0, 0.01 * mechanism_size(model) ** 2  # where one row is at its least, J vanishes
    for k in np.flatnonzero(bounds.movable):
        ahead, behind = high[k] > 3 * STEP, low[k] < -3 * STEP
        nodes = np.arange(5) - (2.0 if ahead and behind else 0.0 if ahead else 4.0)
        nodes *= STEP
        column = sum(w * error(model.moved(q, s * np.eye(model.nv)[k])) for w, s in zip(weights_at_zero(nodes / STEP), nodes, strict=True))
        column = np.asarray(column) / STEP
        g = float(column @ r)
        held = (low[k] >= -1e-9 and g > 0) or (high[k] <= 1e-9 and g < 0)
        left, size = max(left, 0.0 if held else abs(g)), size + column @ column
    return left / (np.sqrt(size) * np.linalg.norm(r) + 1e-300)
