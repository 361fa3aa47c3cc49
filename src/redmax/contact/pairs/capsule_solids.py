"""A capsule against a cylinder or a cuboid.

As long as its axis is outside, it is balls along it: those at the ends of the part that lies over a face, which stay, and that at the
nearest place, where it is nearer than these. Where the axis itself is inside, the direction in which it is least deep is the normal of all.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.axis_search import best_axis, least_overlap
from redmax.contact.pairs.cuboids import ALIKE
from redmax.contact.pairs.distance import from_cuboid, from_cylinder, sign_of
from redmax.contact.pairs.placed import SAME, add_point, clamp, to_local, to_world, turned
from redmax.contact.pairs.segments import nearest_to_cuboid, nearest_to_cylinder, over_cylinder, over_rectangle
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

TWO = 1e-3  # of the radius: how far apart two points are at least
SIDE = 1e-3  # how much the normal may lean where a side lies on something along a line


@routine
def add_ball_of(
    b: Vector, p: Number, Z: Number, t: Number, r: Number, n: Number, away: Number, margin: Number, found: Matrix, count: Number,
    feature: Number,
) -> Any:  # fmt: skip
    """The ball at t of the axis, which is `away` from b's surface along n; all in b's axes. The normal looks from the capsule to b."""
    gap = away - r
    back = r + 0.5 * gap
    x, y, z = to_world(b, p[0] + t * Z[0] - back * n[0], p[1] + t * Z[1] - back * n[1], p[2] + t * Z[2] - back * n[2])
    nx, ny, nz = to_world(b, -n[0], -n[1], -n[2])
    return add_point(found, count, margin, x + b[9], y + b[10], z + b[11], nx, ny, nz, gap, feature)


@routine
def add_balls_outside(
    b: Vector, surface: Number, p: Number, Z: Number, t: Number, low: Number, high: Number, r: Number, margin: Number, found: Matrix
) -> Any:
    """The balls at low and high, if low < high: points 0 and 1; and at t, if it is nearer: point 2."""
    count, side = 0.0, 1e30
    if low <= high:
        away, nx, ny, nz = surface(p[0] + low * Z[0], p[1] + low * Z[1], p[2] + low * Z[2], b[12], b[13], b[14])
        count = add_ball_of(b, p, Z, low, r, (nx, ny, nz), away, margin, found, count, 0.0)
        side = away
        if high - low > TWO * r:
            away, nx, ny, nz = surface(p[0] + high * Z[0], p[1] + high * Z[1], p[2] + high * Z[2], b[12], b[13], b[14])
            count = add_ball_of(b, p, Z, high, r, (nx, ny, nz), away, margin, found, count, 1.0)
            side = min(side, away)
    away, nx, ny, nz = surface(p[0] + t * Z[0], p[1] + t * Z[1], p[2] + t * Z[2], b[12], b[13], b[14])
    if away < side - SAME * r:
        count = add_ball_of(b, p, Z, t, r, (nx, ny, nz), away, margin, found, count, 2.0)
    return count


@routine
def add_balls_inside(
    b: Vector, p: Number, Z: Number, length: Number, low: Number, high: Number, corner: Number, r: Number, s: Number, n: Number,
    margin: Number, found: Matrix,
) -> Any:  # fmt: skip
    """With one normal, along which the nearest end of the axis is s away: the balls at low and high, or that beside the corner."""
    along = n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]
    count, least = 0.0, 1e30
    if high - low > TWO * r:
        away = s + along * low + abs(along) * length
        count = add_ball_of(b, p, Z, low, r, n, away, margin, found, count, 0.0)
        least = away
        away = s + along * high + abs(along) * length
        count = add_ball_of(b, p, Z, high, r, n, away, margin, found, count, 1.0)
        least = min(least, away)
    if least > s + SAME * r:
        beside = (corner[0] - p[0]) * Z[0] + (corner[1] - p[1]) * Z[1] + (corner[2] - p[2]) * Z[2]
        t = where(abs(along) > SIDE, -sign_of(along) * length, clamp(beside, -length, length))
        count = add_ball_of(b, p, Z, t, r, n, s, margin, found, count, 2.0)
    return count


@routine
def capsule_cuboid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 3 points."""
    r, length, size = a[12], a[13], (b[12], b[13], b[14])
    px, py, pz = to_local(b, a[9], a[10], a[11])
    zx, zy, zz = turned(b, a[2], a[5], a[8])
    p, Z, count = (px, py, pz), (zx, zy, zz), 0.0
    t = nearest_to_cuboid(p, Z, length, size)
    away, nx, ny, nz = from_cuboid(px + t * zx, py + t * zy, pz + t * zz, b[12], b[13], b[14])
    if away - r < margin:
        if away > SAME * r:
            low, high = over_rectangle(p, Z, length, size, (nx, ny, nz))
            count = add_balls_outside(b, from_cuboid, p, Z, t, low, high, r, margin, found)
        else:
            s, nx, ny, nz = best_axis(p, Z, length, 0.0, size, 0.0, px, py, pz, SAME * r)
            low, high = over_rectangle(p, Z, length, size, (nx, ny, nz))
            flat = max(abs(nx), abs(ny))
            high = where(max(flat, abs(nz)) > ALIKE, high, low)
            ux, uy, uz = sign_of(nx) * b[12], sign_of(ny) * b[13], sign_of(nz) * b[14]
            ux, uy, uz = crossing(p, Z, (ux, uy, uz), (nx, ny, nz))
            count = add_balls_inside(b, p, Z, length, low, high, (ux, uy, uz), r, s, (nx, ny, nz), margin, found)
    return count


