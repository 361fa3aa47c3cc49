"""Two capsules: the balls at the nearest points of their axes (Ericson, Real-Time Collision Detection, 5.1.9).

Where they are nearly parallel, the ends of the stretch in which they lie side by side are two points that stay; the nearest point is a
third only where it is nearer than these.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.placed import SAME, add_spheres, clamp, unit_or
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector

PARALLEL = 0.05  # the square of the sine of the largest angle of capsules that may lie side by side
BEYOND = 1e-3  # of its half length, that the end of a may lie beyond that of b and still be beside it


@routine
def nearest_of_segments(dx: Number, dy: Number, dz: Number, a: Vector, b: Vector) -> Any:
    """Where on their axes two capsules are nearest, d from centre to centre: parameters in metres from the centres."""
    c = a[2] * b[2] + a[5] * b[5] + a[8] * b[8]
    along_a, along_b = a[2] * dx + a[5] * dy + a[8] * dz, b[2] * dx + b[5] * dy + b[8] * dz
    sine = 1.0 - c * c
    s = clamp(where(sine > 1e-12, (along_a - c * along_b) / max(sine, 1e-12), 0.0), -a[13], a[13])
    t = c * s - along_b
    s = where(abs(t) > b[13], clamp(c * clamp(t, -b[13], b[13]) + along_a, -a[13], a[13]), s)
    return s, clamp(c * s - along_b, -b[13], b[13])


@routine
def add_balls(
    a: Vector, s: Number, b: Vector, t: Number, ex: Number, ey: Number, ez: Number, margin: Number, found: Matrix, count: Number,
    feature: Number,
) -> Any:  # fmt: skip
    """The balls about two places of their axes."""
    px, py, pz = a[9] + s * a[2], a[10] + s * a[5], a[11] + s * a[8]
    qx, qy, qz = b[9] + t * b[2], b[10] + t * b[5], b[11] + t * b[8]
    return add_spheres(found, count, margin, px, py, pz, a[12], qx, qy, qz, b[12], ex, ey, ez, feature)


@routine
def distance_of(a: Vector, s: Number, b: Vector, t: Number, dx: Number, dy: Number, dz: Number) -> Any:
    """Of two places of the axes."""
    x, y, z = dx + t * b[2] - s * a[2], dy + t * b[5] - s * a[5], dz + t * b[8] - s * a[8]
    return sqrt(x * x + y * y + z * z)


@routine
def capsule_capsule(a: Vector, b: Vector, margin: Number, found: Matrix) -> Any:
    """Points 0, 1: ends of b beside a; 2, 3: ends of a beside b; 4: the nearest, if it is none of these."""
    dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
    kx, ky, kz = a[5] * b[8] - a[8] * b[5], a[8] * b[2] - a[2] * b[8], a[2] * b[5] - a[5] * b[2]
    square = kx * kx + ky * ky + kz * kz
    turn = where(kx * dx + ky * dy + kz * dz < 0.0, -1.0, 1.0)
    ex, ey, ez, _ = unit_or(turn * kx, turn * ky, turn * kz, a[0], a[3], a[6])
    s, t = nearest_of_segments(dx, dy, dz, a, b)
    least = distance_of(a, s, b, t, dx, dy, dz)
    count, side = 0.0, 1e30
    if square < PARALLEL and least - a[12] - b[12] < margin:
        c = a[2] * b[2] + a[5] * b[5] + a[8] * b[8]
        along_a, along_b = a[2] * dx + a[5] * dy + a[8] * dz, b[2] * dx + b[5] * dy + b[8] * dz
        over_a, over_b = a[13] * (1.0 + BEYOND), b[13] * (1.0 - BEYOND)
        for k in range(2):
            end = (2.0 * float(k) - 1.0) * b[13]
            at = along_a + c * end
            if abs(at) < over_a:
                side = min(side, distance_of(a, at, b, end, dx, dy, dz))
                count = add_balls(a, at, b, end, ex, ey, ez, margin, found, count, float(k))
        for k in range(2):
            end = (2.0 * float(k) - 1.0) * a[13]
            at = c * end - along_b
            if abs(at) < over_b:
                side = min(side, distance_of(a, end, b, at, dx, dy, dz))
                count = add_balls(a, end, b, at, ex, ey, ez, margin, found, count, 2.0 + float(k))
    if least < side - SAME * (a[12] + b[12]):
        count = add_balls(a, s, b, t, ex, ey, ez, margin, found, count, 4.0)
    return count
