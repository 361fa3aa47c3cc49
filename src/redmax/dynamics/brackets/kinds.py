"""Derivatives of Jacobians of body twists, as those of the other kinds (common/twist_kinds.py).

    spatial = Ad(E) body,   hybrid = diag(R, R) body,   mixed = diag(I, R) body

With V = (w; v) the body twist along which E moves, D of these matrices is themselves times ad(V), diag([w], [w]) and diag(0, [w]).
"""

from __future__ import annotations

import numpy as np

from redmax.dynamics.brackets.words import Derived, Word, moved
from redmax.dynamics.common.twist_kinds import cross


def rewritten(kind: str, E: np.ndarray, word: Word, V: Derived, J: Derived) -> dict[Word, np.ndarray]:
    """Columns J (..., k, 6) of body twists of a frame E (..., 4, 4), with their derivatives, as those of this kind.

    V: (..., 6) by word w the derivatives w[1:] of the body twist along D_w[0]
    """
    if kind == "body":
        return dict(J)
    back, p = np.swapaxes(E[..., :3, :3], -1, -2), E[..., None, :3, 3]

    def through(u: np.ndarray) -> np.ndarray:
        w, v = u[..., :3] if kind == "mixed" else u[..., :3] @ back, u[..., 3:] @ back
        return np.concatenate([w, v + cross(p, w) if kind == "spatial" else v], axis=-1)

    def bracket(V: np.ndarray, u: np.ndarray) -> np.ndarray:
        w, v = V[..., None, :3], V[..., None, 3:]
        turned = np.zeros_like(u[..., :3]) if kind == "mixed" else cross(w, u[..., :3])
        swept = cross(w, u[..., 3:])
        return np.concatenate([turned, swept + cross(v, u[..., :3]) if kind == "spatial" else swept], axis=-1)

    return moved(word, through, bracket, V, J)
