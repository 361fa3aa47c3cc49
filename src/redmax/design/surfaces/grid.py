"""A grid of control values, and which of them act at many values of the parameters.

On one cell (a piece of each parameter) K = k_1 .. k_dof control values act, with k_i the orders: sums over poses are sums over cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from redmax.design.curves.spans import Spans
from redmax.types import Array


@dataclass(frozen=True)
class Grid:
    """The sides, one for each parameter."""

    sides: tuple[Spans, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(side.count for side in self.sides)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(side.pieces for side in self.sides)

    @cached_property
    def acting(self) -> Array:
        """(cells, K): which control values act on each cell, as they follow each other in the flat grid."""
        found = np.zeros((1, 1), int)
        for side in self.sides:
            own = side.frames
            found = (found[:, None, :, None] * side.count + own[None, :, None, :]).reshape(len(found) * len(own), -1)
        return found

    def inside(self, q: Array) -> Array:
        """The same places within the ranges: the nearest ones, or those of another period."""
        found = q.copy()
        for i, side in enumerate(self.sides):
            low, high = side.range
            found[:, i] = low + np.mod(q[:, i] - low, high - low) if side.cyclic else np.clip(q[:, i], low, high)
        return found

    def at(self, q: Array) -> Places:
        """q: (N, dof), in the range."""
        placed = [side.place(x) for side, x in zip(self.sides, q.T, strict=True)]
        cell = reduce(lambda total, one: total * one[0].pieces + one[1][0], zip(self.sides, placed, strict=True), np.zeros(len(q), int))
        return Places(self, cell, placed)

    def spline(self, control: Array, q: Array) -> Array:
        """(N, columns) of control values (size, columns)."""
        return self.at(q).spline(control)


@dataclass(frozen=True)
class Places:
    """Where values of the parameters are. cell: (N,); placed: for each parameter the pieces, and how far from where they begin."""

    grid: Grid
    cell: Array
    placed: Sequence[tuple[Array, Array]]

    def weights(self, *by: int) -> Array:
        """The products of basis functions that act, (N, K), or their derivatives by the parameters that are named."""
        found = np.ones((len(self.cell), 1))
        for i, (side, (j, u)) in enumerate(zip(self.grid.sides, self.placed, strict=True)):
            found = (found[:, :, None] * side.ordinary(j, u, by.count(i))[:, None, :]).reshape(len(found), -1)
        return found

    def spline(self, control: Array, *by: int) -> Array:
        """The spline, or a derivative, (N, columns)."""
        return (self.weights(*by)[:, None, :] @ control[self.grid.acting[self.cell]])[:, 0]
