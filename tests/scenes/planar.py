"""Mechanisms in the plane of x and z without the library: their equations, forces between points, and the methods, written out.

A turn by a about y takes (x, z) to (c x + s z, c z - s x), so that d(x, z)/da = (z, -x), called `across` here. All functions are
analytic in q and qdot but for the conditions of cables and limits: derivatives come from steps along the imaginary axis, exact to rounding.

Linearly implicit Euler: (M + h D - h^2 K) qdot1 = (M + h D) qdot0 + h f. For each force between bodies, K is half the sum of a matrix and
its transpose: the derivative of its wrenches, in body axes at the bodies' centres, along poses E exp(xi) with twists kept; D likewise along
twists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ALPHA = 1 - np.sqrt(0.5)
TINY = 1e-30


def turned(a: Any, r: Any) -> np.ndarray:
    return np.array([np.cos(a) * r[0] + np.sin(a) * r[1], np.cos(a) * r[1] - np.sin(a) * r[0]])


def across(r: Any) -> np.ndarray:
    return np.array([r[1], -r[0]])


def slopes(f: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    """(outputs, inputs)."""
    return np.array([np.imag(f(x + 1j * TINY * e)) / TINY for e in np.eye(len(x))]).T


@dataclass(frozen=True)
class Bar:
    """kind: of its joint, "turn", "slide" (along x) or "" for none; at, angle: of the joint in the parent's; centre: in the joint frame."""

    size: tuple[float, float, float]
    parent: int
    kind: str
    at: tuple[float, float] = (0.0, 0.0)
    centre: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0

    @property
    def mass(self) -> float:
        return float(np.prod(self.size))

    @property
    def inertia(self) -> float:
        return self.mass * (self.size[0] ** 2 + self.size[2] ** 2) / 12


@dataclass(frozen=True)
class Pull:
    """Forces at points. places: (bar, point of it), or (-1, point of the world).

    pulls, energy: of positions (n, 3) and velocities (n, 3); implicit: whether implicit Euler knows how it changes
    """

    places: Sequence[tuple[int, tuple[float, float, float]]]
    pulls: Callable[[Any, Any], Any]
    energy: Callable[[Any], Any] = lambda x: 0.0
    implicit: bool = True


