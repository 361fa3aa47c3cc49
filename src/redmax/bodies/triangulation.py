"""Triangles over a polygon with holes, without further corners: ear clipping.

Each hole is joined to the outline by a bridge that is walked both ways, which leaves one loop; then corners whose triangle holds no
other corner (ears; every polygon has two of them, Meisters 1975) are cut off one by one. The ear with the widest smallest angle goes
first, which keeps slivers rare. Eberly, "Triangulation by ear clipping", 2002, describes both steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from redmax.bodies.base import Array
from redmax.bodies.polygons import TOUCHING, cross, segment_distance

Order = list[int]


def triangulate(outline: Array, holes: Sequence[Array] = ()) -> NDArray[np.int64]:
    """(m, 3) counterclockwise triangles over the corners of the outline (counterclockwise), then of the holes (clockwise)."""
    points = np.concatenate([outline, *holes])
    starts = np.cumsum([len(outline), *map(len, holes)])
    order: Order = list(range(len(outline)))
    loops = [list(range(int(a), int(b))) for a, b in pairwise(starts)]
    loops.sort(key=lambda loop: -points[loop, 0].max())  # those to the right first: nothing but the outline lies beyond them
    for k, loop in enumerate(loops):
        order = bridged(points, order, loop, loops[k + 1 :])
    return clipped(points, order)


def bridged(points: Array, order: Order, hole: Order, others: Sequence[Order]) -> Order:
    """One loop from two: from the hole's rightmost corner over the shortest free bridge to the outer loop, around the hole, and back."""
    m = int(np.argmax(points[hole, 0]))
    tip = points[hole[m]]
    edges = [(a, b) for loop in (order, hole, *others) for a, b in zip(loop, loop[1:] + loop[:1])]
    a, b = points[[e[0] for e in edges]], points[[e[1] for e in edges]]
    touching = TOUCHING * np.ptp(points, axis=0).max()
    for k in np.argsort(np.linalg.norm(points[order] - tip, axis=1), kind="stable"):
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


def clipped(points: Array, order: Order) -> NDArray[np.int64]:
    """The triangles of one loop, cut off ear by ear."""
    left, triangles = list(order), []
    quality = [ear_quality(points, left, k) for k in range(len(left))]
    while len(left) > 3:
        k = int(np.argmax(quality))
        n = len(left)
        triangles.append((left[k - 1], left[k], left[(k + 1) % n]))
        del left[k], quality[k]
        for j in ((k - 1) % (n - 1), k % (n - 1)):
            quality[j] = ear_quality(points, left, j)
        if max(quality) <= 0:  # a cut may have freed corners that were covered before
            quality = [ear_quality(points, left, j) for j in range(len(left))]
    return np.array([*triangles, tuple(left)], dtype=np.int64)


def ear_quality(points: Array, left: Order, k: int) -> float:
    """sin of the smallest angle of the triangle at corner k if it is an ear, otherwise 0 or less."""
    corner = points[[left[k - 1], left[k], left[(k + 1) % len(left)]]]
    sides = np.roll(corner, -1, axis=0) - corner
    lengths = np.linalg.norm(sides, axis=1)
    area = cross(sides[0], sides[1])
    if not area > 0:
        return -1.0 if area < 0 else -0.5
    others = points[left]
    touching = TOUCHING * np.ptp(others, axis=0).max()  # a corner on the cut would leave a loop that touches itself
    inside = np.all([cross(side, others - p) >= -touching * n for side, p, n in zip(sides, corner, lengths)], axis=0)
    inside &= ~(others[:, None] == corner).all(axis=2).any(axis=1)  # ends of bridges occur twice
    return 0.0 if inside.any() else float(area * lengths.min() / lengths.prod())
