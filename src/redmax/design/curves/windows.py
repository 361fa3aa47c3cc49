"""A curve at many values of its parameter, and how it moves with the coordinates of the piece it is on.

On a piece, G(q) = C_0 exp(u_0) exp(x_1) ... exp(x_{k-1}) with x_l = B~_l(q) z_l. All values on a piece share the coordinates
y = (u_0; z_1; ...; z_{k-1}) at u_0 = 0, so that sums over them are taken first, and only their sums are carried over to control frames
(`chains`). The body twist that G moves with is, exactly,

    zeta = T_0 du_0 + sum_l T_l B~_l dexp_{-x_l} dz_l        T_l = Ad^-1 of the exponentials after l

(Lee & Terzopoulos Eqs. 33-34 without their approximation).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.lie.many_twists import ManyTwists, inverse_adjoints
from redmax.types import Array


@dataclass(frozen=True)
class Places:
    """Values of the parameter in ascending order of their pieces, and the basis there.

    piece: (N,); B: (N, k - 1) cumulative basis; used: pieces that have any; starts: where the values of each of these begin
    """

    q: Array
    piece: Array
    u: Array
    B: Array
    used: Array
    starts: Array


def places(spans: Spans, q: Array) -> tuple[Places, Array]:
    """They, and the order that they stand in: place i is that of q[order[i]]."""
    piece, u = spans.place(q)
    order = np.argsort(piece, kind="stable")
    piece, u = piece[order], u[order]
    used, starts = np.unique(piece, return_index=True)
    return Places(q[order], piece, u, spans.cumulative(piece, u), used, starts), order


@dataclass(frozen=True)
class Windows:
    """The curve at places.

    z: (N, k - 1, 6); factors: of x; after: (N, k, 4, 4) products of the exponentials after each factor, the last one I; G: (N, 4, 4)
    """

    at: Places
    z: Array
    factors: ManyTwists
    after: Array
    G: Array

    @property
    def x(self) -> Array:
        return self.factors.x

    @cached_property
    def T(self) -> Array:
        """T_0, ..., T_{k-1}, (N, k, 6, 6)."""
        return inverse_adjoints(self.after)

    @cached_property
    def columns(self) -> Array:
        """(N, 6, 6 k): zeta = columns dy."""
        N, k = self.T.shape[:2]
        found = np.empty((N, 6, k, 6))
        found[:, :, 0] = self.T[:, 0]
        np.multiply(np.swapaxes(self.T[:, 1:] @ self.factors.dexp, 1, 2), self.at.B[:, None, :, None], out=found[:, :, 1:])
        return found.reshape(N, 6, 6 * k)

    @property
    def Z(self) -> Array:
        """The same as (N, k, 6, 6): zeta = sum_l Z_l dy_l."""
        N, k = self.T.shape[:2]
        return np.swapaxes(self.columns.reshape(N, 6, k, 6), 1, 2)


def windows(C: Array, z: Array, at: Places) -> Windows:
    """C: (pieces, 4, 4) where pieces begin; z: (pieces, k - 1, 6) their twists."""
    z = z[at.piece]
    factors = ManyTwists(at.B[..., None] * z)
    E = factors.exp
    after = np.empty((E.shape[0], E.shape[1] + 1, 4, 4))
    after[:, -1] = np.eye(4)
    for i in range(E.shape[1] - 1, -1, -1):
        after[:, i] = E[:, i] @ after[:, i + 1]
    return Windows(at, z, factors, after, C[at.piece] @ after[:, 0])


def summed(values: Array, at: Places, pieces: int) -> Array:
    """Of values at places, the sums over each piece, (pieces, ...)."""
    total = np.zeros((pieces, *values.shape[1:]))
    if len(values):
        total[at.used] = np.add.reduceat(values, at.starts, axis=0)
    return total


def summed_products(A: Array, B: Array, at: Places, pieces: int) -> Array:
    """The sums of A^T B over each piece, (pieces, m, n), of A (N, i, m) and B (N, i, n)."""
    if len(A) <= 8 * len(at.used):
        return summed(np.swapaxes(A, 1, 2) @ B, at, pieces)
    total = np.zeros((pieces, A.shape[2], B.shape[2]))
    ends = [*at.starts[1:], len(A)]
    for j, start, end in zip(at.used, at.starts, ends):  # one product of long matrices for each piece
        total[j] = A[start:end].reshape(-1, A.shape[2]).T @ B[start:end].reshape(-1, B.shape[2])
    return total