@routine
def crossing(p: Number, Z: Number, corner: Number, n: Number) -> Any:
    """The point of a cuboid's edge at this corner, along the axis that n leans to least, that a line passes nearest."""
    first = where(abs(n[0]) < abs(n[1]), where(abs(n[0]) < abs(n[2]), 1.0, 0.0), 0.0)
    second = where(first > 0.0, 0.0, where(abs(n[1]) < abs(n[2]), 1.0, 0.0))
    third = 1.0 - first - second
    c = first * Z[0] + second * Z[1] + third * Z[2]
    wx, wy, wz = corner[0] - p[0], corner[1] - p[1], corner[2] - p[2]
    along, beside = wx * Z[0] + wy * Z[1] + wz * Z[2], first * wx + second * wy + third * wz
    u = (c * along - beside) / max(1.0 - c * c, 1e-9)
    return corner[0] + first * u, corner[1] + second * u, corner[2] + third * u


@routine
def capsule_cylinder(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 3 points."""
    r, length = a[12], a[13]
    px, py, pz = to_local(b, a[9], a[10], a[11])
    zx, zy, zz = turned(b, a[2], a[5], a[8])
    p, Z, count = (px, py, pz), (zx, zy, zz), 0.0
    t = nearest_to_cylinder(p, Z, length, b[12], b[13])
    x, y, z = px + t * zx, py + t * zy, pz + t * zz
    away, nx, ny, nz = from_cylinder(x, y, z, b[12], b[13], b[14])
    if away - r < margin:
        if away > SAME * r:
            low, high = over_cylinder(p, Z, length, b[12], b[13], (nx, ny, nz))
            count = add_balls_outside(b, from_cylinder, p, Z, t, low, high, r, margin, found)
        else:
            c = (0.0, 0.0, b[13])
            s, nx, ny, nz = least_overlap(p, Z, length, 0.0, c, b[12], x, y, 0.0, SAME * r, margin)
            low, high = over_cylinder(p, Z, length, b[12], b[13], (nx, ny, nz))
            high = where(abs(nz) > ALIKE, high, where(abs(nz) < SIDE, high, low))
            rim = b[12] / max(sqrt(nx * nx + ny * ny), SAME)
            corner = (rim * nx, rim * ny, sign_of(nz) * b[13])
            count = add_balls_inside(b, p, Z, length, low, high, corner, r, s, (nx, ny, nz), margin, found)
    return count
