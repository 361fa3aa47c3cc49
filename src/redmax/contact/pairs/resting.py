"""A cylinder on a flat face, the rectangle of a cuboid or the cap of a cylinder: the points where it rests.

One that stands has four points of its rim that are fixed in it, the places where its rim crosses the border of the face, and points of that
border that lie under it. One that lies or leans has the ends of its lowest line, as far as the face goes. The face counts as a little
larger than it is, so that what ends at its border stays on it.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.clip import LARGER
from redmax.contact.pairs.on_face import add_line, add_over, add_under, lower_cap, lowest_line
from redmax.contact.pairs.placed import to_local, turned
from redmax.contact.pairs.segments import WIDER, over_disc, over_rectangle
from redmax.math import sqrt
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

STANDS = 0.995  # cosine of how far a cylinder may lean and stand
GRAZES = 2.5e-3  # the square of half the chord that a border cuts off a disc, of its radius: less is nothing
INSIDE = 2.0 - LARGER  # of a disc, that has the border of another within it


@routine
def stand_on_disc(
    ref: Vector, cap: Number, first: Number, X: Number, Y: Number, Z: Number, r: Number, n: Number, flip: Number, margin: Number,
    found: Matrix,
) -> Any:  # fmt: skip
    """(number of points, least height) on the cap of a cylinder. 8 to 11: points of its own rim; 16, 17: where the rims cross."""
    R, up = ref[12], ref[13]
    count, least, inside = 0.0, 1e30, 0.0
    for k in range(4):
        s, t = (r, 0.0, -r, 0.0)[k], (0.0, r, 0.0, -r)[k]
        x, y, z = cap[0] + s * X[0] + t * Y[0], cap[1] + s * X[1] + t * Y[1], cap[2] + s * X[2] + t * Y[2]
        if x * x + y * y <= LARGER * LARGER * R * R:
            w = n[2] * z - up
            count = add_over(ref, x, y, z, n, w, flip, margin, found, count, first + float(k))
            least = min(least, w)
            inside += 1.0
    if inside < 3.5:
        square = cap[0] * cap[0] + cap[1] * cap[1]
        along = 0.5 * (square + R * R - r * r) / max(square, 1e-24)
        across = R * R / max(square, 1e-24) - along * along
        if across * square > GRAZES * r * r:
            beside = sqrt(across)
            x, y = along * cap[0] - beside * cap[1], along * cap[1] + beside * cap[0]
            count, least = add_under(ref, x, y, n[2] * up, cap, Z, n, flip, margin, found, count, least, 16.0)
            x, y = along * cap[0] + beside * cap[1], along * cap[1] - beside * cap[0]
            count, least = add_under(ref, x, y, n[2] * up, cap, Z, n, flip, margin, found, count, least, 17.0)
        for k in range(4):
            x, y = (R, 0.0, -R, 0.0)[k], (0.0, R, 0.0, -R)[k]
            if (x - cap[0]) * (x - cap[0]) + (y - cap[1]) * (y - cap[1]) < INSIDE * INSIDE * r * r:
                number = 8.0 + float(k)
                count, least = add_under(ref, x, y, n[2] * up, cap, Z, n, flip, margin, found, count, least, number)
    return count, least


@routine
def stand_on_rectangle(
    ref: Vector, cap: Number, first: Number, X: Number, Y: Number, Z: Number, r: Number, n: Number, flip: Number, margin: Number,
    found: Matrix,
) -> Any:  # fmt: skip
    """(number of points, least height) on the face of a cuboid. 8 to 11: its corners; 16 to 23: where the rim crosses its sides."""
    U, V = (abs(n[2]), abs(n[0]), abs(n[1])), (abs(n[1]), abs(n[2]), abs(n[0]))
    hu, hv = U[0] * ref[12] + U[1] * ref[13] + U[2] * ref[14], V[0] * ref[12] + V[1] * ref[13] + V[2] * ref[14]
    up = abs(n[0]) * ref[12] + abs(n[1]) * ref[13] + abs(n[2]) * ref[14]
    cu, cv = U[0] * cap[0] + U[1] * cap[1] + U[2] * cap[2], V[0] * cap[0] + V[1] * cap[1] + V[2] * cap[2]
    fx, fy, fz = n[0] * up, n[1] * up, n[2] * up
    count, least, inside = 0.0, 1e30, 0.0
    for k in range(4):
        s, t = (r, 0.0, -r, 0.0)[k], (0.0, r, 0.0, -r)[k]
        x, y, z = cap[0] + s * X[0] + t * Y[0], cap[1] + s * X[1] + t * Y[1], cap[2] + s * X[2] + t * Y[2]
        u, v = U[0] * x + U[1] * y + U[2] * z, V[0] * x + V[1] * y + V[2] * z
        if abs(u) <= LARGER * hu and abs(v) <= LARGER * hv:
            w = n[0] * x + n[1] * y + n[2] * z - up
            count = add_over(ref, x, y, z, n, w, flip, margin, found, count, first + float(k))
            least = min(least, w)
            inside += 1.0
    if inside < 3.5:
        for k in range(4):
            out = (hu, hv, -hu, -hv)[k] - (cu, cv, cu, cv)[k]
            root = r * r - out * out
            if root > GRAZES * r * r:
                for m in range(2):
                    v = (cv, cu, cv, cu)[k] + (1.0, -1.0)[m] * sqrt(root)
                    if abs(v) < (hv, hu, hv, hu)[k]:
                        u = (hu, hv, -hu, -hv)[k]
                        x = fx + (U, V, U, V)[k][0] * u + (V, U, V, U)[k][0] * v
                        y = fy + (U, V, U, V)[k][1] * u + (V, U, V, U)[k][1] * v
                        z = fz + (U, V, U, V)[k][2] * u + (V, U, V, U)[k][2] * v
                        number = 16.0 + float(2 * k + m)
                        count, least = add_under(ref, x, y, z, cap, Z, n, flip, margin, found, count, least, number)
        for k in range(4):
            u, v = (hu, -hu, -hu, hu)[k], (hv, hv, -hv, -hv)[k]
            if (u - cu) * (u - cu) + (v - cv) * (v - cv) < INSIDE * INSIDE * r * r:
                x, y, z = fx + u * U[0] + v * V[0], fy + u * U[1] + v * V[1], fz + u * U[2] + v * V[2]
                count, least = add_under(ref, x, y, z, cap, Z, n, flip, margin, found, count, least, 8.0 + float(k))
    return count, least


@routine
def axes_in(ref: Vector, inc: Vector) -> Any:
    """The centre and the three axes of a shape, in the axes of another."""
    px, py, pz = to_local(ref, inc[9], inc[10], inc[11])
    xx, xy, xz = turned(ref, inc[0], inc[3], inc[6])
    yx, yy, yz = turned(ref, inc[1], inc[4], inc[7])
    zx, zy, zz = turned(ref, inc[2], inc[5], inc[8])
    return (px, py, pz), (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@routine
def rest_on_cap(ref: Vector, inc: Vector, n: Number, flip: Number, margin: Number, found: Matrix) -> Any:
    """(number of points, least height) of a cylinder on the cap of another that looks along n."""
    p, X, Y, Z = axes_in(ref, inc)
    r, h, count, least = inc[12], inc[13], 0.0, 1e30
    if abs(Z[2]) > STANDS:
        cx, cy, cz, first = lower_cap(p, Z, h, n)
        count, least = stand_on_disc(ref, (cx, cy, cz), first, X, Y, Z, r, n, flip, margin, found)
    else:
        x, y, z = lowest_line(p, Z, r, n)
        low, high = over_disc(x, y, Z[0], Z[1], WIDER * ref[12])
        count, least = add_line(ref, (x, y, z), Z, max(low, -h), min(high, h), n, ref[13], flip, margin, found)
    return count, least


@routine
def rest_on_face(ref: Vector, inc: Vector, n: Number, flip: Number, margin: Number, found: Matrix) -> Any:
    """(number of points, least height) of a cylinder on the face of a cuboid that looks along n."""
    p, X, Y, Z = axes_in(ref, inc)
    r, h, count, least = inc[12], inc[13], 0.0, 1e30
    if abs(n[0] * Z[0] + n[1] * Z[1] + n[2] * Z[2]) > STANDS:
        cx, cy, cz, first = lower_cap(p, Z, h, n)
        count, least = stand_on_rectangle(ref, (cx, cy, cz), first, X, Y, Z, r, n, flip, margin, found)
    else:
        x, y, z = lowest_line(p, Z, r, n)
        up = abs(n[0]) * ref[12] + abs(n[1]) * ref[13] + abs(n[2]) * ref[14]
        low, high = over_rectangle((x, y, z), Z, h, (ref[12], ref[13], ref[14]), n)
        count, least = add_line(ref, (x, y, z), Z, low, high, n, up, flip, margin, found)
    return count, least
