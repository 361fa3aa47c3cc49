"""Shapes placed in the world, as routines see them, and the points that they find.

A shape is 15 numbers: R (row major; its columns are the shape's axes), its centre x, its size. A row of `found` is a contact: the point
midway between the surfaces, the unit normal from a to b, the gap along it (negative in overlap), and the number of the features that meet.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, whole

X, SIZE = 9, 12  # where centre and size of a shape begin
MOST = 8.0  # points of a pair
TINY = 1e-30  # a squared length that has no direction
SAME = 1e-9  # of the size: gaps that do not differ


@routine
def to_local(a: Vector, px: Number, py: Number, pz: Number) -> Any:
    """A point in the axes of a shape, from its centre."""
    dx, dy, dz = px - a[9], py - a[10], pz - a[11]
    return a[0] * dx + a[3] * dy + a[6] * dz, a[1] * dx + a[4] * dy + a[7] * dz, a[2] * dx + a[5] * dy + a[8] * dz


@routine
def turned(a: Vector, dx: Number, dy: Number, dz: Number) -> Any:
    """A direction of the world in the axes of a shape."""
    return a[0] * dx + a[3] * dy + a[6] * dz, a[1] * dx + a[4] * dy + a[7] * dz, a[2] * dx + a[5] * dy + a[8] * dz


@routine
def to_world(a: Vector, lx: Number, ly: Number, lz: Number) -> Any:
    """A direction in the axes of a shape, in the world's."""
    return a[0] * lx + a[1] * ly + a[2] * lz, a[3] * lx + a[4] * ly + a[5] * lz, a[6] * lx + a[7] * ly + a[8] * lz


@routine
def unit_or(dx: Number, dy: Number, dz: Number, ex: Number, ey: Number, ez: Number) -> Any:
    """The direction of d and its length; e, if d has none."""
    square = dx * dx + dy * dy + dz * dz
    length = sqrt(square)
    scale = 1.0 / where(square > TINY, length, 1.0)
    return (
        where(square > TINY, dx * scale, ex),
        where(square > TINY, dy * scale, ey),
        where(square > TINY, dz * scale, ez),
        where(square > TINY, length, 0.0),
    )


@routine
def clamp(x: Number, lower: Number, upper: Number) -> Any:
    """x, between two bounds."""
    return min(max(x, lower), upper)


@routine
def add_point(
    found: Matrix, count: Number, margin: Number, px: Number, py: Number, pz: Number, nx: Number, ny: Number, nz: Number, gap: Number,
    feature: Number,
) -> Any:  # fmt: skip
    """Another contact, if it is near enough and there is room; how many there are then."""
    after = count
    if gap < margin and count < MOST:
        row = found[whole(count)]
        row[0] = px
        row[1] = py
        row[2] = pz
        row[3] = nx
        row[4] = ny
        row[5] = nz
        row[6] = gap
        row[7] = feature
        after = count + 1.0
    return after


@routine
def add_spheres(
    found: Matrix, count: Number, margin: Number, px: Number, py: Number, pz: Number, r: Number, qx: Number, qy: Number, qz: Number,
    s: Number, ex: Number, ey: Number, ez: Number, feature: Number,
) -> Any:  # fmt: skip
    """The contact of two balls, about p and q with radii r and s; e: the normal, where p is q."""
    nx, ny, nz, away = unit_or(qx - px, qy - py, qz - pz, ex, ey, ez)
    gap = away - r - s
    middle = r + 0.5 * gap
    return add_point(found, count, margin, px + middle * nx, py + middle * ny, pz + middle * nz, nx, ny, nz, gap, feature)
