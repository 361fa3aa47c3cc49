"""Two cuboids: separating axes, then a face clipped by a face, or two edges (Gottschalk 1996).

The axis with the largest separation decides. An edge axis, or a face of b, that is nearly parallel to a face's normal of a gives way to it:
the clipped face says the same, and its points stay from step to step (clip.py). In a small overlap, in which faces that rest on each other
lean as contacts give way, one that is less parallel does, too. Separated cuboids whose nearest points are no faces and no edges that cross
are met by their corners (corners.py).
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.clip import clip_faces
from redmax.contact.pairs.corners import near_corners
from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.placed import SAME, add_point
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, whole

ALIKE = 1.0 - 2e-6  # cosine of directions that are taken for one
LEANS, SHALLOW = 1.0 - 3e-4, 0.02  # the same where the overlap is less than that part of the size
TIE = 1e-6  # of the size, by which a later axis must be better
FLAT = 1e-6  # the square of the sine of edges that are parallel
EDGES = 48.0  # number of the first pair of edges


@routine
def face_axes(a: Vector, b: Vector, tie: Number) -> Any:
    """(separation, axis): the best of a's three, and of b's three."""
    dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
    first, second, i, j = -1e30, -1e30, 0.0, 0.0
    for k in range(3):
        ux, uy, uz = a[k], a[3 + k], a[6 + k]
        reach = sum([b[12 + m] * abs(ux * b[m] + uy * b[3 + m] + uz * b[6 + m]) for m in range(3)])
        s = abs(ux * dx + uy * dy + uz * dz) - a[12 + k] - reach
        i = where(s > first + tie, float(k), i)
        first = where(s > first + tie, s, first)
    for k in range(3):
        ux, uy, uz = b[k], b[3 + k], b[6 + k]
        reach = sum([a[12 + m] * abs(ux * a[m] + uy * a[3 + m] + uz * a[6 + m]) for m in range(3)])
        s = abs(ux * dx + uy * dy + uz * dz) - b[12 + k] - reach
        j = where(s > second + tie, float(k), j)
        second = where(s > second + tie, s, second)
    return first, i, second, j


@routine
def against(a: Vector, vx: Number, vy: Number, vz: Number) -> Any:
    """A direction in the axes of a; entries 3 and 4 are 0 and 1 again."""
    c = [a[k] * vx + a[3 + k] * vy + a[6 + k] * vz for k in range(3)]
    return c[0], c[1], c[2], c[0], c[1]


@routine
def edge_axes(a: Vector, b: Vector, fx: Number, fy: Number, fz: Number, tie: Number) -> Any:
    """(separation, pair of edges 0 to 8, cosine) of the best that is not nearly the direction f; and the largest of all."""
    d, f = against(a, b[9] - a[9], b[10] - a[10], b[11] - a[11]), against(a, fx, fy, fz)
    c0, c1, c2 = against(a, b[0], b[3], b[6]), against(a, b[1], b[4], b[7]), against(a, b[2], b[5], b[8])
    C, ha, hb = (c0, c1, c2, c0, c1), (a[12], a[13], a[14], a[12], a[13]), (b[12], b[13], b[14], b[12], b[13])
    best, pair, cosine, most = -1e30, 0.0, 0.0, -1e30
    for i in range(3):
        for j in range(3):
            u, v = C[j][i + 1], C[j][i + 2]
            square = u * u + v * v
            over = 1.0 / sqrt(max(square, FLAT))
            reach = ha[i + 1] * abs(v) + ha[i + 2] * abs(u) + hb[j + 1] * abs(C[j + 2][i]) + hb[j + 2] * abs(C[j + 1][i])
            s = where(square > FLAT, (abs(d[i + 2] * u - d[i + 1] * v) - reach) * over, -1e30)
            most = max(most, s)
            along = abs(f[i + 2] * u - f[i + 1] * v) * over
            s = where(along > ALIKE, -1e30, s)
            pair = where(s > best + tie, float(3 * i + j), pair)
            cosine = where(s > best + tie, along, cosine)
            best = where(s > best + tie, s, best)
    return best, pair, cosine, most


@routine
def cross_edges(a: Vector, b: Vector, pair: Number, gap: Number, margin: Number, found: Matrix) -> Any:
    """The point of two edges that cross; none if they are apart and do not pass each other."""
    i, j = whole((pair + 0.5) / 3.0), whole(pair + 0.5) - 3 * whole((pair + 0.5) / 3.0)
    ux, uy, uz, vx, vy, vz = a[i], a[3 + i], a[6 + i], b[j], b[3 + j], b[6 + j]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
    over = sign_of(nx * dx + ny * dy + nz * dz) / sqrt(max(nx * nx + ny * ny + nz * nz, FLAT))
    nx, ny, nz = nx * over, ny * over, nz * over
    px, py, pz, qx, qy, qz = a[9], a[10], a[11], b[9], b[10], b[11]
    for k in range(3):
        s = where(float(k) == float(i), 0.0, a[12 + k] * sign_of(nx * a[k] + ny * a[3 + k] + nz * a[6 + k]))
        t = where(float(k) == float(j), 0.0, b[12 + k] * sign_of(nx * b[k] + ny * b[3 + k] + nz * b[6 + k]))
        px, py, pz = px + s * a[k], py + s * a[3 + k], pz + s * a[6 + k]
        qx, qy, qz = qx - t * b[k], qy - t * b[3 + k], qz - t * b[6 + k]
    c = ux * vx + uy * vy + uz * vz
    wx, wy, wz = qx - px, qy - py, qz - pz
    along, beside = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    s = (along - c * beside) / max(1.0 - c * c, FLAT)
    t = (c * along - beside) / max(1.0 - c * c, FLAT)
    passes = where(abs(s) <= a[12 + i], where(abs(t) <= b[12 + j], 1.0, 0.0), 0.0)
    mx, my, mz = 0.5 * (px + s * ux + qx + t * vx), 0.5 * (py + s * uy + qy + t * vy), 0.5 * (pz + s * uz + qz + t * vz)
    reach = where(passes > 0.0, margin, min(margin, 0.0))
    return add_point(found, 0.0, reach, mx, my, mz, nx, ny, nz, gap, EDGES + pair)


@routine
def cuboid_cuboid(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """At most 8 points."""
    size = a[12] + a[13] + a[14] + b[12] + b[13] + b[14]
    tie = TIE * size
    first, ka, second, kb = face_axes(a, b, tie)
    count = 0.0
    most = max(first, second)
    if most < margin:
        i, j = whole(ka), whole(kb)
        alike = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j]
        same = where(abs(second + 0.5 * SHALLOW * size) < 0.5 * SHALLOW * size, LEANS, ALIKE)
        on_a = where(first + tie >= second, 1.0, where(abs(alike) > same, 1.0, 0.0))
        dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
        fx, fy, fz = where(on_a > 0.0, a[i], b[j]), where(on_a > 0.0, a[3 + i], b[3 + j]), where(on_a > 0.0, a[6 + i], b[6 + j])
        edge, pair, cosine, edges = edge_axes(a, b, fx, fy, fz, tie)
        most = max(most, edges)
        if most < margin:
            out = sign_of(fx * dx + fy * dy + fz * dz)
            least = 1e30
            crosses = where(edge > max(first, second) + tie, where(edge + 2.0 * tie > edges, 1.0, 0.0), 0.0)
            crosses = where(abs(edge + 0.5 * SHALLOW * size) < 0.5 * SHALLOW * size, where(cosine > LEANS, 0.0, crosses), crosses)
            if crosses > 0.0:
                count = cross_edges(a, b, pair, edge, margin, found)
                least = where(count > 0.0, edge, 1e30)
            elif on_a > 0.0:
                count, least = clip_faces(a, b, i, out, 1.0, margin, found)
            else:
                count, least = clip_faces(b, a, j, -out, -1.0, margin, found)
            if most > 0.0 and least > most * (1.0 + 1e-5) + SAME * size:
                count = near_corners(a, b, least, count, margin, found)
    return count
