"""Methods for one rigid body about a fixed point, written out by hand on R (3, 3) and W in NumPy: nothing of the library is used.

J W' = m X x R'g - W x J W,  R' = R [W]. What an implicit method asks for is solved by plain iteration or by differences, not by its code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

Array = NDArray[np.float64]
State = tuple[Array, Array]
G = np.array([0, 0, -9.81])


def hat(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def vee(W: Array) -> Array:
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


def exp(w: Array) -> Array:
    """Rodrigues' formula; by Pade's for short ones, where it loses digits."""
    t = float(np.sqrt(w @ w))
    if t < 1e-3:
        return expm(hat(w))
    W = hat(w / t)
    return np.eye(3) + np.sin(t) * W + (1 - np.cos(t)) * (W @ W)


def cay(w: Array) -> Array:
    return np.linalg.solve(np.eye(3) - hat(w) / 2, np.eye(3) + hat(w) / 2)


def dexpinv(theta: Array, w: Array) -> Array:
    """dexp^-1_{-Theta} w by Bernoulli's numbers: Theta is short."""
    ad = -hat(theta)
    result, term, factorial = w.copy(), w.copy(), 1.0
    for k, b in enumerate((-1 / 2, 1 / 6, 0, -1 / 30, 0, 1 / 42, 0, -1 / 30, 0, 5 / 66), 1):
        term, factorial = ad @ term, factorial * k
        result = result + b / factorial * term
    return result


class Top:
    """m, the moments about the centre of mass, X to it from the fixed point, and the angular velocity at the start."""

    def __init__(self, m: float, moments: Array, X: Array, omega: Array) -> None:
        self.m, self.X = m, np.asarray(X, float)
        self.J = np.diag(moments) + m * (self.X @ self.X * np.eye(3) - np.outer(self.X, self.X))
        self.start = np.eye(3), np.asarray(omega, float)

    def torque(self, R: Array) -> Array:
        return self.m * np.cross(self.X, R.T @ G)

    def rate(self, R: Array, W: Array) -> Array:
        return np.linalg.solve(self.J, self.torque(R) - np.cross(W, self.J @ W))


def munthe_kaas(A: list[list[float]], b: list[float]) -> Callable[[Top, Array, Array, float], State]:
    def step(top: Top, R: Array, W: Array, h: float) -> State:
        K: list[Array] = []
        D: list[Array] = []
        for row in A:
            theta = h * sum((a * k for a, k in zip(row, K)), np.zeros(3))
            w = W + h * sum((a * d for a, d in zip(row, D)), np.zeros(3))
            K.append(dexpinv(theta, w))
            D.append(top.rate(R @ exp(theta), w))
        theta = h * sum(x * k for x, k in zip(b, K))
        return R @ exp(theta), W + h * sum(x * d for x, d in zip(b, D))

    return step


def crouch_grossman3(top: Top, R: Array, W: Array, h: float) -> State:
    w1, d1 = W, top.rate(R, W)
    w2 = W + h * 3 / 4 * d1
    d2 = top.rate(R @ exp(h * 3 / 4 * w1), w2)
    w3 = W + h * (119 / 216 * d1 + 17 / 108 * d2)
    d3 = top.rate(R @ exp(h * 119 / 216 * w1) @ exp(h * 17 / 108 * w2), w3)
    b = 13 / 51, -2 / 3, 24 / 17
    return R @ exp(h * b[0] * w1) @ exp(h * b[1] * w2) @ exp(h * b[2] * w3), W + h * (b[0] * d1 + b[1] * d2 + b[2] * d3)


def commutator_free4(top: Top, R: Array, W: Array, h: float) -> State:
    w1, d1 = W, top.rate(R, W)
    R2 = R @ exp(h / 2 * w1)
    w2 = W + h / 2 * d1
    d2 = top.rate(R2, w2)
    w3 = W + h / 2 * d2
    d3 = top.rate(R @ exp(h / 2 * w2), w3)
    w4 = W + h * d3
    d4 = top.rate(R2 @ exp(h * (w3 - w1 / 2)), w4)
    first, second = h / 12 * (3 * w1 + 2 * w2 + 2 * w3 - w4), h / 12 * (-w1 + 2 * w2 + 2 * w3 + 3 * w4)
    return R @ exp(first) @ exp(second), W + h / 6 * (d1 + 2 * d2 + 2 * d3 + d4)


def partitioned4(top: Top, R: Array, W: Array, h: float) -> State:
    """Poses by brackets, [x, y] = x cross y of body velocities; velocities by the classical method."""
    w1, d1 = W, top.rate(R, W)
    w2 = W + h / 2 * d1
    d2 = top.rate(R @ exp(h / 2 * w1), w2)
    q1, q2 = w1, w2 - w1
    w3 = W + h / 2 * d2
    d3 = top.rate(R @ exp(h / 2 * (q1 + q2) + h * h / 8 * np.cross(q1, q2)), w3)
    q3 = w3 - w2
    w4 = W + h * d3
    d4 = top.rate(R @ exp(h * (q1 + q2 + q3)), w4)
    q4 = w4 - 2 * w2 + w1
    theta = h * (q1 + q2 + q3 / 3 + q4 / 6) + h * h / 6 * np.cross(q1, q2) + h * h / 12 * np.cross(q1, q4)
    return R @ exp(theta), W + h / 6 * (d1 + 2 * d2 + 2 * d3 + d4)


def kicked(top: Top, R: Array, W: Array, h: float, turn: Callable[[Array], Array]) -> State:
    """Half a kick, a turn Q of the momentum, half a kick."""
    pi = top.J @ W + h / 2 * top.torque(R)
    Q = turn(pi)
    return R @ Q, np.linalg.solve(top.J, Q.T @ pi + h / 2 * top.torque(R @ Q))


