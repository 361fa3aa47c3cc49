"""Systems with rows: A x = b + G^T lambda, G x = g (RedMax notes Eqs. 2.102-2.103, with f = +G^T lambda)."""

from __future__ import annotations

import numpy as np

from redmax.errors import SimulationError

DEPENDENT = 1e-10  # the smallest singular value of independent rows, relative to the largest
TURNS, SMALL = 1000, 1e-12  # of pivoting, and of what rows add up that is rounding


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


def least_norm_with_rows(A: np.ndarray, b: np.ndarray, G: np.ndarray, g: np.ndarray, sided: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and lambda of rows that may repeat each other: lambda of least norm, by the dual. sided: those with G x >= g and lambda >= 0."""
    x, W = np.linalg.solve(A, b), np.linalg.solve(A, G.T)
    size = pushing(G @ W, g - G @ x, sided)
    return x + W @ size, size


def pushing(S: np.ndarray, r: np.ndarray, sided: np.ndarray) -> np.ndarray:
    """lambda with S lambda = r, of `sided` rows lambda >= 0, S lambda >= r, and one of them zero: by principal pivoting, least index."""
    active, size = ~sided | (r > 0.0), np.zeros(len(r))
    for _ in range(TURNS):
        size = np.zeros(len(r))
        size[active] = np.linalg.lstsq(S[np.ix_(active, active)], r[active], rcond=DEPENDENT)[0]
        short = r - S @ size
        small = SMALL * (np.abs(r) + np.abs(S) @ np.abs(size))
        wrong = np.flatnonzero(sided & np.where(active, size * np.diag(S) < -small, short > small))
        if not len(wrong):
            break
        active[wrong[-1]] ^= True
    return np.where(sided, np.maximum(size, 0.0), size)


def check_independent(G: np.ndarray) -> None:
    """Raise unless the rows G (rows, n), finite, ask for what the joints can do."""
    sizes = np.linalg.svd(G, compute_uv=False)
    if len(G) > G.shape[1] or sizes[-1] <= DEPENDENT * sizes[0]:
        reason = "The prescribed twists ask for more than the joints can do there: their rows depend on each other."
        raise SimulationError(f"{reason} Prescribe fewer, or move less far.")
