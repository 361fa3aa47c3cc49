"""Two rods: the balls at the nearest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9).

Where they are nearly parallel, the ends of the stretch in which they lie side by side are two points that stay; the nearest point is a
third only where it is nearer than these. A rod is (middle, unit vector, half length, radius).
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.placed import SAME, add_spheres, clamp, unit_or
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number

PARALLEL = 0.05  # the square of the sine of the largest angle of rods that may lie side by side
BEYOND = 1e-3  # of its half length, that the end of b may lie beyond that of a and still be beside it


@routine
def nearest_of_segments(d: Number, U: Number, h: Number, V: Number, k: Number) -> Any:
    """Where on two segments they are nearest, d from middle to middle: in metres from the middles."""
    c = U[0] * V[0] + U[1] * V[1] + U[2] * V[2]
    along, beside = U[0] * d[0] + U[1] * d[1] + U[2] * d[2], V[0] * d[0] + V[1] * d[1] + V[2] * d[2]
    sine = 1.0 - c * c
    s = clamp(where(sine > 1e-12, (along - c * beside) / max(sine, 1e-12), 0.0), -h, h)
    t = c * s - beside
    s = where(abs(t) > k, clamp(c * clamp(t, -k, k) + along, -h, h), s)
    return s, clamp(c * s - beside, -k, k)


@routine
def distance_of(d: Number, U: Number, s: Number, V: Number, t: Number) -> Any:
    """Of two places on segments."""
    x, y, z = d[0] + t * V[0] - s * U[0], d[1] + t * V[1] - s * U[1], d[2] + t * V[2] - s * U[2]
    return sqrt(x * x + y * y + z * z)


@routine
def add_balls(
    P: Number, U: Number, s: Number, r: Number, Q: Number, V: Number, t: Number, q: Number, e: Number, margin: Number, found: Matrix,
    count: Number, feature: Number,
) -> Any:  # fmt: skip
    """The balls about two places; e: the normal where they are one."""
    px, py, pz = P[0] + s * U[0], P[1] + s * U[1], P[2] + s * U[2]
    qx, qy, qz = Q[0] + t * V[0], Q[1] + t * V[1], Q[2] + t * V[2]
    return add_spheres(found, count, margin, px, py, pz, r, qx, qy, qz, q, e[0], e[1], e[2], feature)


@routine
def rods(
    P: Number, U: Number, h: Number, r: Number, Q: Number, V: Number, k: Number, q: Number, aside: Number, margin: Number, found: Matrix
) -> Any:
    """(number of points, least gap). Points 0, 1: ends of b beside a; 2, 3: ends of a beside b; 4: the nearest, if it is none of these.

    aside: the normal of parallel rods whose axes meet
    """
    dx, dy, dz = Q[0] - P[0], Q[1] - P[1], Q[2] - P[2]
    d = (dx, dy, dz)
    kx, ky, kz = U[1] * V[2] - U[2] * V[1], U[2] * V[0] - U[0] * V[2], U[0] * V[1] - U[1] * V[0]
    turn = where(kx * dx + ky * dy + kz * dz < 0.0, -1.0, 1.0)
    ex, ey, ez, _ = unit_or(turn * kx, turn * ky, turn * kz, aside[0], aside[1], aside[2])
    s, t = nearest_of_segments(d, U, h, V, k)
    least = distance_of(d, U, s, V, t)
    count, side = 0.0, 1e30
    if kx * kx + ky * ky + kz * kz < PARALLEL and least - r - q < margin:
        c = U[0] * V[0] + U[1] * V[1] + U[2] * V[2]
        along, beside = U[0] * dx + U[1] * dy + U[2] * dz, V[0] * dx + V[1] * dy + V[2] * dz
        for m in range(2):
            end = (-k, k)[m]
            at = along + c * end
            if abs(at) < h * (1.0 + BEYOND):
                side = min(side, distance_of(d, U, at, V, end))
                count = add_balls(P, U, at, r, Q, V, end, q, (ex, ey, ez), margin, found, count, float(m))
        for m in range(2):
            end = (-h, h)[m]
            at = c * end - beside
            if abs(at) < k * (1.0 - BEYOND):
                side = min(side, distance_of(d, U, end, V, at))
                count = add_balls(P, U, end, r, Q, V, at, q, (ex, ey, ez), margin, found, count, 2.0 + float(m))
    if least < side - SAME * (r + q):
        count = add_balls(P, U, s, r, Q, V, t, q, (ex, ey, ez), margin, found, count, 4.0)
    return count, least - r - q
