"""A second oracle: the square factorisation of M^-1 in O(n) (Si and Guenter Eqs. 18-35), line by line in plain NumPy.

Two misprints are corrected: Eq. 30 has Ad*, and Eqs. 31-32 take tau-bar of Eq. 26. Frames are the joint frames; Ad[k] stands for Ad of
f_{lambda(k),k}^-1, lam for lambda, and the dual Ad* is the transpose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.hyperdual import inverse, motion_of
from dynamics.newton_euler import Ad as adjoint
from dynamics.newton_euler import Oracle
from dynamics.newton_euler import ad as little_adjoint
from mechanisms import Mechanism


@dataclass(frozen=True, eq=False)
class Placed:
    """What the recursions read: for each link Ad, S, Sdot, the inertia J in the joint frame and its parent."""

    lam: list[int]
    Ad: list[np.ndarray]
    S: list[np.ndarray]
    Sdot: list[np.ndarray]
    J: list[np.ndarray]
    body: list[np.ndarray]


def place(mechanism: Mechanism, q: np.ndarray, qdot: np.ndarray) -> Placed:
    found = Placed([link.parent for link in mechanism.links], [], [], [], [], [])
    for i, link in enumerate(mechanism.links):
        s = mechanism.of(i)
        Q, S, Sdot = motion_of(link.sample.motion, q[s], qdot[s])
        X = adjoint(inverse(link.body @ link.shape.frame)).astype(float)
        found.Ad.append(adjoint(inverse(link.at @ Q)).astype(float))
        found.S.append(S)
        found.Sdot.append(Sdot)
        found.J.append(X.T @ link.shape.mass_matrix @ X)
        found.body.append(X)
    return found


def factorise(p: Placed) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Eqs. 27-30: Omega^-1, Y and Pi."""
    n = len(p.S)
    Jbar = [J.copy() for J in p.J]
    Omega: list[np.ndarray] = [np.zeros(0)] * n
    Y: list[np.ndarray] = [np.zeros(0)] * n
    Pi: list[np.ndarray] = [np.zeros(0)] * n
    for k in reversed(range(n)):
        S, A = p.S[k], p.Ad[k]
        Omega[k] = np.linalg.inv(S.T @ Jbar[k] @ S)
        Y[k] = A.T @ (np.eye(6) - Jbar[k] @ S @ Omega[k] @ S.T)
        Pi[k] = A.T @ Jbar[k] @ S @ Omega[k]
        if p.lam[k] >= 0:
            Jbar[p.lam[k]] += A.T @ Jbar[k] @ A - A.T @ Jbar[k] @ S @ Omega[k] @ S.T @ Jbar[k] @ A
    return Omega, Y, Pi


def solve_with(p: Placed, taubar: list[np.ndarray]) -> np.ndarray:
    """Eqs. 31-35: M^-1 taubar."""
    n = len(p.S)
    Omega, Y, Pi = factorise(p)
    z = [np.zeros(6) for _ in range(n)]
    cbar: list[np.ndarray] = [np.zeros(0)] * n
    for k in reversed(range(n)):
        cbar[k] = Omega[k] @ (taubar[k] - p.S[k].T @ z[k])
        if p.lam[k] >= 0:
            z[p.lam[k]] += Y[k] @ z[k] + Pi[k] @ taubar[k]
    eta: list[np.ndarray] = []
    qddot: list[np.ndarray] = []
    for k in range(n):
        before = eta[p.lam[k]] if p.lam[k] >= 0 else np.zeros(6)
        eta.append(Y[k].T @ before + p.S[k] @ cbar[k])
        qddot.append(cbar[k] - Pi[k].T @ before)
    return np.concatenate(qddot)


def forward_dynamics(o: Oracle, tau: np.ndarray, wrench: np.ndarray | None = None, t: float = 0.0) -> np.ndarray:
    """Eqs. 18-35. External forces come from the state that the oracle placed."""
    mechanism, qdot = o.mechanism, o.qdot.astype(float)
    p = place(mechanism, o.q.astype(float), qdot)
    external, tau = o.external(wrench, t).astype(float), tau + o.passive(t).astype(float)
    v: list[np.ndarray] = []
    alpha: list[np.ndarray] = []
    force: list[np.ndarray] = []
    for k, lam in enumerate(p.lam):
        rate = qdot[mechanism.of(k)]
        carried = p.Ad[k] @ v[lam] if lam >= 0 else np.zeros(6)
        a = -little_adjoint(p.S[k] @ rate).astype(float) @ carried + p.Sdot[k] @ rate
        v.append(carried + p.S[k] @ rate)
        b = -little_adjoint(v[k]).astype(float).T @ p.J[k] @ v[k] - p.body[k].T @ external[k]
        alpha.append((p.Ad[k] @ alpha[lam] if lam >= 0 else np.zeros(6)) + a)
        force.append(p.J[k] @ alpha[k] + b)
    taubar: list[np.ndarray] = [np.zeros(0)] * len(p.lam)
    for k in reversed(range(len(p.lam))):
        taubar[k] = tau[mechanism.of(k)] - p.S[k].T @ force[k]
        if p.lam[k] >= 0:
            force[p.lam[k]] = force[p.lam[k]] + p.Ad[k].T @ force[k]
    return solve_with(p, taubar)


def inverse_inertia(mechanism: Mechanism, q: np.ndarray) -> np.ndarray:
    """M^-1 (nv, nv), column by column."""
    p = place(mechanism, q, np.zeros_like(q))
    columns = [solve_with(p, [e[mechanism.of(k)] for k in range(len(p.lam))]) for e in np.eye(mechanism.nv)]
    return np.array(columns).T.reshape(mechanism.nv, mechanism.nv)
