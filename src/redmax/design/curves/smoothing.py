"""How much a curve bends: the integral of |dS/dq|^2, the squared joint Hessian, with two derivatives by the twists of its pieces.

With t_l = T_l z_l, S = sum_l B~'_l t_l and, as T_l turns with what is after it,

    dS/dq = sum_l B~''_l t_l + sum_{l < m} B~'_l B~'_m [t_l, t_m]

Twists change by dt_l = T_l dz_l + [t_l, zeta_l], where zeta_l is what the factors after l do to the pose (Lee and Terzopoulos Eqs. 37-41
without their approximation), and to second order by 2 [T_l dz_l, zeta_l] + [[t_l, zeta_l], zeta_l] + [t_l, zeta_l'].
It is zero where the joint turns about one screw. The integral is taken by Gauss's rule on each piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.design.curves.misfit import times
from redmax.design.curves.spans import Spans
from redmax.design.curves.windows import Places, Windows, places, summed, summed_products
from redmax.lie import se3
from redmax.lie.many_twists import ManyTwists
from redmax.lie.second_differentials import bracket_form
from redmax.types import Array


@dataclass(frozen=True)
class Bending:
    """at: the places of Gauss's rule; first, second: (N, k - 1) derivatives of B~ there; weights: (N,) of the integral; W: (6, 6) metric"""

    at: Places
    first: Array
    second: Array
    weights: Array
    W: Array

    def value(self, window: Windows) -> float:
        hessian = Motion(self, window).hessian
        return float(self.weights @ np.sum(hessian @ self.W * hessian, axis=1))

    def both(self, window: Windows, pieces: int, exact: bool) -> tuple[Array, Array]:
        """Gradient (pieces, 6 k) and Hessian (pieces, 6 k, 6 k) by the coordinates of pieces, of which the first six do nothing."""
        motion, k = Motion(self, window), self.first.shape[1] + 1
        A = motion.slope
        WA = 2.0 * self.weights[:, None, None] * (self.W @ A)
        covector = 2.0 * self.weights[:, None] * (motion.hessian @ self.W)
        gradient, hessian = np.zeros((pieces, 6 * k)), np.zeros((pieces, 6 * k, 6 * k))
        gradient[:, 6:] = summed(times(np.swapaxes(A, 1, 2), covector), self.at, pieces)
        hessian[:, 6:, 6:] = summed_products(A, WA, self.at, pieces)
        if exact:
            hessian[:, 6:, 6:] += summed(motion.bend(covector), self.at, pieces)
        return gradient, hessian


class Motion:
    """t, dS/dq and how they change at places, (N, ...). Factors are counted from 0 here: t[:, i] is t_{i+1}."""

    def __init__(self, of: Bending, window: Windows) -> None:
        self.window, self.first = window, of.first
        self.T, self.Z = window.T[:, 1:], window.Z[:, 1:]
        self.t = times_all(self.T, window.z)
        s = of.first[..., None] * self.t
        before = np.cumsum(s, axis=1) - s
        after = np.sum(s, axis=1, keepdims=True) - before - s
        self.hessian = np.sum(of.second[..., None] * self.t + times_all(se3.ad(before), s), axis=1)
        self.M = of.second[..., None, None] * np.eye(6) + of.first[..., None, None] * se3.ad(before - after)
        self.D = self.changes()

    def changes(self) -> Array:
        """D (N, k - 1, 6, 6 (k - 1)): dt_l = D_l dz."""
        N, m = self.t.shape[:2]
        D = np.zeros((N, m, 6, m, 6))
        ad = se3.ad(self.t)
        for i in range(m):
            D[:, i, :, i] = self.T[:, i]
            for j in range(i + 1, m):
                D[:, i, :, j] = ad[:, i] @ self.Z[:, j]
        return D.reshape(N, m, 6, 6 * m)

    @property
    def slope(self) -> Array:
        """(N, 6, 6 (k - 1)): d(dS/dq) by the twists."""
        return np.sum(self.M @ self.D, axis=1)

    def bend(self, covector: Array) -> Array:
        """(N, 6 (k - 1), 6 (k - 1)): the second derivative of covector . dS/dq."""
        N, m = self.t.shape[:2]
        H = np.zeros((N, 6 * m, 6 * m))
        K = bracket_form(covector)
        tau = times_all(np.swapaxes(self.M, -1, -2), np.repeat(covector[:, None], m, axis=1))
        ad = se3.ad(self.t)
        carried = np.zeros((N, 6))
        for i in range(m):
            for j in range(i + 1, m):
                both = self.first[:, i] * self.first[:, j]
                H += 2.0 * both[:, None, None] * (np.swapaxes(self.D[:, i], 1, 2) @ K @ self.D[:, j])
            blocks = H.reshape(N, m, 6, m, 6)
            own, later = bracket_form(tau[:, i]), self.later(i)
            turned = np.swapaxes(2.0 * self.placed(i) + ad[:, i] @ later, 1, 2) @ own @ later
            H += turned
            if i:  # how what the factors before are turned by changes with this one
                pull = np.swapaxes(self.T[:, i], 1, 2) @ carried[..., None]
                b = self.window.at.B[:, i, None, None]
                blocks[:, i, :, i] += b * b * self.dexp_change(i, pull[..., 0])
                H += np.swapaxes(self.placed(i, self.Z), 1, 2) @ bracket_form(carried) @ later
            carried = carried + (np.swapaxes(ad[:, i], 1, 2) @ tau[:, i, :, None])[..., 0]
        return 0.5 * (H + np.swapaxes(H, 1, 2))

    def dexp_change(self, i: int, covector: Array) -> Array:
        return ManyTwists(self.window.x[:, i]).dexp_change(covector)

    def later(self, i: int) -> Array:
        """(N, 6, 6 (k - 1)): zeta_i by the twists."""
        N, m = self.t.shape[:2]
        found = np.zeros((N, 6, m, 6))
        for j in range(i + 1, m):
            found[:, :, j] = self.Z[:, j]
        return found.reshape(N, 6, 6 * m)

    def placed(self, i: int, of: Array | None = None) -> Array:
        """(N, 6, 6 (k - 1)): T_i, or another matrix of factor i, by the twists."""
        N, m = self.t.shape[:2]
        found = np.zeros((N, 6, m, 6))
        found[:, :, i] = (self.T if of is None else of)[:, i]
        return found.reshape(N, 6, 6 * m)


def times_all(A: Array, x: Array) -> Array:
    """A x of (N, m, 6, 6) and (N, m, 6)."""
    return (A @ x[..., None])[..., 0]


def bending(spans: Spans, W: Array) -> Bending:
    """By Gauss's rule with as many points as the order on each piece, which is exact for curves that do not turn."""
    node, weight = np.polynomial.legendre.leggauss(spans.order)
    low, width = spans.breaks[:-1, None], np.diff(spans.breaks)[:, None]
    wide = width[:, 0] > 0
    q = (low + 0.5 * width * (1.0 + node))[wide].ravel()
    at, _ = places(spans, q)
    first, second = (spans.cumulative(at.piece, at.u, derivative) for derivative in (1, 2))
    return Bending(at, first, second, (0.5 * width * weight)[wide].ravel(), W)
