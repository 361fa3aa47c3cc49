"""A nearest point, brought back to both shapes where it is on neither.

Along a normal that a cap or a face has too, but for roundings, many points of a shape are the farthest: the corner or the rim that is
taken then may be anywhere along it. All is in the axes of the second shape, of half extents c or with a disc of radius R about z.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.placed import TINY, clamp
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number

OFF = 1e-3  # of the size: how far from a shape a point may be
TURNS = 60.0  # from one to the other and back


@routine
def in_cylinder(p: Number, Z: Number, h: Number, r: Number, x: Number, y: Number, z: Number) -> Any:
    """The point of a cylinder that is nearest."""
    wx, wy, wz = x - p[0], y - p[1], z - p[2]
    along = wx * Z[0] + wy * Z[1] + wz * Z[2]
    wx, wy, wz = wx - along * Z[0], wy - along * Z[1], wz - along * Z[2]
    t, over = clamp(along, -h, h), min(1.0, r / sqrt(max(wx * wx + wy * wy + wz * wz, TINY)))
    return p[0] + t * Z[0] + over * wx, p[1] + t * Z[1] + over * wy, p[2] + t * Z[2] + over * wz


@routine
def in_other(c: Number, R: Number, x: Number, y: Number, z: Number) -> Any:
    """The same of the second shape: of a cuboid, or of a cylinder, if there is a disc."""
    bx, by, bz = clamp(x, -c[0], c[0]), clamp(y, -c[1], c[1]), clamp(z, -c[2], c[2])
    cx, cy, cz = in_cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), c[2], R, x, y, z)
    return where(R > 0.0, cx, bx), where(R > 0.0, cy, by), where(R > 0.0, cz, bz)


@routine
def brought_back(
    p: Number, Z: Number, h: Number, r: Number, c: Number, R: Number, x: Number, y: Number, z: Number, n: Number, s: Number, size: Number
) -> Any:
    """A point at the height s over the second shape; between both it is half of that from each."""
    ox, oy, oz = x - 0.5 * s * n[0], y - 0.5 * s * n[1], z - 0.5 * s * n[2]
    bx, by, bz = in_other(c, R, ox, oy, oz)
    ax, ay, az = in_cylinder(p, Z, h, r, ox, oy, oz)
    far = max((bx - ox) * (bx - ox) + (by - oy) * (by - oy) + (bz - oz) * (bz - oz),
              (ax - ox) * (ax - ox) + (ay - oy) * (ay - oy) + (az - oz) * (az - oz))  # fmt: skip
    most = 0.5 * abs(s) + OFF * size
    px, py, pz = x, y, z
    if far > most * most:
        turns = 0.0
        while turns < TURNS:
            bx, by, bz = in_other(c, R, ax, ay, az)
            ax, ay, az = in_cylinder(p, Z, h, r, bx, by, bz)
            apart = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)
            turns = where(apart < most * most, TURNS, turns + 1.0)
        px, py, pz = 0.5 * (ax + bx + s * n[0]), 0.5 * (ay + by + s * n[1]), 0.5 * (az + bz + s * n[2])
    return px, py, pz
