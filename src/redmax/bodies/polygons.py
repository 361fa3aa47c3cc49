"""Closed polygons in the plane: the integrals over their inside, and checks that they bound one region.

With c_i = x_i y_{i+1} - x_{i+1} y_i for each edge (Green's theorem; Steger, "On the calculation of moments of polygons", 1996)

    A = sum c_i / 2,   int x dA = sum c_i (p_i + p_{i+1}) / 6,
    int x x' dA = sum c_i (p_i p_i' + p_{i+1} p_{i+1}' + s_i s_i') / 24,   s_i = p_i + p_{i+1}

A loop is an (n, 2) array of corners; outlines run counterclockwise, holes clockwise, so that the integrals of a region are sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from redmax.bodies.base import Array
from redmax.bodies.near_edges import Shadows, edges_of
from redmax.components.checks import finite
from redmax.errors import SceneError

TOUCHING = 1e-12  # lengths and areas below this fraction of the region's own are none

FEW = 8  # loops that are looked at one by one


@dataclass(frozen=True)
class AreaIntegrals:
    """area: () signed; centre: (2,); second: (2, 2) mean of x x' about the centre."""

    area: float
    centre: Array
    second: Array


def integrate(loops: Sequence[Array]) -> AreaIntegrals:
    """Integrals over the inside of outlines (counterclockwise) less that of holes (clockwise)."""
    reference = loops[0].mean(axis=0)  # near the centre, so that far-away outlines lose no digits
    a = np.concatenate([loop - reference for loop in loops])
    b = np.concatenate([np.roll(loop, -1, axis=0) - reference for loop in loops])
    c, s = cross(a, b), a + b
    area = float(c.sum() / 2)
    centre = c @ s / (6 * area)
    second = sum(np.einsum("i,ij,ik->jk", c, x, x) for x in (a, b, s)) / (24 * area)
    return AreaIntegrals(area, reference + centre, second - np.outer(centre, centre))


def cross(a: Array, b: Array) -> Array:
    """a_x b_y - a_y b_x over the last axis."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def signed_area(loop: Array) -> float:
    """Positive if the loop runs counterclockwise."""
    centred = loop - loop.mean(axis=0)
    return float(cross(centred, np.roll(centred, -1, axis=0)).sum() / 2)


def checked_loop(owner: str, name: str, value: object, clockwise: bool) -> Array:
    """The corners (n, 2) in the order asked for, without repeated ones, or an error."""
    loop = finite(owner, name, value, ((-1, 2),), "an (n, 2) array of finite coordinates (m), the corners in order around")
    size = float(np.ptp(loop, axis=0).max(initial=0.0)) if len(loop) else 0.0
    loop = loop[np.abs(loop - np.roll(loop, 1, axis=0)).max(axis=1) > TOUCHING * size]  # the last corner may repeat the first
    if len(loop) < 3:
        raise SceneError(f"{owner}: {name} has {len(loop)} different corners, expected at least 3.", owner=owner, argument=name)
    area = signed_area(loop)
    if abs(area) <= TOUCHING * size**2:
        why = "its corners lie on a line, or it crosses itself"
        raise SceneError(f"{owner}: {name} encloses the area {area:.3g}, expected more than 0: {why}.", owner=owner, argument=name)
    return loop[::-1].copy() if (area > 0) == clockwise else loop


def check_region(owner: str, loops: Sequence[Array], names: Sequence[str]) -> None:
    """Raise where an edge meets another one: all loops together bound a region only if they neither cross nor touch."""
    start, end = edges_of(loops)
    size = float(np.ptp(start, axis=0).max())
    of = np.repeat(np.arange(len(loops)), [len(loop) for loop in loops])
    first = np.cumsum([0, *map(len, loops)])
    found: list[tuple[int, int]] = []
    for i, j in Shadows(start, end, 2 * TOUCHING * size).pairs():
        gap = segment_distance(start[i], end[i], start[j], end[j])
        joined = (of[j] == of[i]) & ((j == i + 1) | ((i == first[of[i]]) & (j == first[of[i] + 1] - 1)))
        folded = joined & folds_back(start[i], end[i], start[j], end[j])
        bad = (gap <= TOUCHING * size) & ~joined | folded
        found += sorted(zip(i[bad].tolist(), j[bad].tolist()))[:1]
    if found:
        i, j = min(found)
        k, m = int(of[i]), int(of[j])
        where = f"near ({start[i][0]:g}, {start[i][1]:g})"
        if k == m:
            raise SceneError(
                f"{owner}: {names[k]} crosses or touches itself {where}, expected edges that meet at their ends only.",
                owner=owner,
                argument=names[k],
            )
        raise SceneError(
            f"{owner}: {names[k]} and {names[m]} cross or touch {where}, expected polygons that keep apart.", owner=owner, argument=names[k]
        )


def folds_back(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Whether neighbouring edges ab and cd, with b = c or d = a, lie on each other."""
    u, v = b - a, d - c
    scale = np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1)
    return (np.sum(u * v, axis=-1) < 0) & (np.abs(cross(v, u)) <= TOUCHING * scale)


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """(k,) distances between segments ab (one, or k of them) and the segments c[k] d[k]; 0 where they cross."""
    apart = [point_distance(a, c, d), point_distance(b, c, d), point_distance(c, a, b), point_distance(d, a, b)]
    u, v = b - a, d - c
    sides = (cross(u, c - a) * cross(u, d - a) < 0) & (cross(v, a - c) * cross(v, b - c) < 0)
    return np.where(sides, 0.0, np.min(apart, axis=0))


def point_distance(p: Array, a: Array, b: Array) -> Array:
    """Distance of points p from segments ab; either may be many."""
    u = b - a
    along = np.clip(np.sum((p - a) * u, axis=-1) / np.sum(u * u, axis=-1), 0, 1)
    return np.linalg.norm(p - a - along[..., None] * u, axis=-1)


def encloses(loop: Array, p: Array) -> bool:
    """Whether a point lies inside: an odd number of edges cross the ray from it along x (Shimrat's rule)."""
    return bool(crossed(loop, np.roll(loop, -1, axis=0), p).sum() % 2)


def crossed(start: Array, end: Array, p: Array) -> Array:
    """Which edges the ray from a point along x crosses."""
    a, b = start - p, end - p
    straddles = (a[:, 1] > 0) != (b[:, 1] > 0)
    right = (cross(a, b) > 0) == (b[:, 1] > a[:, 1])
    return straddles & right


class Around:
    """Which of several loops a point lies in."""

    def __init__(self, loops: Sequence[Array]) -> None:
        self.loops = loops
        self.start, self.end = edges_of(loops)
        self.first = np.cumsum([0, *map(len, loops)])[:-1]
        self.low, self.high = np.minimum.reduceat(self.start, self.first), np.maximum.reduceat(self.start, self.first)

    def __call__(self, p: Array) -> list[int]:
        near = np.flatnonzero(((self.low <= p) & (p <= self.high)).all(axis=1))
        if len(near) < FEW:
            return [k for k in near.tolist() if encloses(self.loops[k], p)]
        return np.flatnonzero(np.add.reduceat(crossed(self.start, self.end, p), self.first, dtype=int) % 2).tolist()
