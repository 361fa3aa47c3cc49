"""Pairs of edges that may meet: those whose shadows on every one of some axes overlap.

The pairs come from sorting the shadows on the axis where the fewest overlap, so that a polygon of many corners takes little more time
than its corners, also where most of its edges are long and parallel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from redmax.bodies.base import Array

ANGLES = np.pi * np.arange(8) / 8
AXES = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
ROUNDING = 1e-15  # of the coordinates
ROOM = 200_000  # pairs that are looked at together

Numbers = NDArray[np.int64]


class Shadows:
    """Of edges (n, 2) from `start` to `end` on one of the axes, sorted; edges nearer than `tolerance` count as overlapping."""

    def __init__(self, start: Array, end: Array, tolerance: float) -> None:
        ends = np.stack([AXES @ start.T, AXES @ end.T])  # (2, axes, n)
        room = tolerance + ROUNDING * float(np.abs(start).max())
        self.low, self.high = ends.min(axis=0) - room, ends.max(axis=0) + room
        found = [self.sorted_along(axis) for axis in range(len(AXES))]
        self.order, self.later = min(found, key=lambda f: int(f[1].sum()))

    def sorted_along(self, axis: int) -> tuple[Numbers, Numbers]:
        """The edges by where their shadows begin, and for each how many begin behind it before it ends."""
        order = np.argsort(self.low[axis], kind="stable")
        ends = np.searchsorted(self.low[axis][order], self.high[axis][order], side="right")
        return order, ends - np.arange(len(order)) - 1

    @property
    def count(self) -> int:
        """How many pairs there are to look at."""
        return int(self.later.sum())

    def pairs(self) -> Iterator[tuple[Numbers, Numbers]]:
        """The pairs (i, j), i < j, whose shadows overlap on all axes, portion by portion."""
        total = np.concatenate([[0], np.cumsum(self.later)])
        first = 0
        while first < len(self.later):
            last = max(first + 1, int(np.searchsorted(total, total[first] + ROOM, side="right")) - 1)
            which = np.repeat(np.arange(first, last), self.later[first:last])
            behind = np.arange(len(which)) - np.repeat(total[first:last] - total[first], self.later[first:last]) + 1
            i, j = self.order[which], self.order[which + behind]
            near = np.ones(len(i), bool)
            for low, high in zip(self.low, self.high):
                near &= (low[i] <= high[j]) & (low[j] <= high[i])
            yield np.minimum(i[near], j[near]), np.maximum(i[near], j[near])
            first = last


def edges_of(loops: Sequence[Array]) -> tuple[Array, Array]:
    """Where the edges of all loops start, and where they end."""
    return np.concatenate(loops), np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
