"""Cuboids that are apart, by their corners: what is nearest is a corner of one and a point of the other, unless two edges cross.

All corners are reported that are nearly as near as the nearest, so that two edges that are parallel have two points.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.distance import from_cuboid
from redmax.contact.pairs.placed import add_point, to_local, to_world
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole

AS_NEAR = 1e-2  # of the size of the smaller: how much farther than the nearest


@routine
def corner(b: Vector, c: Whole) -> Any:
    """Corner c, 0 to 7, in the world."""
    s = (2.0 * float(c - 2 * (c // 2)) - 1.0) * b[12]
    t = (2.0 * float(c // 2 - 2 * (c // 4)) - 1.0) * b[13]
    u = (2.0 * float(c // 4) - 1.0) * b[14]
    x, y, z = to_world(b, s, t, u)
    return x + b[9], y + b[10], z + b[11]


@routine
def corner_from(a: Vector, px: Number, py: Number, pz: Number) -> Any:
    """(distance, direction) of a point from a cuboid, in its axes; and whether the nearest point is a corner."""
    x, y, z = to_local(a, px, py, pz)
    gap, lx, ly, lz = from_cuboid(x, y, z, a[12], a[13], a[14])
    lone = where(abs(x) > a[12], where(abs(y) > a[13], where(abs(z) > a[14], 1.0, 0.0), 0.0), 0.0)
    return gap, lx, ly, lz, lone


@routine
def near_corners(a: Vector, b: Vector, limit: Number, before: Number, margin: Number, found: Matrix) -> Any:
    """The corners that are nearer than `limit`, in place of the points before; these, if there are none."""
    least = 1e30
    for c in range(16):
        if c < 8:
            px, py, pz = corner(b, c)
            gap, _, _, _, _ = corner_from(a, px, py, pz)
            least = min(least, gap)
        else:
            px, py, pz = corner(a, c - 8)
            gap, _, _, _, _ = corner_from(b, px, py, pz)
            least = min(least, gap)
    count = before
    if least < limit:
        count = 0.0
        small = a[12]
        for k in range(3):
            small = min(small, a[12 + k])
            small = min(small, b[12 + k])
        reach = min(margin, least + AS_NEAR * small)
        for c in range(16):
            if c < 8:
                px, py, pz = corner(b, c)
                gap, lx, ly, lz, _ = corner_from(a, px, py, pz)
                nx, ny, nz = to_world(a, lx, ly, lz)
                half = 0.5 * gap
                count = add_point(found, count, reach, px - half * nx, py - half * ny, pz - half * nz, nx, ny, nz, gap, float(c))
            else:
                px, py, pz = corner(a, c - 8)
                gap, lx, ly, lz, lone = corner_from(b, px, py, pz)
                nx, ny, nz = to_world(b, -lx, -ly, -lz)
                half = 0.5 * gap
                near = where(lone > 0.0, -1e30, reach)  # a corner of b has that point already
                count = add_point(found, count, near, px + half * nx, py + half * ny, pz + half * nz, nx, ny, nz, gap, float(c))
    return count
