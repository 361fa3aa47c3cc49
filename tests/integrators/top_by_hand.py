"""Generalized-alpha on the heavy top, written once more with NumPy alone: bodies and multipliers as unknowns, nothing of redmax.

Index 3, stabilised index 2 and index 1, on SE(3) and on SO(3) x R^3; frame at the centre of mass, constraint R'x - X = 0. Newton's
iteration is a simplified one, to rounding.
"""

from __future__ import annotations

import numpy as np

M15, X, WEIGHT = 15.0, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -9.81])
J = np.diag([0.234375, 0.46875, 0.234375])
MASS = np.block([[J, np.zeros((3, 3))], [np.zeros((3, 3)), M15 * np.eye(3)]])


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def exponential(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp and its left differential (Rodrigues), of angles that are not small."""
    t, W = float(np.linalg.norm(w)), hat(w)
    a, b, c = np.sin(t) / t, (1 - np.cos(t)) / t**2, (t - np.sin(t)) / t**3
    return np.eye(3) + a * W + b * W @ W, np.eye(3) + b * W + c * W @ W


class Top:
    """One run. multipliers, hidden: of each step."""

    def __init__(self, group: str, index: int, h: float, rho: float = 0.9) -> None:
        self.screw, self.index, self.h = group == "SE3", index, h
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4
        self.R, self.x, w = np.eye(3), X.copy(), np.array([0.0, 150.0, -4.61538])
        self.v = np.concatenate([w, np.cross(w, X)])  # the same on both groups, as R = 1
        self.rate = self.acceleration(self.R, self.x, self.v)[:6]
        self.a, self.lam = self.rate.copy(), np.zeros(3)
        if index == 2:
            self.a += (self.am - self.af) * h * self.second_rate()
        self.multipliers: list[np.ndarray] = []
        self.hidden: list[float] = []

    def second_rate(self) -> np.ndarray:
        """v'' where the run begins, by central differences."""
        e, found = 1e-6, []
        for s in (e, -e):
            R, x = self.go(s * (self.v + 0.5 * s * self.rate))
            found.append(self.acceleration(R, x, self.v + s * self.rate)[:6])
        return (found[0] - found[1]) / (2 * e)

    def rows(self, R: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.hstack([hat(R.T @ x), np.eye(3) if self.screw else R.T])

    def acceleration(self, R: np.ndarray, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """v' and multipliers where the fixed point has no acceleration."""
        B, w = self.rows(R, x), v[:3]
        xdot = R @ v[3:] if self.screw else v[3:]
        rdot = R.T @ xdot - np.cross(w, R.T @ x)
        drift = -np.cross(rdot, w) - (np.zeros(3) if self.screw else -np.cross(w, R.T @ xdot))  # -Bdot v: of [r] w + xdot in body axes
        system = np.block([[MASS, B.T], [B, np.zeros((3, 3))]])
        return np.linalg.solve(system, np.concatenate([-self.bias(R, v), drift]))

    def step_of_index_1(self) -> None:
        h, am, af, gamma, beta = self.h, self.am, self.af, self.gamma, self.beta
        rate = self.rate
        for _ in range(60):
            a = ((1 - af) * rate + af * self.rate - am * self.a) / (1 - am)
            v = self.v + h * ((1 - gamma) * self.a + gamma * a)
            R, x = self.go(h * (self.v + (0.5 - beta) * h * self.a + beta * h * a))
            before, found = rate, self.acceleration(R, x, v)
            rate = found[:6]
            if np.linalg.norm(rate - before) < 1e-14 * np.linalg.norm(rate):
                break
        self.a, self.rate, self.v, self.lam, self.R, self.x = a, rate, v, found[6:], R, x

    def bias(self, R: np.ndarray, v: np.ndarray) -> np.ndarray:
        w, u = v[:3], v[3:]
        turned = M15 * (np.cross(w, u) - R.T @ WEIGHT) if self.screw else -M15 * WEIGHT
        return np.concatenate([np.cross(w, J @ w), turned])

    def go(self, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        E, T = exponential(d[:3])
        return self.R @ E, self.x + (self.R @ (T @ d[3:]) if self.screw else d[3:])

    def step(self) -> None:
        h, am, af, gamma, beta = self.h, self.am, self.af, self.gamma, self.beta
        rate, lam, eta, B0 = self.rate.copy(), self.lam.copy(), np.zeros(3), self.rows(self.R, self.x)
        to_v, to_q = h * gamma * (1 - af) / (1 - am), h * h * beta * (1 - af) / (1 - am)
        least = np.inf
        for _ in range(60):
            a = ((1 - af) * rate + af * self.rate - am * self.a) / (1 - am)
            d = h * (self.v + (0.5 - beta) * h * self.a + beta * h * a) - (h * B0.T @ eta if self.index == 2 else 0.0)
            v = self.v + h * ((1 - gamma) * self.a + gamma * a)
            R, x = self.go(d)
            B = self.rows(R, x)
            r = [MASS @ rate + self.bias(R, v) + B.T @ lam, (R.T @ x - X) / to_q, B @ v / to_v]
            C = np.zeros((6, 6))
            C[:3, :3] = hat(v[:3]) @ J - hat(J @ v[:3])
            if self.screw:
                C[3:, :3], C[3:, 3:] = -M15 * hat(v[3:]), M15 * hat(v[:3])
            zero = np.zeros((3, 3))
            if self.index == 3:
                system = np.block([[MASS + to_v * C, B.T], [B, zero]])
                change = np.linalg.solve(system, -np.concatenate(r[:2]))
            else:
                none = np.zeros((6, 3))
                system = np.block([[MASS + to_v * C, B.T, none], [B, zero, -h / to_q * B @ B0.T], [B, zero, zero]])
                change = np.linalg.solve(system, -np.concatenate(r))
                eta = eta + change[9:]
            rate, lam = rate + change[:6], lam + change[6:9]
            size = float(np.linalg.norm(change[:6]) / np.linalg.norm(rate))
            if size < 1e-15 or (size < 1e-11 and size > 0.5 * least):
                break
            least = size
        self.a, self.rate, self.v, self.lam = ((1 - af) * rate + af * self.rate - am * self.a) / (1 - am), rate, v, lam
        self.R, self.x = R, x
        self.multipliers.append(lam)
        self.hidden.append(float(np.abs(B @ v).max()))


class TopByItsPoint(Top):
    """Of index 1 as joints have it: rows of the body's own point that should stay at the pivot, p = x - R X, and Baumgarte's terms.

    d/dt R' pdot = -2 b R' pdot - b^2 R' p. Where p = 0 it is the same; a top that drifts off goes elsewhere.
    """

    def __init__(self, group: str, h: float, gain: float) -> None:
        self.gain = gain
        super().__init__(group, 1, h)

    def acceleration(self, R: np.ndarray, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        B = np.hstack([hat(X), np.eye(3) if self.screw else R.T])
        turned = np.zeros(3) if self.screw else np.cross(v[:3], R.T @ v[3:])  # -Bdot v
        asked = turned - 2.0 * self.gain * B @ v - self.gain**2 * (R.T @ x - X)
        system = np.block([[MASS, B.T], [B, np.zeros((3, 3))]])
        return np.linalg.solve(system, np.concatenate([-self.bias(R, v), asked]))


def run_by_its_point(group: str, h: float, steps: int, gain: float) -> Top:
    top = TopByItsPoint(group, h, gain)
    for _ in range(steps):
        top.step_of_index_1()
        top.multipliers.append(top.lam)
    return top


def run(group: str, index: int, h: float, steps: int) -> Top:
    top = Top(group, index, h)
    for _ in range(steps):
        top.step_of_index_1() if index == 1 else top.step()
    return top
