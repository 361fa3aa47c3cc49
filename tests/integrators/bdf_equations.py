"""What is left of the equations of motion at states of a run by backward differences, and such runs."""

from __future__ import annotations

import numpy as np

import redmax as rm
from redmax.integrators.backward_differences import BackwardDifferences


class Equations:
    """M and f of a model, f = forces without inertia, and what is left of M x - s f relative to the terms that cancel."""

    def __init__(self, model: rm.Model, backend: str, tau: np.ndarray | None = None) -> None:
        self.d, self.tau = rm.Dynamics(model, backend), np.zeros(model.nv) if tau is None else tau

    def left(self, x: np.ndarray, s: float, q: np.ndarray, v: np.ndarray, t: float) -> float:
        f = self.tau - self.d.inverse(q, v, np.zeros_like(q), t=t)
        inertial, forced = self.d.inertia(q) @ x, s * f
        return float(np.abs(inertial - forced).max() / max(np.abs(forced).max(), 1.0))


def run_of(method: BackwardDifferences, q, qdot, tau, t0: float, h: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States 0 to count, (count + 1, nv) each."""
    out = [np.full((count, 1, len(q)), np.nan) for _ in range(2)]
    clock = [np.full(1, x) for x in (t0, t0, h, 0.0)]
    assert method.run([q[None], qdot[None], tau, *clock], out, 1, count) == 0
    return np.vstack([q, out[0][:, 0]]), np.vstack([qdot, out[1][:, 0]])
