"""The face of one cuboid clipped by the face of another: the corners of the parallelogram that is left, with their heights.

They are found one by one, so that each has a number that stays: corners of the incident face that lie over the reference face, crossings of
its edges with the sides of that, and corners of the reference face under it. The reference face counts as a little larger than it is:
cuboids of one size on top of each other then meet with the corners of one of them, whatever the rounding.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.placed import add_point
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole

LARGER = 1.0 + 1e-3  # the reference face
CROSSINGS = 16.0  # number of the first crossing: 4 sides of each of 4 edges


@routine
def bit(k: Whole, upper: Number) -> Any:
    """What the side of axis k adds to the number of a corner."""
    return where(upper > 0.0, where(k == 0, 1.0, where(k == 1, 2.0, 4.0)), 0.0)


@routine
def incident_face(inc: Vector, nx: Number, ny: Number, nz: Number) -> Any:
    """The axis of the face that looks most against n, and its side."""
    m = [nx * inc[k] + ny * inc[3 + k] + nz * inc[6 + k] for k in range(3)]
    k = where(abs(m[1]) > abs(m[0]) + 1e-6, 1.0, 0.0)
    best = where(k > 0.0, m[1], m[0])
    k = where(abs(m[2]) > abs(best) + 1e-6, 2.0, k)
    best = where(k > 1.0, m[2], best)
    return k, -sign_of(best)


@routine
def in_face(face: Number, dx: Number, dy: Number, dz: Number) -> Any:
    """A direction along the two sides of a face, and along its normal."""
    ux, uy, uz, vx, vy, vz, nx, ny, nz = face
    return ux * dx + uy * dy + uz * dz, vx * dx + vy * dy + vz * dz, nx * dx + ny * dy + nz * dz


@routine
def side_of(inc: Vector, k: Whole, h: Number, face: Number) -> Any:
    """h times axis k of a cuboid, along a face."""
    return in_face(face, h * inc[k], h * inc[3 + k], h * inc[6 + k])


@routine
def add_clipped(
    ref: Vector, axes: Number, out: Number, flip: Number, u: Number, v: Number, w: Number, margin: Number, found: Matrix, count: Number,
    feature: Number,
) -> Any:  # fmt: skip
    """A point w above the face of axis i, at u and v along axes j and k; flip: -1, where the normal from a to b looks into the face."""
    i, j, k = axes
    z = out * (ref[12 + i] + 0.5 * w)
    px = ref[9] + z * ref[i] + u * ref[j] + v * ref[k]
    py = ref[10] + z * ref[3 + i] + u * ref[3 + j] + v * ref[3 + k]
    pz = ref[11] + z * ref[6 + i] + u * ref[6 + j] + v * ref[6 + k]
    turn = flip * out
    return add_point(found, count, margin, px, py, pz, turn * ref[i], turn * ref[3 + i], turn * ref[6 + i], w, feature)


@routine
def slab(x: Number, dx: Number, h: Number) -> Any:
    """Where a line is within [-h, h]."""
    over = 1.0 / where(abs(dx) > 1e-15, dx, 1e-15)
    one, two = (-h - x) * over, (h - x) * over
    return min(one, two), max(one, two)


@routine
def crossings(
    ref: Vector, axes: Number, out: Number, flip: Number, hu: Number, hv: Number, C: Number, P: Number, Q: Number, margin: Number,
    found: Matrix, before: Number, nearest: Number,
) -> Any:  # fmt: skip
    """Where edges of the incident face C + s P + t Q enter and leave the reference face."""
    count, least = before, nearest
    for m in range(4):
        s, t, step = (1.0, -1.0, -1.0, 1.0)[m], (1.0, 1.0, -1.0, -1.0)[m], (-2.0, -2.0, 2.0, 2.0)[m]
        u, v, w = C[0] + s * P[0] + t * Q[0], C[1] + s * P[1] + t * Q[1], C[2] + s * P[2] + t * Q[2]
        eu, ev, ew = step * (P, Q, P, Q)[m][0], step * (P, Q, P, Q)[m][1], step * (P, Q, P, Q)[m][2]
        first, last = slab(u, eu, hu)
        second, final = slab(v, ev, hv)
        base = where(flip > 0.0, CROSSINGS, 2.0 * CROSSINGS) + 4.0 * float(m)
        if max(first, second) < min(last, final):
            enter = max(first, second)
            if enter > 0.0 and enter < 1.0:
                pu, pv, pw = u + enter * eu, v + enter * ev, w + enter * ew
                number = base + where(first > second, where(eu > 0.0, 0.0, 1.0), where(ev > 0.0, 2.0, 3.0))
                count = add_clipped(ref, axes, out, flip, pu, pv, pw, margin, found, count, number)
                least = min(least, pw)
            leave = min(last, final)
            if leave > 0.0 and leave < 1.0:
                pu, pv, pw = u + leave * eu, v + leave * ev, w + leave * ew
                number = base + where(last < final, where(eu > 0.0, 1.0, 0.0), where(ev > 0.0, 3.0, 2.0))
                count = add_clipped(ref, axes, out, flip, pu, pv, pw, margin, found, count, number)
                least = min(least, pw)
    return count, least


@routine
def corners_under(
    ref: Vector, axes: Number, out: Number, flip: Number, hu: Number, hv: Number, C: Number, P: Number, Q: Number, margin: Number,
    found: Matrix, before: Number, nearest: Number,
) -> Any:  # fmt: skip
    """Corners of the reference face that lie under the incident face."""
    i, j, k = axes
    count, least = before, nearest
    over = 1.0 / (P[0] * Q[1] - P[1] * Q[0])
    for m in range(4):
        s, t = (1.0, -1.0, -1.0, 1.0)[m], (1.0, 1.0, -1.0, -1.0)[m]
        u, v = s * hu - C[0], t * hv - C[1]
        along, beside = (u * Q[1] - v * Q[0]) * over, (v * P[0] - u * P[1]) * over
        if abs(along) < 1.0 and abs(beside) < 1.0:
            w = C[2] + along * P[2] + beside * Q[2]
            number = where(flip > 0.0, 8.0, 0.0) + bit(i, out) + bit(j, s) + bit(k, t)
            count = add_clipped(ref, axes, out, flip, u + C[0], v + C[1], w, margin, found, count, number)
            least = min(least, w)
    return count, least


@routine
def clip_faces(ref: Vector, inc: Vector, i: Whole, out: Number, flip: Number, margin: Number, found: Matrix) -> Any:
    """(number of points, least height), in the face of axis i of `ref` on its side `out`."""
    j, k = where(i == 2, 0, i + 1), where(i == 0, 2, i - 1)
    axes = (i, j, k)
    nx, ny, nz = out * ref[i], out * ref[3 + i], out * ref[6 + i]
    ux, uy, uz, vx, vy, vz = ref[j], ref[3 + j], ref[6 + j], ref[k], ref[3 + k], ref[6 + k]
    face = (ux, uy, uz, vx, vy, vz, nx, ny, nz)
    against, side = incident_face(inc, nx, ny, nz)
    f = whole(against)
    p, q = where(f == 2, 0, f + 1), where(f == 0, 2, f - 1)
    h = side * inc[12 + f]
    cx, cy, cz = inc[9] + h * inc[f] - ref[9], inc[10] + h * inc[3 + f] - ref[10], inc[11] + h * inc[6 + f] - ref[11]
    cu, cv, cw = in_face(face, cx, cy, cz)
    pu, pv, pw = side_of(inc, p, inc[12 + p], face)
    qu, qv, qw = side_of(inc, q, inc[12 + q], face)
    cw -= ref[12 + i]
    hu, hv = LARGER * ref[12 + j], LARGER * ref[12 + k]
    count, least, inside = 0.0, 1e30, 0.0
    for m in range(4):
        s, t = (1.0, -1.0, -1.0, 1.0)[m], (1.0, 1.0, -1.0, -1.0)[m]
        u, v, w = cu + s * pu + t * qu, cv + s * pv + t * qv, cw + s * pw + t * qw
        if abs(u) <= hu and abs(v) <= hv:
            number = where(flip > 0.0, 0.0, 8.0) + bit(f, side) + bit(p, s) + bit(q, t)  # corners of b come before those of a
            count = add_clipped(ref, axes, out, flip, u, v, w, margin, found, count, number)
            least = min(least, w)
            inside += 1.0
    if inside < 3.5:
        C, P, Q = (cu, cv, cw), (pu, pv, pw), (qu, qv, qw)
        count, least = crossings(ref, axes, out, flip, hu, hv, C, P, Q, margin, found, count, least)
        count, least = corners_under(ref, axes, out, flip, hu, hv, C, P, Q, margin, found, count, least)
    return count, least
