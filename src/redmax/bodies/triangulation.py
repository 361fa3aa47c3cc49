"""Triangles over a polygon with holes, without further corners: ear clipping.

Each hole is joined to the outline by a bridge that is walked both ways, which leaves one loop; then corners whose triangle holds no
other corner (ears; every polygon has two of them, Meisters 1975) are cut off one by one. The ear with the widest smallest angle goes
first, which keeps slivers rare. Eberly, "Triangulation by ear clipping", 2002, describes both steps. Corners are looked for in strips
of x, so that a triangle meets only those that are near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from redmax.bodies.base import Array
from redmax.bodies.polygons import TOUCHING, cross, segment_distance

Order = list[int]
Numbers = NDArray[np.int64]


def triangulate(outline: Array, holes: Sequence[Array] = ()) -> Numbers:
    """(m, 3) counterclockwise triangles over the corners of the outline (counterclockwise), then of the holes (clockwise)."""
    points = np.concatenate([outline, *holes])
    starts = np.cumsum([len(outline), *map(len, holes)])
    order: Order = list(range(len(outline)))
    loops = [list(range(int(a), int(b))) for a, b in pairwise(starts)]
    loops.sort(key=lambda loop: -points[loop, 0].max())  # those to the right first: nothing but the outline lies beyond them
    ends = np.cumsum([0, *map(len, loops)])
    edges = np.array([edge for loop in loops for edge in zip(loop, loop[1:] + loop[:1])], np.int64).reshape(-1, 2)
    for loop, first in zip(loops, ends):
        order = bridged(points, order, loop, edges[first:])
    return Clipping(points, order).triangles()


def bridged(points: Array, order: Order, hole: Order, edges: Numbers) -> Order:
    """One loop from two: from the hole's rightmost corner over the shortest free bridge to the outer loop, around the hole, and back.

    edges: of the hole, and of those that are not joined yet
    """
    m = int(np.argmax(points[hole, 0]))
    tip = points[hole[m]]
    outer = np.array(order)
    a, b = points[np.concatenate([outer, edges[:, 0]])], points[np.concatenate([np.roll(outer, -1), edges[:, 1]])]
    touching = TOUCHING * np.ptp(points, axis=0).max()
    for k in np.argsort(np.linalg.norm(points[outer] - tip, axis=1), kind="stable"):
        k, end = int(k), points[order[int(k)]]
        apart = ~((a == tip).all(1) | (b == tip).all(1) | (a == end).all(1) | (b == end).all(1))
        free = not apart.any() or segment_distance(tip, end, a[apart], b[apart]).min() > touching
        if free and looks_inward(points, order, k, tip) and looks_inward(points, hole, m, end):
            return order[: k + 1] + hole[m:] + hole[: m + 1] + order[k:]
    raise AssertionError("a hole inside its outline has a corner that sees one of the outline's")


def looks_inward(points: Array, order: Order, k: int, target: Array) -> bool:
    """Whether the direction from corner k to the target lies between its two edges, on the inside (left)."""
    before, corner, after = points[order[k - 1]], points[order[k]], points[order[(k + 1) % len(order)]]
    to, ahead, back = target - corner, after - corner, before - corner
    if cross(ahead, back) > 0:  # convex
        return bool(cross(ahead, to) > 0 and cross(to, back) > 0)
    return not (cross(back, to) >= 0 and cross(to, ahead) >= 0)


class Clipping:
    """One loop, cut off ear by ear. order: the numbers of its corners; places count along it; before, after: the neighbours of each."""

    def __init__(self, points: Array, order: Order) -> None:
        n = len(order)
        self.order, self.corners = order, points[order]
        self.before, self.after = [(i - 1) % n for i in range(n)], [(i + 1) % n for i in range(n)]
        self.left = np.ones(n, bool)
        self.sort_left()
        self.quality = [self.ear_quality(i) for i in range(n)]
        self.heap = [(-q, i) for i, q in enumerate(self.quality)]
        heapify(self.heap)

    def sort_left(self) -> None:
        """Those that are left, from left to right."""
        places = np.flatnonzero(self.left)
        self.strips = places[np.argsort(self.corners[places, 0], kind="stable")]
        self.x, self.count = self.corners[self.strips, 0], len(places)
        self.touching = TOUCHING * np.ptp(self.corners[places], axis=0).max()  # a corner on the cut would leave a loop that touches itself

    def triangles(self) -> Numbers:
        found: list[tuple[int, int, int]] = []
        count = len(self.order)
        while count > 3:
            i = self.best()
            a, b = self.before[i], self.after[i]
            found.append((self.order[a], self.order[i], self.order[b]))
            self.left[i], self.after[a], self.before[b] = False, b, a
            count -= 1
            if 2 * count < self.count:
                self.sort_left()
            for j in (a, b):
                self.rate(j)
            if -self.heap[self.drop_stale()][0] <= 0:  # a cut may have freed corners that were covered before
                for j in np.flatnonzero(self.left).tolist():
                    if self.quality[j] == 0.0:
                        self.rate(j)
        return np.array([*found, tuple(self.order[i] for i in np.flatnonzero(self.left))], dtype=np.int64)

    def rate(self, i: int) -> None:
        self.quality[i] = self.ear_quality(i)
        heappush(self.heap, (-self.quality[i], i))

    def drop_stale(self) -> int:
        """The place in the heap of the best that is left: 0, once those before it are dropped that are cut off or rated anew."""
        while not self.left[self.heap[0][1]] or -self.heap[0][0] != self.quality[self.heap[0][1]]:
            heappop(self.heap)
        return 0

    def best(self) -> int:
        """The widest ear; of several the first along the loop."""
        self.drop_stale()
        return heappop(self.heap)[1]

    def ear_quality(self, i: int) -> float:
        """sin of the smallest angle of the triangle at a corner if it is an ear, otherwise 0 or less."""
        corner = self.corners[[self.before[i], i, self.after[i]]]
        sides = corner[[1, 2, 0]] - corner
        lengths = np.sqrt(np.add.reduce(sides * sides, axis=1))
        area = cross(sides[0], sides[1])
        if not area > 0:
            return -1.0 if area < 0 else -0.5
        sharpest = float(area * lengths.min() / lengths.prod())
        others = self.near(corner[:, 0], 2 * self.touching / sharpest)  # which is as far as a strip along the sides reaches
        inside = (cross(sides[:, None], others - corner[:, None]) >= -self.touching * lengths[:, None]).all(axis=0)
        held = others[inside]
        ends = (held[:, None] == corner).all(axis=2).any(axis=1)  # of bridges, which occur twice, and of the triangle itself
        return sharpest if ends.all() else 0.0

    def near(self, x: Array, room: float) -> Array:
        """The corners left between the least and the greatest x, and a little more."""
        first, last = np.searchsorted(self.x, [x.min() - room, x.max() + room])
        places = self.strips[max(first - 1, 0) : last + 1]
        return self.corners[places[self.left[places]]]
