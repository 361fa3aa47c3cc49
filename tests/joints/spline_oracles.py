"""The papers' algorithms for spline joints, line for line, in dense 6x6 arithmetic; and the library's own E, S and dS/dq from its trace."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.linalg import expm

from joints.spline_definitions import log_twist
from redmax.joints.base import Joint
from redmax.joints.motion import traced_motion
from redmax.trace import Graph, evaluate_numeric


def bracket(V: np.ndarray) -> np.ndarray:
    w, v = V[:3], V[3:]
    return np.array([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


def Ad(E: np.ndarray) -> np.ndarray:
    R, p = E[:3, :3], E[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [bracket(np.append(p, np.zeros(3)))[:3, :3] @ R, R]])


def ad(V: np.ndarray) -> np.ndarray:
    w, v = (bracket(np.append(x, np.zeros(3)))[:3, :3] for x in (V[:3], V[3:]))
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def twist_of(E: np.ndarray) -> np.ndarray:
    """log, for less than half a turn."""
    if np.allclose(E[:3, :3], np.eye(3), atol=1e-15):
        return np.append(np.zeros(3), E[:3, 3])
    return np.concatenate(log_twist(E))


def recursion(
    H: np.ndarray, g: Sequence[np.ndarray], phi: np.ndarray, slopes: np.ndarray, curvatures: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lee & Terzopoulos App. B (RedMax supplement Algs. 4 and 5): G = H prod exp(g_k phi_k), S (6, n) and dS (6, n, n) = dS_i/dq_j.

    phi: (m,), slopes: (m, n), curvatures: (m, n, n).
    """
    n = slopes.shape[1]
    G = H.copy()
    S, dS = np.zeros((6, n)), np.zeros((6, n, n))
    for k in range(len(g)):
        Q = expm(bracket(g[k]) * phi[k])
        G = G @ Q
        back = Ad(np.linalg.inv(Q))
        for i in range(n):
            for j in range(n):
                dS[:, i, j] = g[k] * curvatures[k, i, j] + back @ (dS[:, i, j] + ad(S[:, i]) @ g[k] * slopes[k, j])
            S[:, i] = g[k] * slopes[k, i] + back @ S[:, i]
    return G, S, dS


@lru_cache(maxsize=8)
def trace(joint: Joint, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E, S and Sdot in n coordinates q, their rates v and time t."""
    graph = Graph()
    x, v = (np.array([*graph.inputs(name, n), None], object)[:-1] for name in ("q", "v"))
    motion = traced_motion(joint, x, v, graph.input("t", 0))
    return motion.E, motion.S, motion.Sdot


def own_motions(joint: Joint, q: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The library's poses (m, 4, 4), S (m, 6, n) and dS (m, 6, n, n) at q (m, n); dS from Sdot along each coordinate."""
    m, n = np.shape(q)
    E, S, Sdot = trace(joint, n)

    def numbers(part: np.ndarray, direction: np.ndarray) -> np.ndarray:
        values = {"q": np.transpose(q), "v": direction, "t": [t]}
        with np.errstate(invalid="ignore"):
            flat = evaluate_numeric(list(part.ravel()), lambda base, i: values[base][i])
        return np.stack([np.broadcast_to(np.asarray(f, float), (m,)) for f in flat], axis=-1).reshape(m, *part.shape)

    rates = [numbers(Sdot, direction) for direction in np.eye(n)]
    return numbers(E, np.zeros(n)), numbers(S, np.zeros(n)), np.stack(rates, axis=-1)


def own_motion(joint: Joint, q: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same at one q, (n,)."""
    E, S, dS = own_motions(joint, np.asarray(q, float)[None], t)
    return E[0], S[0], dS[0]
