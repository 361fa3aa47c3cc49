"""How adaptive steps begin: what their tolerances ask for, and a cautious first step."""

from __future__ import annotations

import numpy as np

from redmax.integrators.adaptive import FINEST, FRACTION


def floors(rtol: float, atol: np.ndarray, eps: float) -> np.ndarray:
    """atol / rtol, as the error of a step is measured: of neither more is asked for than roundings allow, those of numbers about 1."""
    return np.maximum(FRACTION * atol, FINEST * eps) / max(FRACTION * rtol, FINEST * eps)


def first_step(q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, rtol: float, longest: float, floor: np.ndarray) -> np.ndarray:
    """(worlds,): cautious first steps, in which states (worlds, n) change by about a hundredth. floor: atol / rtol of the rates

    (Hairer, Norsett, Wanner, Solving ODEs I, Sec. II.4).
    """
    if not q.shape[1]:
        return np.full(len(q), longest)
    of_q = floor if q.shape == qdot.shape else floor.min()
    scale = np.concatenate([of_q + np.abs(q), floor + np.abs(qdot)], axis=1)
    size = np.sqrt(np.mean((np.concatenate([q, qdot], axis=1) / scale) ** 2, axis=1))
    with np.errstate(over="ignore"):  # of accelerations beyond 1e150; the step is as short as it can be
        rate = np.sqrt(np.mean((np.concatenate([qdot, qddot], axis=1) / scale) ** 2, axis=1))
    h = np.where(rate > 1e-12, 0.01 * np.maximum(size, rtol**0.2) / np.maximum(rate, 1e-12), longest)
    return np.clip(h, 1e-9 * longest, longest)
