"""redmax's coordinates against Pinocchio's, whose rates are body twists.

    twist = S(q) qdot,   twist' = S qddot + S' qdot,   force on q = S^T (force on the twist),

with S the right dexp of the rotation vector (identity for hinges, and for quaternions, which both write their own way). It is written
here a second time, so that the check is of redmax's formulas too; S' comes from a complex step and is exact to rounding. Arrays are
(worlds, ...).
"""

from __future__ import annotations

import numpy as np

import redmax as rm
from benchmarks.cases import States

STEP = 1e-20


def bracket(w: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(w, -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)


def angle(w: np.ndarray) -> np.ndarray:
    """|w|, which must not be small: (worlds, 1, 1)."""
    return np.sqrt((w * w).sum(-1))[..., None, None]


def rotation(w: np.ndarray) -> np.ndarray:
    t, W = angle(w), bracket(w)
    return np.eye(3) + np.sin(t) / t * W + (1 - np.cos(t)) / t**2 * (W @ W)


def dexp(w: np.ndarray) -> np.ndarray:
    """Angular velocity in the body's axes per rate of the rotation vector w."""
    t, W = angle(w), bracket(w)
    return np.eye(3) - (1 - np.cos(t)) / t**2 * W + (t - np.sin(t)) / t**3 * (W @ W)


def quaternion(w: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of the rotation vector w."""
    half = angle(w)[..., 0] / 2
    return np.concatenate([np.sin(half) / (2 * half) * w, np.cos(half)], -1)


def jacobian(joint: rm.Joint, q: np.ndarray) -> np.ndarray:
    """S, with twists in Pinocchio's order: (linear, angular) for a free joint."""
    if joint.nq != joint.dof:
        return np.broadcast_to(np.roll(np.eye(joint.dof), 3, axis=0) + 0 * q[..., :1, None], (*q.shape[:-1], joint.dof, joint.dof))
    if isinstance(joint, rm.Free):
        S, p = dexp(q[..., :3]), bracket(q[..., 3:])
        one = np.broadcast_to(np.eye(3), S.shape)
        return np.concatenate([np.concatenate([-p @ S, one], -1), np.concatenate([S, 0 * one], -1)], -2)
    return dexp(q) if isinstance(joint, rm.Spherical) else np.ones((*q.shape[:-1], 1, 1))


def configuration(joint: rm.Joint, q: np.ndarray) -> np.ndarray:
    """Pinocchio's coordinates of the joint, with (x, y, z, w) last."""
    if joint.nq != joint.dof:
        return np.concatenate([q[..., 4:], q[..., 1:4], q[..., :1]], -1)
    if isinstance(joint, rm.Free):
        return np.concatenate([times(rotation(q[..., :3]), q[..., 3:]), quaternion(q[..., :3])], -1)
    return quaternion(q) if isinstance(joint, rm.Spherical) else q


def times(S: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (S @ x[..., None])[..., 0]


def solve(S: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.linalg.solve(S, x[..., None])[..., 0]


def slices(counts: list[int]) -> list[slice]:
    ends = np.cumsum(counts)
    return [slice(end - n, end) for n, end in zip(counts, ends)]


class Twists:
    """States of a scene, seen as Pinocchio sees them."""

    def __init__(self, scene: rm.Scene, states: States) -> None:
        self.joints = [link.joint for link in scene.links]
        self.places = slices([j.nq for j in self.joints])
        self.columns = slices([j.dof for j in self.joints])
        self.redmax = states

    def states(self) -> States:
        """q: (worlds, nq) with quaternions; v: twists; tau: forces on them."""
        q, v, tau = [], [], []
        for joint, own, c in zip(self.joints, self.places, self.columns):
            S = jacobian(joint, self.redmax.q[:, own])
            q.append(configuration(joint, self.redmax.q[:, own]))
            v.append(times(S, self.redmax.v[:, c]))
            tau.append(solve(np.swapaxes(S, -1, -2), self.redmax.tau[:, c]))
        return States(*(np.concatenate(parts, -1) for parts in (q, v, tau)))

    def accelerations(self, rates: np.ndarray) -> np.ndarray:
        """qddot = S^-1 (twist' - S' qdot) from twist', both (worlds, n)."""
        found = []
        for joint, own, c in zip(self.joints, self.places, self.columns):
            q, v = self.redmax.q[:, own], self.redmax.v[:, c]
            rate = v if q.shape == v.shape else 0 * q  # of a constant S, which does not ask
            change = times(jacobian(joint, q + 1j * STEP * rate).imag / STEP, v)
            found.append(solve(jacobian(joint, q), rates[:, c] - change))
        return np.concatenate(found, -1)
