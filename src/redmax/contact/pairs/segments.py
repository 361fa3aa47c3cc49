"""Where a segment p + t Z, |t| <= h, is nearest to a cuboid or a cylinder in its axes, and which part of it lies over a face of one.

Half the square of the distance is convex in t. Its slope Z.(p - nearest point) is piecewise linear for a cuboid, so that it vanishes
between two of the places where the segment passes the planes of faces; for a cylinder Newton's method between bounds finds where.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.pairs.clip import slab
from redmax.contact.pairs.distance import sign_of
from redmax.contact.pairs.placed import clamp
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Number

WIDER = 1.0 + 1e-6  # faces, so that what lies along their border lies over them
TURNS = 40.0


@routine
def slope_from_cuboid(p: Number, Z: Number, size: Number, t: Number) -> Any:
    """Of half the square of the distance."""
    return sum([Z[k] * (p[k] + t * Z[k] - clamp(p[k] + t * Z[k], -size[k], size[k])) for k in range(3)])


@routine
def nearest_to_cuboid(p: Number, Z: Number, h: Number, size: Number) -> Any:
    """t."""
    low, high = -h, h
    below, above = slope_from_cuboid(p, Z, size, low), slope_from_cuboid(p, Z, size, high)
    if below < 0.0 and above > 0.0:
        for k in range(3):
            first, last = slab(p[k], Z[k], size[k])
            for side in range(2):
                t = clamp((first, last)[side], -h, h)
                slope = slope_from_cuboid(p, Z, size, t)
                below = where(slope <= 0.0, where(t > low, slope, below), below)
                low = where(slope <= 0.0, max(t, low), low)
                above = where(slope > 0.0, where(t < high, slope, above), above)
                high = where(slope > 0.0, min(t, high), high)
        low += (high - low) * below / min(below - above, -1e-30)
    return where(above <= 0.0, high, low)


@routine
def slope_from_cylinder(p: Number, Z: Number, r: Number, h: Number, t: Number) -> Any:
    """Of half the square of the distance, and its slope."""
    x, y, z = p[0] + t * Z[0], p[1] + t * Z[1], p[2] + t * Z[2]
    around = sqrt(x * x + y * y)
    inside, within = where(around > r, r / max(around, 1e-30), 1.0), where(abs(z) > h, 1.0, 0.0)
    flat, turn = Z[0] * x + Z[1] * y, Z[0] * y - Z[1] * x
    bend = where(around > r, turn * turn * r / max(around * around * around, 1e-30), 0.0)
    slope = flat * (1.0 - inside) + within * Z[2] * (z - sign_of(z) * h)
    rate = (Z[0] * Z[0] + Z[1] * Z[1]) * (1.0 - inside) + where(around > r, (Z[0] * Z[0] + Z[1] * Z[1]) * inside - bend, 0.0)
    return slope, rate + within * Z[2] * Z[2]


@routine
def nearest_to_cylinder(p: Number, Z: Number, length: Number, r: Number, h: Number) -> Any:
    """t."""
    low, high = -length, length
    flat = Z[0] * Z[0] + Z[1] * Z[1]
    t = clamp(where(flat > 1e-12, -(p[0] * Z[0] + p[1] * Z[1]) / max(flat, 1e-12), -p[2] * Z[2]), low, high)
    turns = 0.0
    while turns < TURNS:
        turns += 1.0
        slope, rate = slope_from_cylinder(p, Z, r, h, t)
        low, high = where(slope <= 0.0, t, low), where(slope >= 0.0, t, high)
        after = t - slope / max(rate, 1e-12)
        after = where(after < low, 0.5 * (low + t), where(after > high, 0.5 * (high + t), after))
        turns = where(abs(after - t) < 1e-14 * length, TURNS, turns)
        t = after
    return t


@routine
def over_rectangle(p: Number, Z: Number, length: Number, size: Number, n: Number) -> Any:
    """(first, last) t where the segment lies over the face of a cuboid that looks most along n; first > last: nowhere."""
    most = max(abs(n[0]), abs(n[1]))
    most = max(most, abs(n[2]))
    low, high, taken = -length, length, 0.0
    for k in range(3):
        face = where(abs(n[k]) >= most, 1.0 - taken, 0.0)
        taken += face
        first, last = slab(p[k], Z[k], WIDER * size[k])
        low, high = max(low, where(face > 0.0, -1e30, first)), min(high, where(face > 0.0, 1e30, last))
    return low, high


@routine
def over_disc(x: Number, y: Number, dx: Number, dy: Number, r: Number) -> Any:
    """(first, last) t where (x, y) + t d lies in a disc."""
    a, b, c = dx * dx + dy * dy, x * dx + y * dy, x * x + y * y - r * r
    root = b * b - a * c
    width = sqrt(max(root, 0.0)) / max(a, 1e-24)
    middle = -b / max(a, 1e-24)
    missed = where(a > 1e-24, where(root < 0.0, 1.0, 0.0), where(c > 0.0, 1.0, 0.0))
    width = where(a > 1e-24, width, 1e30)
    return where(missed > 0.0, 1e30, middle - width), where(missed > 0.0, -1e30, middle + width)


@routine
def over_cylinder(p: Number, Z: Number, length: Number, r: Number, h: Number, n: Number) -> Any:
    """(first, last) t where the segment lies over a cap of a cylinder, or beside it: whichever n looks along more."""
    first, last = over_disc(p[0], p[1], Z[0], Z[1], WIDER * r)
    second, final = slab(p[2], Z[2], WIDER * h)
    cap = abs(n[2]) > 0.7071
    return max(where(cap, first, second), -length), min(where(cap, last, final), length)
