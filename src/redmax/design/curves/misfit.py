"""How far a curve is from poses: sum_k w_k rho(|d_k|^2), d_k = log(G_k^-1 G(q_k)) = -log(G(q_k)^-1 G_k), with two derivatives.

A motion of G by the body twist zeta changes d by dexp^-1_{-d} zeta; the second derivatives of products and logarithms are brackets and
`second_differentials`. Nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.curves.loss import Loss
from redmax.design.curves.windows import Places, Windows, summed, summed_products
from redmax.lie.many_twists import ManyTwists, inverses, logarithms
from redmax.lie.second_differentials import bracket_form, skew_and_diagonal
from redmax.types import Array


@dataclass(frozen=True)
class Misfit:
    """order: (N,) which of the poses that were given each place has; poses: (N, 4, 4), W: (N, 6, 6) or (6, 6) metric and weights: (N,) of
    places; loss: rho; points: (N,) whether only their positions are known, or None"""

    at: Places
    order: Array
    poses: Array
    W: Array
    weights: Array
    loss: Loss
    points: Array | None = None

    def residuals(self, window: Windows) -> ManyTwists:
        """d, (N, 6)."""
        return residuals(self.poses, window.G, self.points)

    def value(self, d: ManyTwists) -> float:
        return float(self.weights @ self.loss.value(squared(self.W, d.x)))

    def covector(self, d: ManyTwists) -> Array:
        """c (N, 6): what a twist of G costs, c . zeta."""
        return times(np.swapaxes(d.dexp_inverse, 1, 2), self.pull(d))

    def pull(self, d: ManyTwists) -> Array:
        """(N, 6): the gradient by d."""
        Wd = times(self.W, d.x)
        return (2.0 * self.weights * self.loss.slope(np.sum(Wd * d.x, axis=1)))[:, None] * Wd

    def matrix(self, d: ManyTwists, exact: bool) -> Array:
        """M (N, 6, 6): the Hessian by a twist of G that stays the same, as of Gauss and Newton or exact."""
        Wd = times(self.W, d.x)
        s = np.sum(Wd * d.x, axis=1)
        slope = 2.0 * self.weights * self.loss.slope(s)
        L = d.dexp_inverse
        Lt = np.swapaxes(L, 1, 2)
        M = Lt @ (slope[:, None, None] * (self.W @ L))
        if not exact:
            return M
        LWd = times(Lt, Wd)
        M += (4.0 * self.weights * self.loss.bend(s))[:, None, None] * LWd[:, :, None] * LWd[:, None, :]
        change = Lt @ d.dexp_inverse_change(slope[:, None] * Wd)
        return M + 0.5 * (change + np.swapaxes(change, 1, 2))

    def gradient(self, window: Windows, d: ManyTwists, pieces: int) -> Array:
        """By the coordinates of pieces, (pieces, 6 k)."""
        return summed_products(window.columns, self.covector(d)[:, :, None], self.at, pieces)[..., 0]

    def both(self, window: Windows, d: ManyTwists, pieces: int, exact: bool) -> tuple[Array, Array]:
        """The gradient, and the Hessian (pieces, 6 k, 6 k): that of Gauss and Newton, or the exact one."""
        c = self.covector(d)
        gradient = summed_products(window.columns, c[:, :, None], self.at, pieces)[..., 0]
        hessian = summed_products(window.columns, self.matrix(d, exact) @ window.columns, self.at, pieces)
        if exact:
            hessian += bracket_terms(window, c, pieces)
        return gradient, hessian


def residuals(poses: Array, G: Array, points: Array | None) -> ManyTwists:
    """log(G_k^-1 G) of poses (N, 4, 4); of points (0; R' (p - p_k)), their distances in the axes of G."""
    if points is None:
        return logarithms(inverses(poses) @ G)
    poses = poses.copy()
    poses[points, :3, :3] = G[points, :3, :3]
    return WithPoints(logarithms(inverses(poses) @ G).x, points)


class WithPoints(ManyTwists):
    """Residuals (N, 6) of which some are of points r: a twist of G changes them by r x w + v."""

    def __init__(self, x: Array, points: Array) -> None:
        super().__init__(x)
        self.points = points

    @cached_property
    def dexp_inverse(self) -> Array:
        J = ManyTwists(self.x).dexp_inverse
        r = self.x[self.points, 3:]
        J[self.points] = 0.0
        J[self.points, 3:, :3] = skew_and_diagonal(r, np.zeros((len(r), 1)))
        J[self.points, 3:, 3:] = np.eye(3)
        return J

    def dexp_inverse_change(self, covector: Array) -> Array:
        N = super().dexp_inverse_change(covector)
        pull = -covector[self.points, 3:]
        N[self.points] = 0.0
        N[self.points, 3:, :3] = skew_and_diagonal(pull, np.zeros((len(pull), 1)))
        return N


def bracket_terms(window: Windows, c: Array, pieces: int) -> Array:
    """c . zeta' of straight paths of y, with c (N, 6) what the twist of G costs: brackets of factors, and how dexp_{-x_l} changes."""
    k = window.Z.shape[1]
    K = 0.5 * bracket_form(c)
    found = summed_products(window.columns, K @ window.columns, window.at, pieces).reshape(pieces, k, 6, k, 6)
    for i in range(k):  # K is skew: what stands before and after the diagonal has opposite signs, and the diagonal nothing
        found[:, i, :, : i + 1] = 0.0
    found = found.reshape(pieces, 6 * k, 6 * k)
    found = found + np.swapaxes(found, 1, 2)
    B = window.at.B[..., None, None]
    covectors = np.swapaxes(window.T[:, 1:], -1, -2) @ c[:, None, :, None]
    own = summed(B * B * window.factors.dexp_change(covectors[..., 0]), window.at, pieces)
    own = 0.5 * (own + np.swapaxes(own, -1, -2))
    blocks = found.reshape(pieces, k, 6, k, 6)
    for i in range(1, k):
        blocks[:, i, :, i] += own[:, i - 1]
    return found


def times(A: Array, x: Array) -> Array:
    """A x of many matrices, or of one, and many vectors (N, ...)."""
    return (A @ x[..., None])[..., 0]


def squared(W: Array, d: Array) -> Array:
    """d^T W d, (N,)."""
    return np.sum(times(W, d) * d, axis=1)
