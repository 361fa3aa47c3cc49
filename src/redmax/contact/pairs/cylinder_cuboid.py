"""A cylinder and a cuboid: the direction of the least overlap (axis_search.py), then where the cylinder rests on a face (resting.py), where
the cuboid rests on a cap, where an edge lies along the side (rods.py), or the one point of rim or corner that is nearest."""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.axis_search import least_overlap
from redmax.contact.pairs.capsule_solids import SIDE
from redmax.contact.pairs.clip import LARGER, bit, incident_face
from redmax.contact.pairs.cuboids import ALIKE, TIE
from redmax.contact.pairs.cylinders import NEAREST, rim_of
from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.on_face import add_over
from redmax.contact.pairs.placed import clamp, to_local, to_world, turned
from redmax.contact.pairs.resting import rest_on_face
from redmax.contact.pairs.rods import rods
from redmax.contact.pairs.segments import nearest_to_cuboid, over_disc
from redmax.contact.pairs.within import brought_back
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, whole

CORNERS, CROSSINGS = 40.0, 48.0  # numbers of the cuboid's first corner on a cap, and of the first crossing of an edge with its rim


@routine
def cuboid_on_cap(a: Vector, b: Vector, side: Number, margin: Number, found: Matrix) -> Any:
    """(number of points, least height) of a face of b on the upper or lower cap of a: corners over it, and edges that cross its rim."""
    r, n = a[12], (0.0, 0.0, side)
    face, out = incident_face(b, side * a[2], side * a[5], side * a[8])
    f = whole(face)
    p, q = where(f == 2, 0, f + 1), where(f == 0, 2, f - 1)
    h = out * b[12 + f]
    cx, cy, cz = to_local(a, b[9] + h * b[f], b[10] + h * b[3 + f], b[11] + h * b[6 + f])
    h = b[12 + p]
    px, py, pz = turned(a, h * b[p], h * b[3 + p], h * b[6 + p])
    h = b[12 + q]
    qx, qy, qz = turned(a, h * b[q], h * b[3 + q], h * b[6 + q])
    count, least = 0.0, 1e30
    for m in range(4):
        s, t, step = (1.0, -1.0, -1.0, 1.0)[m], (1.0, 1.0, -1.0, -1.0)[m], (-2.0, -2.0, 2.0, 2.0)[m]
        x, y, z = cx + s * px + t * qx, cy + s * py + t * qy, cz + s * pz + t * qz
        if x * x + y * y <= LARGER * LARGER * r * r:
            w = side * z - a[13]
            number = CORNERS + bit(f, out) + bit(p, s) + bit(q, t)
            count = add_over(a, x, y, z, n, w, 1.0, margin, found, count, number)
            least = min(least, w)
        ex, ey, ez = step * (px, qx, px, qx)[m], step * (py, qy, py, qy)[m], step * (pz, qz, pz, qz)[m]
        low, high = over_disc(x, y, ex, ey, LARGER * r)
        for k in range(2):
            at = (low, high)[k]
            if low < high and at > 0.0 and at < 1.0:
                w = side * (z + at * ez) - a[13]
                number = CROSSINGS + float(2 * m + k)
                count = add_over(a, x + at * ex, y + at * ey, z + at * ez, n, w, 1.0, margin, found, count, number)
                least = min(least, w)
    return count, least


@routine
def edge_at_side(a: Vector, b: Vector, n: Number, margin: Number, found: Matrix) -> Any:
    """(number of points, least gap) of the edge of b that looks along n (in b's axes) and the side of a."""
    first = where(abs(n[0]) < abs(n[1]), where(abs(n[0]) < abs(n[2]), 1.0, 0.0), 0.0)
    second = where(first > 0.0, 0.0, where(abs(n[1]) < abs(n[2]), 1.0, 0.0))
    third = 1.0 - first - second
    ux, uy, uz = (1.0 - first) * sign_of(n[0]), (1.0 - second) * sign_of(n[1]), (1.0 - third) * sign_of(n[2])
    qx, qy, qz = to_world(b, ux * b[12], uy * b[13], uz * b[14])
    vx, vy, vz = to_world(b, first, second, third)
    half = first * b[12] + second * b[13] + third * b[14]
    P, U, Q = (a[9], a[10], a[11]), (a[2], a[5], a[8]), (b[9] + qx, b[10] + qy, b[11] + qz)
    return rods(P, U, a[13], a[12], Q, (vx, vy, vz), half, 0.0, (a[0], a[3], a[6]), margin, found)


@routine
def face_along(x: Number) -> Any:
    """The direction of an axis, where a normal is nearly that."""
    return where(abs(x) > ALIKE, sign_of(x), 0.0)


@routine
def cylinder_cuboid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 8 points."""
    h, r = a[13], a[12]
    px, py, pz = to_local(b, a[9], a[10], a[11])
    zx, zy, zz = turned(b, a[2], a[5], a[8])
    p, Z, c, count = (px, py, pz), (zx, zy, zz), (b[12], b[13], b[14]), 0.0
    size = h + r + b[12] + b[13] + b[14]
    t = nearest_to_cuboid(p, Z, h, c)
    x, y, z = px + t * zx, py + t * zy, pz + t * zz
    dx, dy, dz = x - clamp(x, -b[12], b[12]), y - clamp(y, -b[13], b[13]), z - clamp(z, -b[14], b[14])
    s, nx, ny, nz = least_overlap(p, Z, h, r, c, 0.0, dx, dy, dz, TIE * size, margin)
    if s < margin:
        m, least = nx * zx + ny * zy + nz * zz, 1e30
        lean = min(abs(nx), abs(ny))
        lean = min(lean, abs(nz))
        fx, fy, fz = face_along(nx), face_along(ny), face_along(nz)
        if abs(fx) + abs(fy) + abs(fz) > 0.5:
            count, least = rest_on_face(b, a, (fx, fy, fz), -1.0, margin, found)
        elif abs(m) > ALIKE:
            count, least = cuboid_on_cap(a, b, -sign_of(m), margin, found)
        elif abs(m) < SIDE and lean < SIDE:
            count, least = edge_at_side(a, b, (nx, ny, nz), margin, found)
            count = where(least < s - TIE * size, 0.0, count)  # of balls beyond the ends, which cylinders do not have
            least = where(least < s - TIE * size, 1e30, least)
        if least > s + TIE * size:
            x, y, z = rim_of(p, Z, h, r, (nx, ny, nz))
            if abs(m) < SIDE or abs(m) > ALIKE:
                x, y, z = sign_of(nx) * b[12] + s * nx, sign_of(ny) * b[13] + s * ny, sign_of(nz) * b[14] + s * nz
            x, y, z = brought_back(p, Z, h, r, c, 0.0, x, y, z, (nx, ny, nz), s, size)
            count = add_over(b, x, y, z, (nx, ny, nz), s, -1.0, margin, found, count, NEAREST)
    return count
