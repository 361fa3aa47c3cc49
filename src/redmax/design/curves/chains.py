"""From the coordinates of pieces to control frames: C_l -> C_l exp(u_l) moves the twists between them, z_l = log(C_{l-1}^-1 C_l), by

    dz_l = dexp^-1_{-z_l} eta,    eta = u_l - Ad(exp -z_l) u_{l-1}

and to second order by d(dexp^-1_{-z_l})[dz_l] eta + dexp^-1_{-z_l} [u_l, Ad(exp -z_l) u_{l-1}].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.lie import so3
from redmax.lie.many_twists import ManyTwists, inverse_adjoints, inverses, logarithms
from redmax.lie.second_differentials import bracket_form
from redmax.types import Array

FOLLOWED = 1.5  # rad: twists below never went all the way round in one step


@dataclass(frozen=True)
class Chain:
    """Control frames C (n, 4, 4), and the twists z (links, 6) between them as they follow each other."""

    spans: Spans
    C: Array
    A: Array
    z: Array

    @cached_property
    def starts(self) -> Array:
        """(pieces, 4, 4): the first frame of each piece."""
        return self.C[self.spans.frames[:, 0]]

    @cached_property
    def link(self) -> Array:
        """(pieces, k - 1): the links of each piece."""
        wrapped = np.arange(self.spans.pieces)[:, None] + np.arange(self.spans.order - 1)
        return wrapped % self.spans.count if self.spans.cyclic else wrapped

    @property
    def twists(self) -> Array:
        """(pieces, k - 1, 6)."""
        return self.z[self.link]

    @property
    def widest(self) -> float:
        """The largest angle between two frames that follow each other."""
        return float(np.sqrt(np.sum(self.z[:, :3] ** 2, axis=1).max()))

    @cached_property
    def links(self) -> ManyTwists:
        return ManyTwists(self.z)

    @cached_property
    def J(self) -> Array:
        """dexp^-1_{-z}, (links, 6, 6)."""
        return self.links.dexp_inverse

    @cached_property
    def X(self) -> Array:
        """Ad(exp -z), (links, 6, 6)."""
        return inverse_adjoints(self.A)

    @cached_property
    def Y(self) -> Array:
        """(pieces, 6 k, 6 k): dy = Y u on each piece."""
        P, k = self.spans.pieces, self.spans.order
        Y = np.zeros((P, k, 6, k, 6))
        Y[:, 0, :, 0] = np.eye(6)
        J, L = self.J[self.link], (-self.J @ self.X)[self.link]
        for i in range(1, k):
            Y[:, i, :, i] = J[:, i - 1]
            Y[:, i, :, i - 1] = L[:, i - 1]
        return Y.reshape(P, 6 * k, 6 * k)

    def gradient(self, g: Array) -> Array:
        """(pieces, 6 k) by control frames, of that by coordinates y."""
        return (np.swapaxes(self.Y, 1, 2) @ g[..., None])[..., 0]

    def hessian(self, H: Array, g: Array | None) -> Array:
        """(pieces, 6 k, 6 k) likewise. g: the gradient by y; None leaves out how Y changes, as Gauss and Newton do"""
        found = np.swapaxes(self.Y, 1, 2) @ H @ self.Y
        if g is None:
            return found
        P, k = self.spans.pieces, self.spans.order
        blocks = found.reshape(P, k, 6, k, 6)
        g = g.reshape(P, k, 6)[:, 1:]
        J, X = self.J[self.link], self.X[self.link]
        Jt = np.swapaxes(J, -1, -2)
        N = Jt @ ManyTwists(self.twists).dexp_inverse_change(g)
        N = 0.5 * (N + np.swapaxes(N, -1, -2))
        cross = (0.5 * bracket_form((Jt @ g[..., None])[..., 0]) - N) @ X
        before = np.swapaxes(X, -1, -2) @ N @ X
        for i in range(1, k):
            blocks[:, i, :, i] += N[:, i - 1]
            blocks[:, i - 1, :, i - 1] += before[:, i - 1]
            blocks[:, i, :, i - 1] += cross[:, i - 1]
            blocks[:, i - 1, :, i] += np.swapaxes(cross[:, i - 1], -1, -2)
        return found


def chain(spans: Spans, C: Array, near: Array | None = None) -> Chain:
    """near: the twists before the frames moved; angles go on from there, beyond half a turn if they must."""
    after = np.roll(C, -1, axis=0) if spans.cyclic else C[1:]
    A = inverses(C if spans.cyclic else C[:-1]) @ after
    z = logarithms(A).x
    return Chain(spans, C, A, z if near is None else continued(z, A, near))


def continued(z: Array, A: Array, near: Array) -> Array:
    """The other way round, by 2 pi less the angle, where that is nearer to what it was: the curve moves on without a jump."""
    angle = np.sqrt(np.sum(z[:, :3] ** 2, axis=1))
    other = z[:, :3] * (1.0 - 2.0 * np.pi / np.maximum(angle, 1.0))[:, None]
    far = np.sum((z[:, :3] - near[:, :3]) ** 2, axis=1) > np.sum((other - near[:, :3]) ** 2, axis=1)
    wider = far & (angle > FOLLOWED)
    if wider.any():
        z = z.copy()
        v = so3.dexp_left_inverse(other[wider]) @ A[wider, :3, 3:]
        z[wider] = np.concatenate([other[wider], v[..., 0]], axis=1)
    return z
