"""The objective where parameters are free: each pose counts where the curve is nearest to it.

    Phi(C) = min_q F(C, q)         dPhi = F_C,   d2Phi = F_CC - sum_k F_Cq F_qC / F_qq          at the nearest q

so that Newton's method for the control frames is Newton's method for both (variable projection: Golub and Pereyra 1973). Moving frames and
finding parameters by turns, as alternating projection does, converges to the same, but linearly. A pose at the end of an open curve stays
there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from redmax.design.curves.bands import BlockBand
from redmax.design.curves.misfit import times
from redmax.design.curves.nearest import Motion, nearest
from redmax.design.curves.objective import WIDEST, AtFrames, Unknowns
from redmax.design.curves.windows import Windows, places, summed_products
from redmax.lie.second_differentials import bracket_form
from redmax.types import Array

END = 1e-12  # of the range: a parameter this near to an end is there


class AtNearest(Unknowns):
    """The objective with each pose where the curve is nearest to it; `of` has the parameters from before."""

    @property
    def here(self) -> AtFrames:
        """With the poses at the parameters where the curve is nearest."""
        return self.placed

    @cached_property
    def placed(self) -> AtFrames:
        spans, old = self.of.spans, self.of.misfit
        q = nearest(spans, self.chain, old.poses, old.W, old.at.q, old.points)
        at, order = places(spans, q)
        W = old.W if old.W.ndim == 2 else old.W[order]
        moved = replace(
            old, at=at, order=old.order[order], poses=old.poses[order], W=W, weights=old.weights[order], points=chosen(old.points, order)
        )
        return AtFrames(replace(self.of, misfit=moved), self.C, self.near)

    @property
    def value(self) -> float:
        return self.here.value if self.chain.widest < WIDEST else np.inf

    def gradient(self) -> Array:
        """(6 n,)."""
        return self.here.gradient()

    def derivatives(self, exact: bool) -> tuple[Array, BlockBand]:
        """Gradient (6 n,) and Hessian."""
        here, spans = self.here, self.of.spans
        g, H = here.sums(exact)
        h, hqq = cross(here, exact)
        at, (low, high) = here.of.misfit.at, spans.range
        margin = END * (high - low)
        inside = np.ones(len(at.q), bool) if spans.cyclic else (at.q > low + margin) & (at.q < high - margin)
        share = np.where(inside & (hqq > 0), 1.0 / np.where(hqq > 0, hqq, 1.0), 0.0)
        H = H - summed_products(share[:, None, None] * h[:, None, :], h[:, None, :], at, spans.pieces)
        return here.slope, here.by_frames(g, H, exact)

    def moved(self, u: Array) -> AtNearest:
        return AtNearest(self.here.of, *self.turned(u))


def chosen(values: Array | None, order: Array) -> Array | None:
    return None if values is None else values[order]


def cross(point: AtFrames, exact: bool) -> tuple[Array, Array]:
    """F_yq (N, 6 k) by the coordinates of pieces, and F_qq (N,)."""
    window, misfit = point.window, point.of.misfit
    motion = Motion(point.of.spans, window)
    M = misfit.matrix(point.residuals, exact)
    MS = times(M, motion.S)
    h = times(np.swapaxes(window.columns, 1, 2), MS)
    hqq = np.sum(motion.S * MS, axis=1)
    if exact:
        c = misfit.covector(point.residuals)
        h = h + bent(window, motion, c)
        hqq = hqq + np.sum(c * motion.slope, axis=1)
    return h, hqq


def bent(window: Windows, motion: Motion, c: Array) -> Array:
    """What c . zeta' has of products of dy and dq, (N, 6 k): brackets of factors, dexp that changes, and factors that get longer."""
    N, k = window.Z.shape[:2]
    zero = np.zeros((N, 1, 6))
    after = motion.S[:, None] - np.concatenate([zero, motion.before + motion.s], axis=1)
    before = np.concatenate([zero, motion.before], axis=1)
    across = bracket_form(c)[:, None] @ (after - before)[..., None]
    found = 0.5 * (np.swapaxes(window.Z, -1, -2) @ across)[..., 0]
    covectors = (np.swapaxes(window.T[:, 1:], -1, -2) @ c[:, None, :, None])[..., 0]
    change = window.factors.dexp_change(covectors)
    both = (window.at.B * motion.first)[..., None]
    found[:, 1:] += 0.5 * both * times_both(change + np.swapaxes(change, -1, -2), window.z)
    found[:, 1:] += motion.first[..., None] * times_both(np.swapaxes(window.factors.dexp, -1, -2), covectors)
    return found.reshape(N, 6 * k)


def times_both(A: Array, x: Array) -> Array:
    """A x of (N, m, 6, 6) and (N, m, 6)."""
    return (A @ x[..., None])[..., 0]
