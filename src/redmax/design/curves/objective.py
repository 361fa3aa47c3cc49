"""What a fit makes small: the misfit of poses, and the bending of the curve where it is smoothed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.design.curves.bands import BlockBand, assembled, assembled_gradient
from redmax.design.curves.chains import Chain, chain
from redmax.design.curves.misfit import Misfit
from redmax.design.curves.smoothing import Bending
from redmax.design.curves.spans import Spans
from redmax.design.curves.windows import Windows, windows
from redmax.lie.many_twists import ManyTwists
from redmax.types import Array

WIDEST = 6.0  # rad between frames that follow each other: logarithms end at a whole turn


@dataclass(frozen=True)
class Objective:
    """smoothing: the weight of the bending, which is None where that is zero"""

    spans: Spans
    misfit: Misfit
    bending: Bending | None = None
    smoothing: float = 0.0


@dataclass(frozen=True)
class Unknowns:
    """Control frames C (n, 4, 4) of an objective. near: the twists between them before they moved, which may be wider than half a turn"""

    of: Objective
    C: Array
    near: Array | None = None

    @cached_property
    def chain(self) -> Chain:
        return chain(self.of.spans, self.C, self.near)

    @property
    def here(self) -> AtFrames:
        """With the poses at one parameter each."""
        raise NotImplementedError

    def turned(self, u: Array) -> tuple[Array, Array]:
        """C exp(u) of twists (6 n,), and the twists between frames now."""
        return self.C @ ManyTwists(u.reshape(-1, 6)).exp, self.chain.z


class AtFrames(Unknowns):
    """The objective with the poses at parameters that stay."""

    @property
    def here(self) -> AtFrames:
        return self

    @cached_property
    def window(self) -> Windows:
        """The curve at the parameters of the poses."""
        return windows(self.chain.starts, self.chain.twists, self.of.misfit.at)

    @cached_property
    def residuals(self) -> ManyTwists:
        """d of the poses, (N, 6)."""
        return self.of.misfit.residuals(self.window)

    @property
    def value(self) -> float:
        return self.computed

    @cached_property
    def computed(self) -> float:
        if not self.chain.widest < WIDEST:  # nor is NaN
            return np.inf
        bent = self.of.smoothing * self.bent if self.of.bending is not None else 0.0
        return self.misfit + bent

    @property
    def misfit(self) -> float:
        """The weighted sum over the poses."""
        return self.of.misfit.value(self.residuals)

    @cached_property
    def bent(self) -> float:
        """The integral of the squared joint Hessian."""
        bending = self.of.bending
        return 0.0 if bending is None else bending.value(windows(self.chain.starts, self.chain.twists, bending.at))

    def gradient(self) -> Array:
        """(6 n,)."""
        return self.slope

    @cached_property
    def slope(self) -> Array:
        by_pieces = self.of.misfit.gradient(self.window, self.residuals, self.of.spans.pieces)
        if self.of.bending is not None:
            by_pieces = by_pieces + self.of.smoothing * self.bending(exact=False)[0]
        return self.gradient_of(by_pieces)

    def gradient_of(self, by_pieces: Array) -> Array:
        """(6 n,) from that by the coordinates of pieces."""
        return assembled_gradient(self.of.spans, self.chain.gradient(by_pieces)).ravel()

    def derivatives(self, exact: bool) -> tuple[Array, BlockBand]:
        """Gradient (6 n,) and Hessian: the exact one, or that of Gauss and Newton."""
        return self.slope, self.by_frames(*self.sums(exact), exact)

    def sums(self, exact: bool) -> tuple[Array, Array]:
        """They by the coordinates of pieces, (pieces, 6 k) and (pieces, 6 k, 6 k)."""
        g, H = self.of.misfit.both(self.window, self.residuals, self.of.spans.pieces, exact)
        if self.of.bending is not None:
            bent, bends = self.bending(exact)
            g, H = g + self.of.smoothing * bent, H + self.of.smoothing * bends
        return g, H

    def bending(self, exact: bool) -> tuple[Array, Array]:
        """Gradient and Hessian of the bending by the coordinates of pieces."""
        if self.of.bending is None:
            raise TypeError("This objective has no bending.")
        window = windows(self.chain.starts, self.chain.twists, self.of.bending.at)
        return self.of.bending.both(window, self.of.spans.pieces, exact)

    def by_frames(self, g: Array, H: Array, exact: bool) -> BlockBand:
        """The Hessian by control frames, of gradient and Hessian by the coordinates of pieces."""
        return assembled(self.of.spans, self.chain.hessian(H, g if exact else None))

    def moved(self, u: Array) -> AtFrames:
        return AtFrames(self.of, *self.turned(u))
