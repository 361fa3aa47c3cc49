"""Symmetric matrices over control frames, of which each meets the k - 1 next ones: banded, and bordered where the curve is closed.

(H + mu D) u = -g takes one Cholesky factorisation of the band. Of a closed curve the last k - 1 frames are the border, eliminated last;
a closed curve of few frames is dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cho_solve_banded, cholesky_banded

from redmax.design.curves.spans import Spans
from redmax.types import Array

FLOOR = 1e-6  # of the mean of the diagonal: the least that an entry counts for damping


@dataclass(frozen=True)
class BlockBand:
    """blocks: (n, k, 6, 6), those of frames f + o and f at [f, o], o = 0, ..., k - 1; where `cyclic`, frame numbers are modulo n."""

    blocks: Array
    cyclic: bool

    @property
    def count(self) -> int:
        return len(self.blocks)

    @property
    def diagonal(self) -> Array:
        """(6 n,)."""
        return self.blocks[:, 0][:, range(6), range(6)].ravel()

    @property
    def trace(self) -> float:
        """Of a closed curve of few frames blocks that went all the way round are on the diagonal, too, each with its transpose."""
        n, k = self.blocks.shape[:2]
        return float(sum((2.0 if o else 1.0) * np.trace(self.blocks[:, o], axis1=1, axis2=2).sum() for o in range(0, k, n)))

    def damped(self, mu: float) -> BlockBand:
        """H + mu D, D the diagonal of H (Marquardt), where that is not too small."""
        if mu == 0.0:
            return self
        blocks, d = self.blocks.copy(), np.abs(self.diagonal)
        blocks[:, 0, range(6), range(6)] += mu * np.maximum(d, FLOOR * d.mean()).reshape(-1, 6)
        return BlockBand(blocks, self.cyclic)

    def solve(self, g: Array) -> Array | None:
        """H^-1 g of g (6 n,) or (6 n, m), or None where H is not positive definite."""
        n, k = self.blocks.shape[:2]
        try:
            if not self.cyclic:
                return banded_solve(self.blocks, g)
            return self.bordered_solve(g) if n >= 2 * k else cho_solve(cho_factor(self.dense()), g)
        except LinAlgError:
            return None

    def bordered_solve(self, g: Array) -> Array:
        n, k = self.blocks.shape[:2]
        inner = n - (k - 1)
        E, B = np.zeros((6 * inner, 6 * (k - 1))), np.zeros((6 * (k - 1), 6 * (k - 1)))
        for f in range(inner - (k - 1), n):
            for o in range(k):
                t, block = (f + o) % n, self.blocks[f, o]
                rows, columns = slice(6 * f, 6 * f + 6), slice(6 * t, 6 * t + 6)
                if f < inner <= t:
                    E[rows, 6 * (t - inner) : 6 * (t - inner) + 6] += block.T
                elif t < inner <= f:
                    E[columns, 6 * (f - inner) : 6 * (f - inner) + 6] += block
                elif f >= inner and t >= inner:
                    place = slice(6 * (t - inner), 6 * (t - inner) + 6), slice(6 * (f - inner), 6 * (f - inner) + 6)
                    B[place] += block
                    if o:
                        B[place[::-1]] += block.T
        both = banded_solve(self.blocks[:inner], np.concatenate([E, g[: 6 * inner].reshape(6 * inner, -1)], axis=1))
        AE, Ag = both[:, : E.shape[1]], both[:, E.shape[1] :]
        last = cho_solve(cho_factor(B - E.T @ AE), g[6 * inner :].reshape(6 * (k - 1), -1) - E.T @ Ag)
        return np.concatenate([Ag - AE @ last, last]).reshape(g.shape)

    def dense(self) -> Array:
        """(6 n, 6 n)."""
        n, k = self.blocks.shape[:2]
        H = np.zeros((n, 6, n, 6))
        for f in range(n):
            for o in range(k if self.cyclic else min(k, n - f)):
                H[(f + o) % n, :, f] += self.blocks[f, o]
                if o:
                    H[f, :, (f + o) % n] += self.blocks[f, o].T
        return H.reshape(6 * n, 6 * n)


def assembled(spans: Spans, H: Array) -> BlockBand:
    """From the Hessians of pieces (pieces, 6 k, 6 k)."""
    P, k, n = spans.pieces, spans.order, spans.count
    H = H.reshape(P, k, 6, k, 6)
    blocks = np.zeros((n, k, 6, 6))
    for a in range(k):
        for b in range(a + 1):
            if spans.cyclic:
                blocks[:, a - b] += np.roll(H[:, a, :, b], b, axis=0)
            else:
                blocks[b : b + P, a - b] += H[:, a, :, b]
    return BlockBand(blocks, spans.cyclic)


def assembled_gradient(spans: Spans, g: Array) -> Array:
    """(n, 6) from those of pieces (pieces, 6 k)."""
    total = np.zeros((spans.count, 6))
    g = g.reshape(spans.pieces, spans.order, 6)
    for a in range(spans.order):
        if spans.cyclic:
            total += np.roll(g[:, a], a, axis=0)
        else:
            total[a : a + spans.pieces] += g[:, a]
    return total


def banded_solve(blocks: Array, g: Array) -> Array:
    """By the Cholesky factor of the band; blocks beyond the last frame are left out."""
    n, k = blocks.shape[:2]
    to, source = band_places(n, k)
    band = np.zeros((6 * k) * (6 * n))
    band[to] = blocks.ravel()[source]
    factor = cholesky_banded(band.reshape(6 * k, 6 * n), lower=True, check_finite=False, overwrite_ab=True)
    return cho_solve_banded((factor, True), g, check_finite=False)


@cache
def band_places(n: int, k: int) -> tuple[Array, Array]:
    """Where entries of blocks (n, k, 6, 6) go in the lower band (6 k, 6 n), and which these are."""
    f, o, p, q = np.indices((n, k, 6, 6)).reshape(4, -1)
    row, column = 6 * o + p - q, 6 * f + q
    inside = np.flatnonzero((row >= 0) & (f + o < n))
    return (row * 6 * n + column)[inside], inside
