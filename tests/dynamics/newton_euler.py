"""The dense oracle: Newton-Euler equations of every body, projected by the Jacobian of its world pose (RedMax supplement Eq. 12).

    J^T M J qdd = tau + J^T (f_ext + ad(phi)^T M phi - M Jdot qdot)

E_i(q) is the product of the transforms up to body i, J and Jdot its exact derivatives; there is no recursion over twists, wrenches or
inertias. Everything is in extended precision. Symbols: E poses of the body frames, phi twists (angular; linear) in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.hyperdual import REAL, inverse, jacobian_and_rate, parts, product, seeded
from mechanisms import Mechanism


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]], REAL)


def Ad(E: np.ndarray) -> np.ndarray:
    R, p = E[:3, :3], E[:3, 3]
    return np.block([[R, np.zeros((3, 3), REAL)], [skew(p) @ R, R]])


def ad(V: np.ndarray) -> np.ndarray:
    return np.block([[skew(V[:3]), np.zeros((3, 3), REAL)], [skew(V[3:]), skew(V[:3])]])


def solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A^-1 b for symmetric positive definite A, by L D L^T in extended precision."""
    A, b = A.astype(REAL), b.astype(REAL)
    for k in range(len(A)):
        column = A[k + 1 :, k] / A[k, k]
        b[k + 1 :] -= np.multiply.outer(column, b[k])
        A[k + 1 :, k:] -= np.outer(column, A[k, k:])
    for k in reversed(range(len(A))):
        b[k] = (b[k] - A[k, k + 1 :] @ b[k + 1 :]) / A[k, k]
    return b


@dataclass(frozen=True, eq=False)
class Oracle:
    """One mechanism in one state. E: (n, 4, 4) body poses; frames: (n, 4, 4) joint frames; J, Jdot: (n, 6, nv); M: (n, 6, 6)."""

    mechanism: Mechanism
    q: np.ndarray
    qdot: np.ndarray
    E: np.ndarray
    frames: np.ndarray
    J: np.ndarray
    Jdot: np.ndarray
    M: np.ndarray

    @property
    def phi(self) -> np.ndarray:
        return self.J @ self.qdot

    @property
    def inertia(self) -> np.ndarray:
        """J^T M J, (nv, nv)."""
        return np.einsum("nij,nik->jk", self.J, self.M @ self.J)

    def external(self, wrench: np.ndarray | None, t: float, gravity: bool = True) -> np.ndarray:
        """Weight, the scene's wrenches and the given ones, on each body in its frame, (n, 6)."""
        total = np.zeros((len(self.E), 6), REAL) if wrench is None else wrench.astype(REAL)
        for i, link in enumerate(self.mechanism.links):
            if gravity:
                total[i, 3:] += link.shape.mass * self.E[i, :3, :3].T @ self.mechanism.gravity
        for w in self.mechanism.wrenches:
            R = np.eye(3) if w.frame == "body" else self.E[w.link, :3, :3]
            value = np.asarray(w.value(t), REAL)
            n, f = R.T @ value[:3], R.T @ value[3:]
            total[w.link] += np.concatenate([n + np.cross(w.point, f), f])
        return total

    def passive(self, t: float) -> np.ndarray:
        """Springs, dampers and torque functions of the joints, (nv,)."""
        total = np.zeros(self.mechanism.nv, REAL)
        for i, link in enumerate(self.mechanism.links):
            s = self.mechanism.of(i)
            total[s] = -link.stiffness * (self.q[s] - link.rest) - link.damping * self.qdot[s]
            if link.torque is not None:
                total[s] += link.torque(t, self.q[s], self.qdot[s])
        return total

    def inertial(self, qddot: np.ndarray) -> np.ndarray:
        """What moves each body, M phidot - ad(phi)^T M phi, in its frame, (n, 6)."""
        phidot = self.J @ qddot + self.Jdot @ self.qdot
        return np.array([m @ a - ad(v).T @ (m @ v) for m, a, v in zip(self.M, phidot, self.phi)]).reshape(-1, 6)

    def bias(self, wrench: np.ndarray | None, t: float) -> np.ndarray:
        """Generalised force without tau, (nv,)."""
        rest = self.external(wrench, t) - self.inertial(np.zeros(self.mechanism.nv))
        return self.passive(t) + np.einsum("nij,ni->j", self.J, rest)

    def forward(self, tau: np.ndarray, wrench: np.ndarray | None = None, t: float = 0.0) -> np.ndarray:
        return solve(self.inertia, tau + self.bias(wrench, t)).astype(float)

    def inverse(self, qddot: np.ndarray, wrench: np.ndarray | None = None, t: float = 0.0) -> np.ndarray:
        return (self.inertia @ qddot - self.bias(wrench, t)).astype(float)

    def reactions(self, qddot: np.ndarray, wrench: np.ndarray | None = None, t: float = 0.0) -> np.ndarray:
        """Parent on child at each joint, in the joint frame, (n, 6).

        What the bodies of the subtree need beyond what acts on them from outside, summed at the world's origin.
        """
        n = len(self.E)
        missing = self.inertial(qddot) - self.external(wrench, t)
        world = [Ad(inverse(E)).T @ f for E, f in zip(self.E, missing)]
        found = np.zeros((n, 6), REAL)
        for i in range(n):
            j = i
            while j >= 0:
                found[j] += world[i]
                j = self.mechanism.links[j].parent
        return np.array([Ad(E).T @ f for E, f in zip(self.frames, found)]).astype(float)


def oracle(mechanism: Mechanism, q: np.ndarray, qdot: np.ndarray) -> Oracle:
    """Place the mechanism; differentiate its poses along every coordinate and along the motion."""
    nv, columns = mechanism.nv, max(mechanism.nv, 1)
    frames: list[np.ndarray] = []
    bodies: list[np.ndarray] = []
    for i, link in enumerate(mechanism.links):
        s = mechanism.of(i)
        Q = parts(link.sample.motion(seeded(q[s], qdot[s])), columns, s.start)
        E = product(parts(link.at, columns), Q)
        if link.parent >= 0:
            E = product(frames[link.parent], E)
        frames.append(E)
        bodies.append(product(E, parts(link.body @ link.shape.frame, columns)))
    derivatives = [jacobian_and_rate(E) for E in bodies]
    J = np.array([j[:, :nv] for j, _ in derivatives])
    Jdot = np.array([r[:, :nv] for _, r in derivatives])
    M = np.array([link.shape.mass_matrix for link in mechanism.links]).astype(REAL)
    E, placed = (np.array([pose[0, 0] for pose in poses]) for poses in (bodies, frames))
    return Oracle(mechanism, q.astype(REAL), qdot.astype(REAL), E, placed, J, Jdot, M)
