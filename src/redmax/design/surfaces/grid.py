"""A grid of control values, and which of them act at many values of the parameters.

On one cell (a piece of each parameter) K = k_1 .. k_dof control values act, with k_i the orders: sums over poses are sums over cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations_with_replacement

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

    def jet(self, control: Array) -> Jet:
        """The spline with its first and second derivatives, which have most of their work in common."""
        dof, placed = len(self.grid.sides), zip(self.grid.sides, self.placed, strict=True)
        own = [[side.ordinary(j, u, d) for d in range(3)] for side, (j, u) in placed]
        pairs = list(combinations_with_replacement(range(dof), 2))
        rows = [np.ones((len(self.cell), 1))] * (1 + dof + len(pairs))
        for i, parts in enumerate(own):
            for n, by in enumerate([(), *((j,) for j in range(dof)), *pairs]):
                rows[n] = (rows[n][:, :, None] * parts[by.count(i)][:, None, :]).reshape(len(self.cell), -1)
        found = np.stack(rows, axis=1) @ control[self.grid.acting[self.cell]]
        return Jet(found[:, 0], np.swapaxes(found[:, 1 : dof + 1], 1, 2), found[:, dof + 1 :])


@dataclass(frozen=True)
class Jet:
    """value: (N, columns); along: (N, columns, dof), its slopes; bends: (N, pairs, columns), second derivatives by i <= j"""

    value: Array
    along: Array
    bends: Array

    def curved(self, g: Array) -> Array:
        """g . d^2 phi / dq_i dq_j, (N, dof, dof)."""
        dof = self.along.shape[2]
        found = np.empty((len(g), dof, dof))
        for n, (i, j) in enumerate(combinations_with_replacement(range(dof), 2)):
            found[:, i, j] = found[:, j, i] = np.sum(g * self.bends[:, n], axis=1)
        return found
