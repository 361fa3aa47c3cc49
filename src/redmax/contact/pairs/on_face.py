"""Points where a cylinder touches a flat face: the rectangle of a cuboid, or the cap of a cylinder.

All is in the axes of the shape with the face; n is plus or minus one of them, and the face lies at `up` along it.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.placed import add_point, to_world
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

TWO = 1e-3  # of the size of the face: how far apart the ends of a line are at least, to be two points


@routine
def add_over(
    ref: Vector, x: Number, y: Number, z: Number, n: Number, w: Number, flip: Number, margin: Number, found: Matrix, count: Number,
    feature: Number,
) -> Any:  # fmt: skip
    """A point at height w over a face with normal n, in the axes of the shape; flip: -1 where the shape is b."""
    half = 0.5 * w
    px, py, pz = to_world(ref, x - half * n[0], y - half * n[1], z - half * n[2])
    nx, ny, nz = to_world(ref, flip * n[0], flip * n[1], flip * n[2])
    return add_point(found, count, margin, px + ref[9], py + ref[10], pz + ref[11], nx, ny, nz, w, feature)


@routine
def lowest_line(p: Number, Z: Number, r: Number, n: Number) -> Any:
    """The middle of the line of a cylinder's side that lies lowest against n."""
    m = n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]
    x, y, z = n[0] - m * Z[0], n[1] - m * Z[1], n[2] - m * Z[2]
    over = r / sqrt(max(x * x + y * y + z * z, 1e-24))
    return p[0] - over * x, p[1] - over * y, p[2] - over * z


@routine
def add_line(
    ref: Vector, q: Number, Z: Number, low: Number, high: Number, n: Number, up: Number, flip: Number, margin: Number, found: Matrix
) -> Any:
    """(number of points, least height): the ends of a part of a line, points 32 and 33."""
    count, least = 0.0, 1e30
    if low <= high:
        x, y, z = q[0] + low * Z[0], q[1] + low * Z[1], q[2] + low * Z[2]
        w = n[0] * x + n[1] * y + n[2] * z - up
        count = add_over(ref, x, y, z, n, w, flip, margin, found, count, 32.0)
        least = w
        if high - low > TWO * ref[12]:
            x, y, z = q[0] + high * Z[0], q[1] + high * Z[1], q[2] + high * Z[2]
            w = n[0] * x + n[1] * y + n[2] * z - up
            count = add_over(ref, x, y, z, n, w, flip, margin, found, count, 33.0)
            least = min(least, w)
    return count, least


@routine
def add_under(
    ref: Vector, x: Number, y: Number, z: Number, cap: Number, Z: Number, n: Number, flip: Number, margin: Number, found: Matrix,
    count: Number, least: Number, feature: Number,
) -> Any:  # fmt: skip
    """(count, least): the point of a cap above a point of the face."""
    m = n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]
    w = ((cap[0] - x) * Z[0] + (cap[1] - y) * Z[1] + (cap[2] - z) * Z[2]) / where(abs(m) > 0.1, m, 1.0)
    after = add_over(ref, x + w * n[0], y + w * n[1], z + w * n[2], n, w, flip, margin, found, count, feature)
    return after, min(least, w)


@routine
def lower_cap(p: Number, Z: Number, h: Number, n: Number) -> Any:
    """Its middle, and the number of the first of its points."""
    end = -sign_of(n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]) * h
    return p[0] + end * Z[0], p[1] + end * Z[1], p[2] + end * Z[2], where(end < 0.0, 0.0, 4.0)
