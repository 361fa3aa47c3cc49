"""What a motion should be, by an integrator of other people: SciPy's DOP853 with tight tolerances, over the accelerations alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import redmax as rm
from redmax.run.start import initial_state


def solution(model: rm.Model, t: np.ndarray, tau: Any = None, q0: Any = None, qdot0: Any = None) -> np.ndarray:
    """(len(t), nq + nv): q and qdot at times t, from the scene's initial state unless given, with joint forces tau(t)."""
    dynamics, n = rm.Dynamics(model), model.nv
    start = initial_state(model, float(t[0]))
    y0 = np.concatenate([start.q if q0 is None else q0, start.qdot if qdot0 is None else qdot0])

    def rates(now: float, y: np.ndarray) -> np.ndarray:
        force = np.zeros(n) if tau is None else np.asarray(tau(now))
        return np.concatenate([y[n:], dynamics.forward(y[:n], y[n:], force, t=float(now))])

    return integrate(rates, y0, t)


def integrate(rates: Any, y0: np.ndarray, t: np.ndarray) -> np.ndarray:
    found = solve_ivp(rates, (t[0], t[-1]), y0, method="DOP853", t_eval=t, rtol=1e-13, atol=1e-13, max_step=(t[-1] - t[0]) / 100)
    assert found.success
    return found.y.T


def stacked(run: rm.Trajectory) -> np.ndarray:
    return np.concatenate([run.q, run.qdot], axis=-1)


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of quaternions w, x, y, z of any length."""
    w, x, y, z = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def free_rotation(inertia: np.ndarray, omega: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Euler's equations I w' = I w x w in body axes and q' = q (0, w) / 2, from the identity: rotations (len(t), 3, 3)."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        w, (a, b, c, d) = y[:3], y[3:]
        x, y_, z = w
        turn = 0.5 * np.array([-b * x - c * y_ - d * z, a * x + c * z - d * y_, a * y_ - b * z + d * x, a * z + b * y_ - c * x])
        return np.concatenate([np.linalg.solve(inertia, np.cross(inertia @ w, w)), turn])

    return rotation(integrate(rates, np.array([*omega, 1.0, 0.0, 0.0, 0.0]), t)[:, 3:])
