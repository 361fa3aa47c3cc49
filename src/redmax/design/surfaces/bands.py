"""Symmetric matrices over control values, as bands: what is not zero lies near the diagonal where the shortest sides run fastest.

Those of a cyclic side are folded, 0, n - 1, 1, n - 2, ..: the first and the last one are neighbours, and so they stay near.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.design.surfaces.grid import Grid
from redmax.types import Array

FLOOR = 1e-6  # of the mean of the diagonal: the least that an entry counts for damping


def folded(side: Spans) -> Array:
    """Where the control values of a side stand, (count,)."""
    place = np.arange(side.count)
    return np.minimum(2 * place, 2 * (side.count - place) - 1) if side.cyclic else place


def reach(side: Spans) -> int:
    """How far apart those that act together stand at most."""
    return min(side.count - 1, (side.order - 1) * (2 if side.cyclic else 1))


def standing(grid: Grid) -> Array:
    """(size,): the place of each control value of the flat grid; of all orders of the sides the one with the narrowest band."""

    def width(order: tuple[int, ...]) -> int:
        total = 0
        for i in order:
            total = total * grid.sides[i].count + reach(grid.sides[i])
        return total

    order = min(permutations(range(len(grid.sides))), key=width)
    index = np.indices(grid.shape).reshape(len(grid.sides), -1)
    place = np.zeros(grid.size, int)
    for i in order:
        place = place * grid.sides[i].count + folded(grid.sides[i])[index[i]]
    return place


@dataclass(frozen=True)
class Bands:
    """columns: how many numbers a control value has."""

    grid: Grid
    columns: int

    @cached_property
    def place(self) -> Array:
        return standing(self.grid)

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """Of the K control values of a cell, each pair once."""
        return np.tril_indices(self.grid.acting.shape[1])

    @cached_property
    def width(self) -> int:
        near = self.place[self.grid.acting]
        return int((near.max(axis=1) - near.min(axis=1)).max() + 1) * self.columns - 1

    @cached_property
    def index(self) -> Array:
        """Where the entries (cells, pairs, columns^2) of cells go in the flat band; what stands above the diagonal goes to its end."""
        m, n = self.columns, self.grid.size * self.columns
        a, b = (self.place[self.grid.acting[:, side]] * m for side in self.pairs)
        r, c = np.indices((m, m)).reshape(2, -1)
        row, column = a[..., None] + r, b[..., None] + c
        above = (a == b)[..., None] & (r < c)
        low, high = np.minimum(row, column), np.maximum(row, column)
        return np.where(above, (self.width + 1) * n, (high - low) * n + low).astype(np.int32)

    def gathered(self, blocks: Array) -> Array:
        """The lower band (width + 1, n) of the blocks (cells, pairs, columns^2) of cells."""
        n = self.grid.size * self.columns
        return np.bincount(self.index.ravel(), blocks.ravel(), (self.width + 1) * n + 1)[:-1].reshape(self.width + 1, n)

    def vector(self, values: Array) -> Array:
        """In the order of the bands, of numbers (size, columns) in that of the grid."""
        found = np.empty_like(values)
        found[self.place] = values
        return found.ravel()

    def control(self, vector: Array) -> Array:
        """(size, columns), from the order of the bands to that of the grid."""
        return vector.reshape(self.grid.size, -1)[self.place]


@dataclass(frozen=True)
class Band:
    """A symmetric matrix as its lower band (width + 1, n); None: one that is not definite."""

    lower: Array | None

    def damped(self, mu: float) -> Band:
        """With so much more of its diagonal (Marquardt), where that is not too small."""
        if self.lower is None or not mu:
            return self
        more, d = self.lower.copy(), np.abs(self.lower[0])
        more[0] += mu * np.maximum(d, FLOOR * d.mean())
        return Band(more)

    def solve(self, right: Array) -> Array | None:
        """None where the matrix is not positive definite."""
        from scipy.linalg import cho_solve_banded

        L = self.factor()
        return None if L is None else cho_solve_banded((L, True), right, check_finite=False)

    def factor(self) -> Array | None:
        """That of Cholesky, as a band; None where there is none."""
        from scipy.linalg import LinAlgError, cholesky_banded

        if self.lower is None:
            return None
        try:
            return cholesky_banded(self.lower, lower=True, check_finite=False)
        except LinAlgError:
            return None
