"""Equality rows of prescribed twists (RedMax notes Sec. 2.9), and the system that holds them (Eqs. 2.102-2.103, with f = +G^T lambda).

    G = rows of J_i:   G qddot = d/dt target - Gdot qdot;   in an implicit step G qdot1 = target(t1), with G and R_i at its start

lambda is then the wrench on the body along these rows, in body axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.redmax.joints import to_body_frames
from redmax.model.model import Model


class TwistRows:
    """G and its right side for one model."""

    def __init__(self, model: Model, implicit: bool) -> None:
        self.twists, self.implicit, self.frames = model.twists, implicit, to_body_frames(model)

    def __call__(self, view: Any, J: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, nv) and (rows,), from J (bodies, 6, nv) and rate (bodies, 6), the rate of the twists without qddot, in joint frames."""
        G: list[np.ndarray] = [np.zeros((0, J.shape[2]))]
        g: list[np.ndarray] = [np.zeros(0)]
        if not self.twists:
            return G[0], g[0]
        t, orientation = float(view["t"][0]), view["orientation"].reshape(-1, 3, 3)
        for twist in self.twists:
            rows, frame = list(twist.rows), self.frames[twist.body]
            J_i, R = frame @ J[twist.body], orientation[twist.body]
            phi = frame @ view["twist"].reshape(-1, 6)[twist.body]
            G.append(J_i[rows])
            if self.implicit:
                g.append((twist.target(t, R) - phi[rows]) / float(view["h"][0]))
            else:
                g.append(twist.target_rate(t, R, phi[:3]) - (frame @ rate[twist.body])[rows])
        return np.concatenate(G), np.concatenate(g)
