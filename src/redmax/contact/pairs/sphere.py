"""A sphere against a sphere, a capsule, a cylinder, a cuboid: the point of the other that is nearest to its centre, in closed form.

Where the centre lies inside the other, the nearest way out is the normal.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.distance import from_cuboid, from_cylinder
from redmax.contact.pairs.placed import add_point, add_spheres, clamp, to_local, to_world
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector


@routine
def sphere_sphere(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point; of equal centres, above a."""
    return add_spheres(found, 0.0, margin, a[9], a[10], a[11], a[12], b[9], b[10], b[11], b[12], 0.0, 0.0, 1.0, 0.0)


@routine
def sphere_capsule(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point: the ball of the capsule that is nearest."""
    zx, zy, zz = b[2], b[5], b[8]
    t = clamp(zx * (a[9] - b[9]) + zy * (a[10] - b[10]) + zz * (a[11] - b[11]), -b[13], b[13])
    qx, qy, qz = b[9] + t * zx, b[10] + t * zy, b[11] + t * zz
    return add_spheres(found, 0.0, margin, a[9], a[10], a[11], a[12], qx, qy, qz, b[12], b[0], b[3], b[6], 0.0)


@routine
def add_ball(
    a: Vector, px: Number, py: Number, pz: Number, r: Number, away: Number, lx: Number, ly: Number, lz: Number, margin: Number,
    found: Matrix, count: Number, feature: Number,
) -> Any:  # fmt: skip
    """A ball about p and a shape a, from whose surface p is `away` in the direction l of a's axes. The normal looks from the ball to a."""
    ux, uy, uz = to_world(a, lx, ly, lz)
    gap = away - r
    back = r + 0.5 * gap
    return add_point(found, count, margin, px - back * ux, py - back * uy, pz - back * uz, -ux, -uy, -uz, gap, feature)


@routine
def sphere_cylinder(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point."""
    x, y, z = to_local(b, a[9], a[10], a[11])
    away, lx, ly, lz = from_cylinder(x, y, z, b[12], b[13], b[14])
    return add_ball(b, a[9], a[10], a[11], a[12], away, lx, ly, lz, margin, found, 0.0, 0.0)


@routine
def sphere_cuboid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point."""
    x, y, z = to_local(b, a[9], a[10], a[11])
    away, lx, ly, lz = from_cuboid(x, y, z, b[12], b[13], b[14])
    return add_ball(b, a[9], a[10], a[11], a[12], away, lx, ly, lz, margin, found, 0.0, 0.0)
