"""Systems with rows: A x = b + G^T lambda, G x = g (RedMax notes Eqs. 2.102-2.103, with f = +G^T lambda)."""

from __future__ import annotations

import numpy as np

from redmax.errors import SimulationError

DEPENDENT = 1e-10  # the smallest singular value of independent rows, relative to the largest


def solve_with_rows(A: np.ndarray, b: np.ndarray, G: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and lambda, by elimination of the whole system."""
    n, m = len(b), len(g)
    if m == 0:
        return np.linalg.solve(A, b) if n else b, g
    if not np.isfinite(G).all():
        return np.full(n, np.nan), np.full(m, np.nan)
    check_independent(G)
    system = np.block([[A, -G.T], [G, np.zeros((m, m))]])
    found = np.linalg.solve(system, np.concatenate([b, g]))
    return found[:n], found[n:]


def least_norm_with_rows(A: np.ndarray, b: np.ndarray, G: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and lambda of rows that may repeat each other: lambda of least norm, by the dual."""
    x, W = np.linalg.solve(A, b), np.linalg.solve(A, G.T)
    size = np.linalg.lstsq(G @ W, g - G @ x, rcond=DEPENDENT)[0]
    return x + W @ size, size


def check_independent(G: np.ndarray) -> None:
    """Raise unless the rows G (rows, n), finite, ask for what the joints can do."""
    sizes = np.linalg.svd(G, compute_uv=False)
    if len(G) > G.shape[1] or sizes[-1] <= DEPENDENT * sizes[0]:
        reason = "The prescribed twists ask for more than the joints can do there: their rows depend on each other."
        raise SimulationError(f"{reason} Prescribe fewer, or move less far.")
