"""Generalized-alpha on the heavy top seen from the world, with NumPy alone: right trivialised velocities, nothing of redmax.

    SE3-right      v = (w, u), u = xdot + x x w at the origin:   g1 = exp(h Dq) g0        B = [0, R']
    SO3xR3-right   v = (w, xdot), w in world axes:               R1 = exp(h Dw) R0        B = [R'[x], R'],  of R'x - X = 0

Index 3, stabilised index 2 and index 1, frame at the centre of mass. Newton's iteration has a matrix by differences, once a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from integrators.top_by_hand import M15, WEIGHT, J, X, exponential, hat


class TopFromOutside:
    """One run. multipliers: of each step."""

    def __init__(self, group: str, index: int, h: float, rho: float = 0.9) -> None:
        self.screw, self.index, self.h = group == "SE3-right", index, h
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4
        self.R, self.x, w = np.eye(3), X.copy(), np.array([0.0, 150.0, -4.61538])
        self.v = np.concatenate([w, np.zeros(3) if self.screw else np.cross(w, X)])
        self.rate, self.lam = self.acceleration(self.R, self.x, self.v)
        self.a = self.rate.copy()
        if index == 2:
            self.a += (self.am - self.af) * h * self.second_rate()
        self.multipliers: list[np.ndarray] = []

    def second_rate(self) -> np.ndarray:
        """v'' where the run begins, by central differences along the joint: of the angular velocity W in the body's axes, R = 1."""
        e, found = 1e-6, []
        for s in (e, -e):
            R = exponential(s * (self.v[:3] + 0.5 * s * self.rate[:3]))[0]
            w = R @ (self.v[:3] + s * self.rate[:3])
            found.append(self.acceleration(R, R @ X, np.concatenate([w, np.zeros(3) if self.screw else np.cross(w, R @ X)]))[0])
        return (found[0] - found[1]) / (2 * e)

    def rows(self, R: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.hstack([np.zeros((3, 3)) if self.screw else R.T @ hat(x), R.T])

    def missing(self, R: np.ndarray, x: np.ndarray, v: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """What the laws of motion need of torque, about the origin on SE(3), about the centre beside it, and force; in world axes."""
        w, I = v[:3], R @ J @ R.T  # noqa: E741
        xdot = v[3:] + np.cross(w, x) if self.screw else v[3:]
        xddot = rate[3:] + np.cross(rate[:3], x) + np.cross(w, xdot) if self.screw else rate[3:]
        force, torque = M15 * (xddot - WEIGHT), I @ rate[:3] + np.cross(w, I @ w)
        return np.concatenate([torque + np.cross(x, force) if self.screw else torque, force])

    def acceleration(self, R: np.ndarray, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """v' and multipliers where the fixed point has no acceleration: B v' = -Bdot v."""
        B, w, none = self.rows(R, x), v[:3], self.missing(R, x, v, np.zeros(6))
        M = np.column_stack([self.missing(R, x, v, e) - none for e in np.eye(6)])
        slip = v[3:] if self.screw else v[3:] - np.cross(w, x)
        asked = R.T @ (np.cross(w, slip) + (np.zeros(3) if self.screw else np.cross(w, v[3:])))
        found = np.linalg.solve(np.block([[M, B.T], [B, np.zeros((3, 3))]]), np.concatenate([-none, asked]))
        return found[:6], found[6:]

    def go(self, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        E, T = exponential(d[:3])
        return E @ self.R, E @ self.x + T @ d[3:] if self.screw else self.x + d[3:]

    def end(self, rate: np.ndarray, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """a, v, R, x by the difference formulas."""
        h = self.h
        a = ((1 - self.af) * rate + self.af * self.rate - self.am * self.a) / (1 - self.am)
        v = self.v + h * ((1 - self.gamma) * self.a + self.gamma * a)
        back = self.rows(self.R, self.x).T @ eta
        return a, v, *self.go(h * (self.v + h * ((0.5 - self.beta) * self.a + self.beta * a) - back))

    def residual(self, y: np.ndarray) -> np.ndarray:
        """Of (h v', lambda h, eta): the laws of motion, and the constraint, and its rate."""
        rate, lam = y[:6] / self.h, y[6:9] / self.h
        _, v, R, x = self.end(rate, y[9:] if self.index == 2 else np.zeros(3))
        B = self.rows(R, x)
        parts = [self.h * (self.missing(R, x, v, rate) + B.T @ lam), (R.T @ x - X) / self.h]
        return np.concatenate([*parts, B @ v] if self.index == 2 else parts)

    def step(self) -> None:
        start = [self.h * self.rate, self.h * self.lam, np.zeros(3)]
        y = solved(self.residual, np.concatenate(start if self.index == 2 else start[:2]))
        rate, eta = y[:6] / self.h, y[9:] if self.index == 2 else np.zeros(3)
        self.a, self.v, self.R, self.x = self.end(rate, eta)
        self.rate, self.lam = rate, y[6:9] / self.h
        self.multipliers.append(self.lam)

    def step_of_index_1(self) -> None:
        rate, least = self.rate, np.inf
        for _ in range(60):
            _, v, R, x = self.end(rate, np.zeros(3))
            before, (rate, lam) = rate, self.acceleration(R, x, v)
            change = np.linalg.norm(rate - before) / np.linalg.norm(rate)
            if change < 1e-14 or (change < 1e-11 and change > 0.5 * least):
                break
            least = change
        self.a, self.v, self.R, self.x = self.end(rate, np.zeros(3))
        self.rate, self.lam = rate, lam
        self.multipliers.append(lam)


def solved(residual: Callable[[np.ndarray], np.ndarray], y: np.ndarray) -> np.ndarray:
    """By Newton's method, until roundings end it."""
    e, least = 1e-6, np.inf
    matrix = np.column_stack([(residual(y + e * d) - residual(y - e * d)) / (2 * e) for d in np.eye(len(y))])
    for _ in range(40):
        change = np.linalg.solve(matrix, residual(y))
        y = y - change
        size = float(np.abs(change).max())
        if size < 1e-15 or (size < 1e-13 and size > 0.5 * least):
            break
        least = size
    return y


def run(group: str, index: int, h: float, steps: int) -> TopFromOutside:
    top = TopFromOutside(group, index, h)
    for _ in range(steps):
        top.step_of_index_1() if index == 1 else top.step()
    return top
