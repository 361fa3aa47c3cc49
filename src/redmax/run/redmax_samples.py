"""Samples of runs that only redmax dynamics knows: of scenes with a map of coordinates, or with prescribed twists."""

from __future__ import annotations

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.redmax.hyper_reduced import RedmaxDynamics
from redmax.model.model import Model


def redmax_samples(model: Model, backend: str, t: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """qddot, torques (time, ..., nv), and the wrenches of prescribed twists (time, ..., bodies, 6). q, qdot: or those of the map."""
    dynamics, lead = RedmaxDynamics(model, backend=backend), q.shape[:-1]
    times = np.repeat(t, int(np.prod(lead[1:])))
    states = zip(times, q.reshape(len(times), -1), qdot.reshape(len(times), -1), strict=True)
    found = [dynamics(x, v, np.zeros(model.nv), time) for time, x, v in states]
    qddot, torque, wrench = (np.array([getattr(f, n) for f in found]) for n in ("qddot", "tau", "wrench"))
    return qddot.reshape(*lead, -1), torque.reshape(*lead, -1), wrench.reshape(*lead, -1, 6)


def mapped_samples(
    map: CoordinateMap, t: np.ndarray, q: np.ndarray, qdot: np.ndarray, nearby: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """q_R and its rates, (time, ..., coordinates of the map). nearby: (..., the same), from where the first is looked for."""
    lead, worlds = q.shape[:-1], int(np.prod(q.shape[1:-1]))
    q, qdot = q.reshape(len(t), worlds, -1), qdot.reshape(len(t), worlds, -1)
    first = np.broadcast_to(map.q, (worlds, map.size)) if nearby is None else nearby.reshape(worlds, -1)
    found = np.empty((2, len(t), worlds, map.size))
    for w in range(worlds):
        guess = first[w]
        for i in range(len(t)):  # each from the one before, carried on
            found[:, i, w] = map.inverse(q[i, w], qdot[i, w], guess)
            guess = found[0, i, w] + (found[1, i, w] * (t[i + 1] - t[i]) if i + 1 < len(t) else 0.0)
    return found[0].reshape(*lead, map.size), found[1].reshape(*lead, map.size)
