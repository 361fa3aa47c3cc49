"""A noisy set that is stated in full, whose least squares anybody can compute: 12 poses, 5 control frames over clamped uniform knots.

pose k = exp(0.15 k, 0.1 sin k, 0.05 cos 2k, 0.02 k, 0.1 cos k, 0.03 sin 3k) exp(0.05 sin(5k + 1), ..., 0.05 sin(5k + 6)),  q = k / 11
"""

from __future__ import annotations

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

import redmax as rm
from redmax.lie import se3

OPTIMUM = 0.113185829918400
K = np.arange(12.0)
MOTION = np.stack([0.15 * K, 0.1 * np.sin(K), 0.05 * np.cos(2 * K), 0.02 * K, 0.1 * np.cos(K), 0.03 * np.sin(3 * K)], axis=1)
POSES = se3.exp(MOTION) @ se3.exp(0.05 * np.sin(5 * K[:, None] + np.arange(1, 7)))


def matrix(z: mp.matrix) -> mp.matrix:
    """The 4x4 of a twist."""
    w, v = z[:3], z[3:]
    return mp.matrix([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


def logarithm(E: mp.matrix) -> list[mp.mpf]:
    """By the series log(1 + X) = X - X^2/2 + ... of a square root that is near 1."""
    roots = 0
    while mp.norm(E - mp.eye(4), mp.inf) > 0.1:
        E, roots = mp.sqrtm(E), roots + 1
    X, power, total = E - mp.eye(4), mp.eye(4), mp.zeros(4)
    for n in range(1, 20):
        power = power * X
        total += power * ((-1) ** (n + 1) / mp.mpf(n))
    total *= 2**roots
    return [total[2, 1], total[0, 2], total[1, 0], total[0, 3], total[1, 3], total[2, 3]]


def basis(i: int, k: int, t: list[mp.mpf], q: mp.mpf) -> mp.mpf:
    """Cox and de Boor, with the last value of q in the last piece."""
    if k == 1:
        return mp.mpf(t[i] <= q < t[i + 1] or (q == t[-1] and t[i] < q <= t[i + 1]))
    left = (q - t[i]) / (t[i + k - 1] - t[i]) * basis(i, k - 1, t, q) if t[i + k - 1] > t[i] else mp.mpf(0)
    right = (t[i + k] - q) / (t[i + k] - t[i + 1]) * basis(i + 1, k - 1, t, q) if t[i + k] > t[i + 1] else mp.mpf(0)
    return left + right


def objective(frames: np.ndarray, knots: np.ndarray) -> mp.mpf:
    """With 20 digits, from the definition, all exponentials multiplied."""
    C = [mp.matrix(E.tolist()) for E in frames]
    z = [logarithm(a**-1 * b) for a, b in pairwise(C)]
    t, total = [mp.mpf(x) for x in knots.tolist()], mp.mpf(0)
    for k in range(12):
        q = mp.mpf(float(K[k] / 11))
        B = [basis(i, 4, t, q) for i in range(5)]
        G = C[0]
        for i, twist in enumerate(z):
            G = G * mp.expm(matrix(mp.matrix(twist)) * mp.fsum(B[i + 1 :]))
        total += mp.fsum(x * x for x in logarithm(G**-1 * mp.matrix(POSES[k].tolist())))
    return total


def test_the_optimum_of_a_stated_set_has_its_digits():
    fit = rm.fit_curve(POSES, K / 11, frames=5)
    assert np.abs(fit.gradient).max() < 1e-13
    with mp.workdps(20):
        exact = objective(fit.frames, fit.knots)
    assert fit.objective == pytest.approx(float(exact), rel=1e-13)
    assert fit.objective == pytest.approx(OPTIMUM, rel=1e-12)
