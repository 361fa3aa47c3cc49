"""Principal axes of inertia: the rotation R with I = R diag(moments) R'.

RedMax notes Sec. 1.7.1 take an eigenvalue decomposition and then repair its handedness. Jacobi's method (Golub & Van
Loan, Matrix Computations, Sec. 8.5) is a product of plane rotations of at most 45 degrees: det R = +1 by construction,
and axes that are principal already stay where the user put them, also when moments coincide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-13  # products of inertia below this fraction of the trace are rounding, not tilt
SWEEPS = 30


def principal_axes(inertia: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation R (3, 3), det +1, and moments (3,) such that inertia = R @ diag(moments) @ R.T."""
    A, R = inertia.copy(), np.eye(3)
    small = NEGLIGIBLE * np.trace(A)
    for _ in range(SWEEPS):
        if max(abs(A[0, 1]), abs(A[0, 2]), abs(A[1, 2])) <= small:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(A[p, q]) > small:
                G = plane_rotation(A, p, q)
                A, R = G.T @ A @ G, R @ G
    return R, np.diag(A).copy()


def plane_rotation(A: NDArray[np.float64], p: int, q: int) -> NDArray[np.float64]:
    """G such that (G' A G)[p, q] = 0, with the smaller of the two possible angles."""
    half_cot = (A[q, q] - A[p, p]) / (2 * A[p, q])
    t = (1.0 if half_cot >= 0 else -1.0) / (abs(half_cot) + np.hypot(half_cot, 1.0))
    c = 1 / np.hypot(t, 1.0)
    G = np.eye(3)
    G[p, p] = G[q, q] = c
    G[p, q], G[q, p] = t * c, -t * c
    return G