def newmark(top: Top, R: Array, W: Array, h: float) -> State:
    Q = exp(h * W + h * h / 2 * top.rate(R, W))
    R1 = R @ Q
    spatial = R @ top.J @ W + h / 2 * (R @ top.torque(R) + R1 @ top.torque(R1))
    return R1, np.linalg.solve(top.J, R1.T @ spatial)


def midpoint(top: Top, R: Array, W: Array, h: float) -> State:
    def turn(pi: Array) -> Array:
        half = h / 2 * np.linalg.solve(top.J, pi)
        return exp(h * np.linalg.solve(top.J, exp(-half) @ pi))

    return kicked(top, R, W, h, turn)


def lie_poisson(top: Top, R: Array, W: Array, h: float) -> State:
    moments, axes = np.linalg.eigh(top.J)

    def turn(pi: Array) -> Array:
        Q = np.eye(3)
        for share, k in ((0.5, 0), (1.0, 2), (0.5, 0)):
            a = axes[:, k]
            part = exp(share * h * (1 / moments[k] - 1 / moments[1]) * (a @ pi) * a)
            Q, pi = Q @ part, part.T @ pi
        return Q @ exp(h / moments[1] * pi)

    return kicked(top, R, W, h, turn)


def rattle(top: Top, R: Array, W: Array, h: float) -> State:
    """Q D - D Q' = h [pi] as it stands, Newton's method in the exponent with differences."""
    D = np.trace(top.J) / 2 * np.eye(3) - top.J

    def turn(pi: Array) -> Array:
        def miss(theta: Array) -> Array:
            Q = exp(theta)
            return vee(Q @ D - D @ Q.T) - h * pi

        theta = h * np.linalg.solve(top.J, pi)
        for _ in range(12):
            slope = np.column_stack([(miss(theta + e) - miss(theta - e)) / 2e-5 for e in 1e-5 * np.eye(3)])
            step = np.linalg.solve(slope, miss(theta))
            theta = theta - step
            if np.abs(step).max() < 1e-14:
                break
        return exp(theta)

    return kicked(top, R, W, h, turn)


def energy_momentum(top: Top, R: Array, W: Array, h: float) -> State:
    """R1 J W1 = R0 J W0 + h m mean(x) x g, by iteration until nothing changes."""
    W1 = W
    for _ in range(200):
        R1 = R @ cay(h * (W + W1) / 2)
        mean = (R + R1) @ top.X / 2
        new = np.linalg.solve(top.J, R1.T @ (R @ top.J @ W + h * top.m * np.cross(mean, G)))
        if np.abs(new - W1).max() < 1e-15 * np.abs(W).max():
            break
        W1 = new
    return R @ cay(h * (W + W1) / 2), W1


def coadjoint(top: Top, R: Array, W: Array, h: float) -> State:
    """The classical method for Theta and the momentum in world axes."""
    L = R @ top.J @ W
    K: list[Array] = []
    N: list[Array] = []
    for a in (0.0, 0.5, 0.5, 1.0):
        theta = h * a * K[-1] if K else np.zeros(3)
        spatial = L + h * a * N[-1] if N else L
        here = R @ exp(theta)
        K.append(dexpinv(theta, np.linalg.solve(top.J, here.T @ spatial)))
        N.append(here @ top.torque(here))
    b = 1 / 6, 1 / 3, 1 / 3, 1 / 6
    R1 = R @ exp(h * sum(x * k for x, k in zip(b, K)))
    return R1, np.linalg.solve(top.J, R1.T @ (L + h * sum(x * n for x, n in zip(b, N))))


def dexp_matrix(theta: Array) -> Array:
    """The matrix of `dexpinv`."""
    return np.column_stack([dexpinv(theta, e) for e in np.eye(3)])


def variational(top: Top, R: Array, W: Array, h: float) -> State:
    """Discrete Euler-Lagrange on SO(3), L = h/2 V'JV - h/2 (U0 + U1), V = log(R0'R1)/h, by momenta J W at both ends of the step."""
    given = top.J @ W + h / 2 * top.torque(R)

    def miss(theta: Array) -> Array:
        return dexp_matrix(-theta).T @ top.J @ theta / h - given

    theta = h * np.linalg.solve(top.J, given)
    for _ in range(15):
        slope = np.column_stack([(miss(theta + e) - miss(theta - e)) / 2e-6 for e in 1e-6 * np.eye(3)])
        step = np.linalg.solve(slope, miss(theta))
        theta = theta - step
        if np.abs(step).max() < 1e-15:
            break
    R1 = R @ exp(theta)
    return R1, np.linalg.solve(top.J, dexp_matrix(theta).T @ top.J @ theta / h + h / 2 * top.torque(R1))


CLASSICAL = [[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]
STEPS: dict[str, Callable[[Top, Array, Array, float], State]] = {
    "mk2": munthe_kaas([[], [1 / 2]], [0, 1]),
    "mk3": munthe_kaas([[], [1 / 2], [-1, 2]], [1 / 6, 2 / 3, 1 / 6]),
    "mk4": munthe_kaas(*CLASSICAL),
    "mk4-partitioned": partitioned4,
    "cg3": crouch_grossman3,
    "cf4": commutator_free4,
    "newmark-lie": newmark,
    "midpoint-lie": midpoint,
    "lie-poisson": lie_poisson,
    "rattle": rattle,
    "coadjoint": coadjoint,
    "energy-momentum": energy_momentum,
    "variational": variational,
}


def run(name: str, top: Top, h: float, count: int) -> State:
    R, W = top.start
    for _ in range(count):
        R, W = STEPS[name](top, R, W, h)
    return R, W
