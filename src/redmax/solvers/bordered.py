"""Systems with rows: A x = b + G^T lambda, G x = g (RedMax notes Eqs. 2.102-2.103, with f = +G^T lambda)."""

from __future__ import annotations

import numpy as np

DEPENDENT = 1e-10  # the smallest singular value of independent rows, relative to the largest
TURNS, SMALL = 1000, 1e-12  # of pivoting, and of what rows add up that is rounding


def least_norm_with_rows(A: np.ndarray, b: np.ndarray, G: np.ndarray, g: np.ndarray, sided: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and lambda of rows that may repeat each other: lambda of least norm, by the dual. sided: those with G x >= g and lambda >= 0."""
    if not len(g):
        return np.linalg.solve(A, b) if len(b) else b, g
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