@dataclass(frozen=True)
class Motion:
    """Of a bar's centre: angle, position, spin, velocity, and its acceleration if qddot = 0; J: (3, n) of (spin; velocity)."""

    a: Any
    x: Any
    w: Any
    v: Any
    bias: Any
    J: Any

    def point(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where a point of the bar is, its velocity, and its Jacobian (2, n)."""
        r = turned(self.a, (p[0], p[2]))
        return self.x + r, self.v + self.w * across(r), self.J[1:] + np.outer(across(r), self.J[0])


@dataclass(frozen=True)
class Plane:
    """stiffness, damping, rest: (n,) of the joints; drag: d of the wrench -d phi on each body; limits: lower, upper, k, d of all joints."""

    bars: Sequence[Bar]
    pulls: Sequence[Pull] = ()
    gravity: float = 980.0
    stiffness: Any = 0.0
    damping: Any = 0.0
    rest: Any = 0.0
    drag: float = 0.0
    limits: tuple[float, float, float, float] | None = None

    def motions(self, q: Any, qdot: Any) -> list[Motion]:
        n, found, k = len(q), [], 0
        root = (np.zeros(2), 0.0, np.zeros(2), 0.0, np.zeros(2), np.zeros((3, n)))
        frames: list[Any] = []
        for bar in self.bars:
            x, a, v, w, bias, J = frames[bar.parent] if bar.parent >= 0 else root
            r = turned(a, bar.at)
            x, v, bias, a = x + r, v + w * across(r), bias - w * w * r, a + bar.angle
            J = np.array([J[0], *(J[1:] + np.outer(across(r), J[0]))])
            if bar.kind == "slide":
                u = turned(a, (1.0, 0.0))
                r = u * q[k]
                x, bias = x + r, bias - w * w * r + 2 * w * qdot[k] * across(u)
                v = v + u * qdot[k] + w * across(r)
                J = np.array([J[0], *(J[1:] + np.outer(across(r), J[0]) + np.outer(u, np.eye(n)[k]))])
            if bar.kind == "turn":
                a, w = a + q[k], w + qdot[k]
                J = np.array([J[0] + np.eye(n)[k], *J[1:]])
            k += bool(bar.kind)
            frames.append((x, a, v, w, bias, J))
            r = turned(a, bar.centre)
            centre = np.array([J[0], *(J[1:] + np.outer(across(r), J[0]))])
            found.append(Motion(a, x + r, w, v + w * across(r), bias - w * w * r, centre))
        return found

    def inertia(self, q: Any) -> np.ndarray:
        weights = [np.array([bar.inertia, bar.mass, bar.mass]) for bar in self.bars]
        return sum(m.J.T @ (w[:, None] * m.J) for m, w in zip(self.motions(q, 0 * q), weights, strict=True))

    def within_joints(self, q: Any, qdot: Any) -> Any:
        tau = self.stiffness * (self.rest - q) - self.damping * qdot
        if self.limits:
            lower, upper, k, d = self.limits
            limit = np.where(np.real(q) < lower, lower, upper)
            tau = tau + np.where((np.real(q) < lower) | (np.real(q) > upper), k * (limit - q) - d * qdot, 0.0)
        return tau

    def force(self, q: Any, qdot: Any) -> Any:
        """f of M qddot = f: weight, what turns and slides bring, drag, joints, and pulls."""
        motions = self.motions(q, qdot)
        f = self.within_joints(q, qdot)
        for bar, m in zip(self.bars, motions, strict=True):
            f = f + m.J[1:].T @ (bar.mass * (np.array([0.0, -self.gravity]) - m.bias) - self.drag * m.v) - self.drag * m.J[0] * m.w
        for pull in self.pulls:
            seen = [self.seen(motions, *place) for place in pull.places]
            for (_, _, J), F in zip(seen, pull.pulls(*self.positions(seen)), strict=True):
                f = f + J.T @ np.array([F[0], F[2]])
        return f

    @staticmethod
    def seen(motions: Any, bar: int, p: Any) -> tuple[Any, Any, Any]:
        """A point's position and velocity (3,), and its Jacobian (2, n)."""
        if bar < 0:
            return np.array(p, float), np.zeros(3), np.zeros((2, 1))
        x, v, J = motions[bar].point(p)
        return np.array([x[0], p[1], x[1]]), np.array([v[0], 0.0, v[1]]), J

    @staticmethod
    def positions(seen: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
        return np.array([s[0] for s in seen]), np.array([s[1] for s in seen])

    def energies(self, q: np.ndarray, qdot: np.ndarray) -> tuple[float, float]:
        motions = self.motions(q, qdot)
        kinetic = 0.5 * qdot @ self.inertia(q) @ qdot
        potential = sum(self.gravity * bar.mass * m.x[1] for bar, m in zip(self.bars, motions, strict=True))
        potential += 0.5 * np.sum(self.stiffness * (q - self.rest) ** 2)
        if self.limits:
            lower, upper, k, _ = self.limits
            potential += 0.5 * k * np.sum(np.maximum(0, lower - q) ** 2 + np.maximum(0, q - upper) ** 2)
        for pull in self.pulls:
            potential += pull.energy(self.positions([self.seen(motions, *place) for place in pull.places])[0])
        return float(kinetic), float(potential)

    def acceleration(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.inertia(q), self.force(q, qdot))

    def stiffness_and_damping(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """K and D of all forces, in reduced coordinates."""
        motions = self.motions(q, qdot)
        K, D = slopes(lambda x: self.within_joints(x, qdot), q), -slopes(lambda x: self.within_joints(q, x), qdot)
        for m in motions:
            D = D + self.drag * m.J.T @ m.J
        for pull in self.pulls:
            if pull.implicit:
                bars = sorted({bar for bar, _ in pull.places if bar >= 0})
                J = np.concatenate([in_body_axes(motions[bar].a, motions[bar].J) for bar in bars])
                twist, still = J @ qdot, np.zeros(3 * len(bars))
                along_poses = slopes(lambda xi, p=pull, b=bars, t=twist: body_wrenches(p, motions, b, xi, t), still)
                along_twists = slopes(lambda t, p=pull, b=bars, xi=still: body_wrenches(p, motions, b, xi, t), twist)
                K = K + J.T @ (along_poses + along_poses.T) / 2 @ J
                D = D - J.T @ (along_twists + along_twists.T) / 2 @ J
        return K, D

    def implicit_euler(self, q: np.ndarray, qdot: np.ndarray, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(steps):
            K, D = self.stiffness_and_damping(q, qdot)
            A = self.inertia(q) + h * D
            qdot = np.linalg.solve(A - h * h * K, A @ qdot + h * self.force(q, qdot))
            q = q + h * qdot
        return q, qdot

    def solved(self, known_q: Any, known_v: Any, ah: float) -> tuple[np.ndarray, np.ndarray]:
        """M (q - known_q) = (a h)^2 f at q and (q - known_v) / (a h), by Newton's method with halved steps."""

        def miss(q: Any) -> Any:
            return self.inertia(q) @ (q - known_q) - ah**2 * self.force(q, (q - known_v) / ah)

        q = known_q
        for _ in range(100):
            error = miss(q)
            step = -np.linalg.solve(slopes(miss, q), error)
            while np.abs(step).max() > 1e-12 and np.linalg.norm(miss(q + step)) > np.linalg.norm(error):
                step = step / 2
            q = q + step
            if np.abs(step).max() < 1e-14 * (1 + np.abs(q).max()):
                break
        return q, (q - known_v) / ah

    def backward_differences(self, q: np.ndarray, qdot: np.ndarray, h: float, steps: int, order: int) -> tuple[np.ndarray, np.ndarray]:
        """BDF1, or BDF2 that starts with a step of SDIRK2."""
        if order == 1:
            for _ in range(steps):
                q, qdot = self.solved(q + h * qdot, q, h)
            return q, qdot
        a, b = ALPHA * h, (1 - ALPHA) * h
        _, va = self.solved(q + a * qdot, q, a)
        new = self.solved(q + (a - b) * qdot + 2 * b * va, q + b * va, a)
        for _ in range(steps - 1):
            old, (q, qdot) = (q, qdot), new
            base = (4 * q - old[0]) / 3
            new = self.solved(base + h * (8 * qdot - 2 * old[1]) / 9, base, 2 * h / 3)
        return new


def in_body_axes(a: Any, rows: Any) -> np.ndarray:
    return np.array([rows[0], *turned(-a, rows[1:])])


def body_wrenches(pull: Pull, motions: Sequence[Motion], bars: Sequence[int], xi: Any, twist: Any) -> np.ndarray:
    """(torque; force) on each bar at its centre in its axes, from poses moved by xi (turn; shift, both small) and twists in body axes."""
    places = {}
    for k, bar in enumerate(bars):
        m, (turn, *shift), (w, *v) = motions[bar], xi[3 * k : 3 * k + 3], twist[3 * k : 3 * k + 3]
        a = m.a + turn
        places[bar] = Motion(a, m.x + turned(m.a, shift), w, turned(a, v), None, np.zeros((3, 1)))
    seen = [Plane.seen(places, *place) for place in pull.places]
    result = {bar: np.zeros(3, complex) for bar in bars}
    for (bar, p), F in zip(pull.places, pull.pulls(*Plane.positions(seen)), strict=True):
        if bar >= 0:
            local = turned(-places[bar].a, (F[0], F[2]))
            result[bar] += [p[2] * local[0] - p[0] * local[1], *local]
    return np.concatenate([result[bar] for bar in bars])
