"""Published scenes without the library: accelerations from the dense Newton-Euler oracle over joints' definitions, and the methods by hand.

Linearly implicit Euler of a scene without stiffness or damping is qdot1 = qdot0 + h qddot(q0, qdot0), q1 = q0 + h qdot1. BDF1 and BDF2 are
solved by fixed-point iteration, q = known + (a h)^2 qddot(q, qdot); Euler angles and their 12 charts are SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import redmax as rm
from dynamics.newton_euler import Oracle, oracle
from joints.definitions import Motion, about, pose
from joints.samples import Sample
from mechanisms import LinkSpec, Mechanism

ORDERS = ("XYX", "XYZ", "XZX", "XZY", "YXY", "YXZ", "YZX", "YZY", "ZXY", "ZXZ", "ZYX", "ZYZ")
ALPHA = 1 - np.sqrt(0.5)


def mechanism(scene: rm.Scene, motions: Sequence[Motion]) -> Mechanism:
    """The scene as the oracle reads it, with each joint's motion by definition."""
    links = []
    for x, motion in zip(scene.links, motions, strict=True):
        sample = Sample(x.name, x.joint, motion, lambda rng: np.zeros(0))
        body = x.body @ np.linalg.inv(x.shape.frame)
        links.append(LinkSpec(sample, x.parent, x.at, body, x.at, body, x.shape, x.stiffness, x.damping, x.rest))
    return Mechanism(tuple(links), (), scene.gravity)


def start(scene: rm.Scene) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([x.q for x in scene.links]), np.concatenate([x.qdot for x in scene.links])


def acceleration(m: Mechanism, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    return oracle(m, q, qdot).forward(np.zeros(m.nv))


def energies(o: Oracle) -> tuple[float, float]:
    kinetic = 0.5 * o.qdot @ o.inertia @ o.qdot
    weights = [link.shape.mass * (o.mechanism.gravity @ E[:3, 3]) for link, E in zip(o.mechanism.links, o.E, strict=True)]
    return float(kinetic), -float(sum(weights))


def implicit_euler(m: Mechanism, q: np.ndarray, qdot: np.ndarray, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(steps):
        qdot = qdot + h * acceleration(m, q, qdot)
        q = q + h * qdot
    return q, qdot


def euler_motion(order: str) -> Motion:
    axes = [np.eye(3)["XYZ".index(letter)] for letter in order]
    return lambda q: pose(about(axes[0], q[0]) @ about(axes[1], q[1]) @ about(axes[2], q[2]), np.zeros(3))


def rates_to_spin(order: str, q: np.ndarray) -> np.ndarray:
    """W with angular velocity in the body = W qdot: each axis seen from behind the rotations that follow it."""
    axes = [np.eye(3)["XYZ".index(letter)] for letter in order]
    R = [Rotation.from_rotvec(a * x).as_matrix() for a, x in zip(axes, q, strict=True)]
    return np.column_stack([(R[1] @ R[2]).T @ axes[0], R[2].T @ axes[1], axes[2]])


def clearance(order: str, R: np.ndarray) -> float:
    return abs(np.linalg.det(rates_to_spin(order, Rotation.from_matrix(R).as_euler(order))))


def recharted(q: list[np.ndarray], qdot: list[np.ndarray], order: str) -> tuple[list[np.ndarray], list[np.ndarray], str]:
    """Angles and rates now, and one step before, in the chart that is best for both where this one's determinant is not above 1/2."""
    if abs(np.linalg.det(rates_to_spin(order, q[0]))) > 0.5:
        return q, qdot, order
    R = [Rotation.from_euler(order, x).as_matrix() for x in q]
    best = max(ORDERS, key=lambda o: min(clearance(o, x) for x in R))
    angles = [Rotation.from_matrix(x).as_euler(best) for x in R]
    angles = [angles[0], *[x - 2 * np.pi * np.round((x - angles[0]) / (2 * np.pi)) for x in angles[1:]]]
    spins = [rates_to_spin(order, x) @ v for x, v in zip(q, qdot, strict=True)]
    return angles, [np.linalg.solve(rates_to_spin(best, x), w) for x, w in zip(angles, spins, strict=True)], best


def solved(m: Mechanism, known_q: Any, known_v: Any, ah: float, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = guess
    for _ in range(60):
        last, q = q, known_q + ah**2 * acceleration(m, q, (q - known_v) / ah)
        if np.abs(q - last).max() < 1e-13 * (1 + np.abs(q).max()):
            break
    return q, (q - known_v) / ah


@dataclass
class BackwardDifferences:
    """BDF1, or BDF2 that starts with a step of SDIRK2. build: the mechanism in given charts; at: where in q Euler angles are."""

    build: Callable[[Sequence[str]], Mechanism]
    order: int
    h: float
    q: np.ndarray
    qdot: np.ndarray
    charts: list[str]
    at: Sequence[slice] = ()
    older: tuple[np.ndarray, np.ndarray] | None = None

    def new_state(self, m: Mechanism) -> tuple[np.ndarray, np.ndarray]:
        h, q, v = self.h, self.q, self.qdot
        if self.order == 1:
            return solved(m, q + h * v, q, h, q + h * v)
        if self.older is None:
            a, b = ALPHA * h, (1 - ALPHA) * h
            qa, va = solved(m, q + a * v, q, a, q + a * v)
            return solved(m, q + (a - b) * v + 2 * b * va, q + b * va, a, qa + b * va)
        base = (4 * q - self.older[0]) / 3
        return solved(m, base + h * (8 * v - 2 * self.older[1]) / 9, base, 2 * h / 3, q + h * v)

    def step(self) -> None:
        new = self.new_state(self.build(self.charts))
        self.older, (self.q, self.qdot) = (self.q.copy(), self.qdot.copy()), new
        for i, s in enumerate(self.at):
            states = [self.q[s], self.older[0][s]], [self.qdot[s], self.older[1][s]]
            (self.q[s], self.older[0][s]), (self.qdot[s], self.older[1][s]), self.charts[i] = recharted(*states, self.charts[i])
