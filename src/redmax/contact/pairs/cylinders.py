"""Two cylinders: the direction of the least overlap (axis_search.py), then where one rests on a cap of the other (resting.py), or their
sides touch (rods.py), or the one point of a rim that is nearest."""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.axis_search import least_overlap
from redmax.contact.pairs.capsule import sides
from redmax.contact.pairs.capsule_solids import SIDE
from redmax.contact.pairs.cuboids import ALIKE, TIE
from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.on_face import add_over
from redmax.contact.pairs.placed import to_local, turned
from redmax.contact.pairs.resting import rest_on_cap
from redmax.contact.pairs.rods import nearest_of_segments
from redmax.contact.pairs.within import brought_back
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

NEAREST = 63.0  # number of the nearest point, where it is no other


@routine
def rim_of(p: Number, Z: Number, h: Number, r: Number, n: Number) -> Any:
    """The point of a cylinder at p that lies farthest against n."""
    m = n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]
    x, y, z = n[0] - m * Z[0], n[1] - m * Z[1], n[2] - m * Z[2]
    over, end = r / sqrt(max(x * x + y * y + z * z, 1e-24)), sign_of(m) * h
    return p[0] - end * Z[0] - over * x, p[1] - end * Z[1] - over * y, p[2] - end * Z[2] - over * z


@routine
def cylinder_cylinder(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 8 points."""
    h, r, R = a[13], a[12], b[12]
    px, py, pz = to_local(b, a[9], a[10], a[11])
    zx, zy, zz = turned(b, a[2], a[5], a[8])
    p, Z, c, count = (px, py, pz), (zx, zy, zz), (0.0, 0.0, b[13]), 0.0
    size = h + r + R + b[13]
    t, u = nearest_of_segments((-px, -py, -pz), Z, h, (0.0, 0.0, 1.0), b[13])
    dx, dy, dz = px + t * zx, py + t * zy, pz + t * zz - u
    s, nx, ny, nz = least_overlap(p, Z, h, r, c, R, dx, dy, dz, TIE * size, margin)
    if s < margin:
        m, least = nx * zx + ny * zy + nz * zz, 1e30
        if abs(nz) > ALIKE:
            count, least = rest_on_cap(b, a, (0.0, 0.0, sign_of(nz)), -1.0, margin, found)
        elif abs(m) > ALIKE:
            count, least = rest_on_cap(a, b, (0.0, 0.0, -sign_of(m)), 1.0, margin, found)
        elif abs(m) < SIDE and abs(nz) < SIDE:
            count, least = sides(a, b, margin, found)
            count = where(least < s - TIE * size, 0.0, count)  # of balls beyond the ends, which cylinders do not have
            least = where(least < s - TIE * size, 1e30, least)
        if least > s + TIE * size:
            x, y, z = rim_of(p, Z, h, r, (nx, ny, nz))
            if abs(m) < SIDE or abs(m) > ALIKE:
                over = R / max(sqrt(nx * nx + ny * ny), TIE)
                x, y, z = over * nx + s * nx, over * ny + s * ny, sign_of(nz) * b[13] + s * nz
            x, y, z = brought_back(p, Z, h, r, c, R, x, y, z, (nx, ny, nz), s, size)
            count = add_over(b, x, y, z, (nx, ny, nz), s, -1.0, margin, found, count, NEAREST)
    return count
