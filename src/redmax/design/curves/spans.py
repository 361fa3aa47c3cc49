"""The pieces of a B-spline: which of them values of the parameter lie in, and the cumulative basis functions there, for arrays of values.

Piece j is between two knots and follows control frames j to j + k - 1, with k the order; those of a cyclic curve are counted modulo n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.errors import SceneError
from redmax.joints import bspline
from redmax.joints.spline_axis import make_axis
from redmax.types import Array


@dataclass(frozen=True)
class Spans:
    """order: k; count: n, of control frames; cyclic: whether the first follows the last; knots: as `SplineCurve` takes them

    breaks: (pieces + 1,) where pieces begin, and where the last one ends; basis: (pieces, k - 1, k) coefficients of B~ on each piece
    """

    order: int
    count: int
    cyclic: bool
    knots: Array
    breaks: Array
    basis: Array

    @property
    def pieces(self) -> int:
        return len(self.breaks) - 1

    @property
    def range(self) -> tuple[float, float]:
        return float(self.breaks[0]), float(self.breaks[-1])

    @property
    def frames(self) -> Array:
        """(pieces, k): which control frames each piece follows."""
        return (np.arange(self.pieces)[:, None] + np.arange(self.order)) % self.count

    def place(self, q: Array) -> tuple[Array, Array]:
        """Piece, and how far from where it begins. Of a cyclic curve any q; of an open one those beyond an end continue the last piece."""
        low, high = self.range
        if self.cyclic:
            q = low + np.mod(q - low, high - low)
        j = np.clip(np.searchsorted(self.breaks, q, side="right") - 1, 0, self.pieces - 1)
        while (empty := self.breaks[j + 1] <= self.breaks[j]).any():  # at the upper end, where knots may coincide
            j = np.where(empty, j - 1, j)
        return j, q - self.breaks[j]

    def cumulative(self, piece: Array, u: Array, derivative: int = 0) -> Array:
        """B~_1, ..., B~_{k-1} or a derivative of them, (..., k - 1)."""
        c = self.basis[piece]
        powers = np.arange(self.order)
        for _ in range(derivative):
            c, powers = (c * powers)[..., 1:], powers[:-1]
        total = c[..., -1]
        for m in range(c.shape[-1] - 2, -1, -1):
            total = total * u[..., None] + c[..., m]
        return total

    def ordinary(self, piece: Array, u: Array, derivative: int = 0) -> Array:
        """The k B-splines themselves, or a derivative of them, (..., k)."""
        B = self.cumulative(piece, u, derivative)
        zero = np.zeros((*B.shape[:-1], 1))
        return np.concatenate([zero if derivative else zero + 1.0, B], axis=-1) - np.concatenate([B, zero], axis=-1)


def make_spans(owner: str, count: int, order: int, knots: Array, cyclic: bool) -> Spans:
    """From knots as `SplineCurve` takes them, checked as it checks them."""
    axis, full = make_axis(owner, count, order, knots, cyclic, "error", "frames")
    if full is None:
        raise SceneError(f"{owner}: knots are missing.", owner=owner, argument="knots")
    basis = bspline.cumulative(bspline.polynomials(full, axis.order))
    return Spans(axis.order, count, cyclic, np.asarray(knots, float), full[axis.order - 1 : axis.order + axis.pieces], basis)
