"""The formulas of the RedMax notes, Secs. 1.9.2-1.9.6, as printed but for their misprints; in body axes, K = df/dE, D = -df/dphi.

Corrected: Eq. 1.37 is -df/dE; Eqs. 1.50, 1.62 and 1.67 subtract K2 and Kn2; the velocity of shortening changes with the pose where the
bodies move, which Eqs. 1.50, 1.61 and 1.67 leave out; f_n has a block for each body; damping resists (1.65, 1.66, 1.68).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def skew(a: Any) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def gamma(x: np.ndarray) -> np.ndarray:
    """([x]^T I), Eq. 1.12."""
    return np.hstack([skew(x).T, np.eye(3)])


def pull(k: float, R: np.ndarray, x: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eqs. 1.31 and 1.33: f and K of a directional point force."""
    local = skew(R.T @ a)
    K = k * np.block([[skew(x) @ local, np.zeros((3, 3))], [local, np.zeros((3, 3))]])
    return k * gamma(x).T @ R.T @ a, K


def ends(E: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two points in the world, and their difference."""
    world = np.einsum("nij,nj->ni", E[:, :3, :3], x) + E[:, :3, 3]
    return world, world[1] - world[0]


def toward(E: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(Gamma1^T R1^T dx; -Gamma2^T R2^T dx) of Eq. 1.35."""
    _, dx = ends(E, x)
    return np.concatenate([gamma(x[0]).T @ E[0, :3, :3].T @ dx, -gamma(x[1]).T @ E[1, :3, :3].T @ dx])


def bent(E: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix of Eq. 1.37 without k, 12 x 12: minus the derivative of `toward`."""
    world, _ = ends(E, x)
    R, p = E[:, :3, :3], E[:, :3, 3]
    rows = []
    for i, j in ((0, 1), (1, 0)):
        X, own, across = skew(x[i]), skew(R[i].T @ (p[i] - world[j])), R[i].T @ R[j]
        blocks = {
            i: np.block([[X @ own, X], [own, np.eye(3)]]),
            j: np.block([[X @ across @ skew(x[j]), -X @ across], [across @ skew(x[j]), -across]]),
        }
        rows.append(np.hstack([blocks[0], blocks[1]]))
    return np.vstack(rows)


def row(d: np.ndarray, E: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(d^T R1 Gamma1, -d^T R2 Gamma2)."""
    return np.concatenate([d @ E[0, :3, :3] @ gamma(x[0]), -d @ E[1, :3, :3] @ gamma(x[1])])


def shortening(E: np.ndarray, phi: np.ndarray, x: np.ndarray) -> tuple[float, float, np.ndarray]:
    """l, l' (Eq. 1.48), and dl'/dE, which is not printed."""
    _, dx = ends(E, x)
    y = np.array([gamma(x[i]) @ phi[i] for i in (0, 1)])
    speed = E[1, :3, :3] @ y[1] - E[0, :3, :3] @ y[0]
    length = float(np.linalg.norm(dx))
    u = dx / length
    rate = float(u @ speed)
    turning = [u @ E[0, :3, :3] @ skew(y[0]), np.zeros(3), -u @ E[1, :3, :3] @ skew(y[1]), np.zeros(3)]
    return length, rate, row(-(speed - rate * u) / length, E, x) + np.concatenate(turning)


def path_segment(E: np.ndarray, phi: np.ndarray, x: np.ndarray) -> dict[str, Any]:
    """f_n, dl/dE, dl'/dE and d(f_n)/dE = K_n1 - K_n2 of one segment (Eqs. 1.59-1.62, 1.66, 1.67)."""
    _, dx = ends(E, x)
    length, rate, rate_slope = shortening(E, phi, x)
    f_n = toward(E, x) / length
    K_n1 = np.outer(toward(E, x), row(dx / length**3, E, x))
    return {
        "length": length, "rate": rate, "rate_slope": rate_slope, "f_n": f_n,
        "length_slope": row(-dx / length, E, x), "K_n": K_n1 - bent(E, x) / length,
    }  # fmt: skip


def path(E: np.ndarray, phi: np.ndarray, x: np.ndarray, T: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f, K, D of a tension T(l, l') -> (T, dT/dl, dT/dl') through points x[k] of bodies k in turn (Eqs. 1.57-1.64)."""
    n = len(E)
    f_n, l_slope, rate_slope, K_n = np.zeros(6 * n), np.zeros(6 * n), np.zeros(6 * n), np.zeros((6 * n, 6 * n))
    length = rate = 0.0
    for k in range(n - 1):
        two, here = [k, k + 1], slice(6 * k, 6 * k + 12)
        s = path_segment(E[two], phi[two], x[two])
        length, rate = length + s["length"], rate + s["rate"]
        f_n[here] += s["f_n"]
        l_slope[here] += s["length_slope"]
        rate_slope[here] += s["rate_slope"]
        K_n[here, here] += s["K_n"]
    tension, by_length, by_rate = T(length, rate)
    K = np.outer(f_n, by_length * l_slope + by_rate * rate_slope) + tension * K_n
    return tension * f_n, K, by_rate * np.outer(f_n, f_n)
