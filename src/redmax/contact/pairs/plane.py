"""A plane against what is round or has corners: heights above it, in closed form.

The plane is the half space below z = 0 of its frame. Spheres and ellipsoids have one point, capsules their ends, cuboids all corners
that are near. A cylinder that stands has four points of its lower rim that are fixed in it, so that they stay, and its lowest point where
that is lower; one that lies or leans has the lowest points of both rims.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.placed import add_point, to_world, turned
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

STANDS = 0.1  # the sine of how far a cylinder may lean and stand
LOWER = 1e-6  # of its radius, by which the lowest point of a rim must be lower than those that are fixed in it


@routine
def add_above(a: Vector, px: Number, py: Number, pz: Number, margin: Number, found: Matrix, count: Number, feature: Number) -> Any:
    """A point of a surface above the plane."""
    nx, ny, nz = a[2], a[5], a[8]
    gap = nx * (px - a[9]) + ny * (py - a[10]) + nz * (pz - a[11])
    half = 0.5 * gap
    return add_point(found, count, margin, px - half * nx, py - half * ny, pz - half * nz, nx, ny, nz, gap, feature)


@routine
def plane_sphere(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point."""
    r = b[12]
    return add_above(a, b[9] - r * a[2], b[10] - r * a[5], b[11] - r * a[8], margin, found, 0.0, 0.0)


@routine
def plane_ellipsoid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """One point, that farthest against the normal n: -D^2 n / |D n| in the axes of the ellipsoid, with its radii on the diagonal of D."""
    lx, ly, lz = turned(b, a[2], a[5], a[8])
    u, v, w = b[12] * lx, b[13] * ly, b[14] * lz
    scale = -1.0 / sqrt(u * u + v * v + w * w)
    px, py, pz = to_world(b, scale * b[12] * u, scale * b[13] * v, scale * b[14] * w)
    return add_above(a, b[9] + px, b[10] + py, b[11] + pz, margin, found, 0.0, 0.0)


@routine
def plane_capsule(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """Both ends."""
    r, h = b[12], b[13]
    px, py, pz = b[9] - r * a[2], b[10] - r * a[5], b[11] - r * a[8]
    zx, zy, zz = h * b[2], h * b[5], h * b[8]
    count = add_above(a, px - zx, py - zy, pz - zz, margin, found, 0.0, 0.0)
    return add_above(a, px + zx, py + zy, pz + zz, margin, found, count, 1.0)


@routine
def plane_cylinder(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """Of a cylinder that stands: points 0 to 3 of its lower or 4 to 7 of its upper rim, 8 or 9 the lowest; otherwise the lowest of both."""
    r = b[12]
    nx, ny, nz = a[2], a[5], a[8]
    up = nx * b[2] + ny * b[5] + nz * b[8]
    ux, uy = nx * b[0] + ny * b[3] + nz * b[6], nx * b[1] + ny * b[4] + nz * b[7]
    lean = sqrt(ux * ux + uy * uy)
    over = -r / max(lean, 1e-15)
    lx, ly = where(lean > 1e-15, ux * over, r), uy * over
    dx, dy, dz = b[0] * lx + b[1] * ly, b[3] * lx + b[4] * ly, b[6] * lx + b[7] * ly
    hx, hy, hz = b[13] * b[2], b[13] * b[5], b[13] * b[8]
    count, lower, upper = 0.0, margin, margin
    if lean < STANDS:
        end = where(up > 0.0, -1.0, 1.0)
        cx, cy, cz, first = b[9] + end * hx, b[10] + end * hy, b[11] + end * hz, where(end < 0.0, 0.0, 4.0)
        count = add_above(a, cx + r * b[0], cy + r * b[3], cz + r * b[6], margin, found, count, first)
        count = add_above(a, cx + r * b[1], cy + r * b[4], cz + r * b[7], margin, found, count, first + 1.0)
        count = add_above(a, cx - r * b[0], cy - r * b[3], cz - r * b[6], margin, found, count, first + 2.0)
        count = add_above(a, cx - r * b[1], cy - r * b[4], cz - r * b[7], margin, found, count, first + 3.0)
        reach = where(lean - max(abs(ux), abs(uy)) > LOWER, margin, -1e30)
        lower, upper = where(end < 0.0, reach, -1e30), where(end < 0.0, -1e30, reach)
    count = add_above(a, b[9] - hx + dx, b[10] - hy + dy, b[11] - hz + dz, lower, found, count, 8.0)
    return add_above(a, b[9] + hx + dx, b[10] + hy + dy, b[11] + hz + dz, upper, found, count, 9.0)


@routine
def plane_cuboid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """The corners, by their number: 1, 2, 4 for the upper side of x, y, z."""
    count = 0.0
    ux, uy, uz = b[12] * b[0], b[12] * b[3], b[12] * b[6]
    vx, vy, vz = b[13] * b[1], b[13] * b[4], b[13] * b[7]
    wx, wy, wz = b[14] * b[2], b[14] * b[5], b[14] * b[8]
    cx, cy, cz = b[9], b[10], b[11]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                s, t, u = 2.0 * float(k) - 1.0, 2.0 * float(j) - 1.0, 2.0 * float(i) - 1.0
                px, py, pz = cx + s * ux + t * vx + u * wx, cy + s * uy + t * vy + u * wy, cz + s * uz + t * vz + u * wz
                count = add_above(a, px, py, pz, margin, found, count, float(k) + 2.0 * float(j) + 4.0 * float(i))
    return count
