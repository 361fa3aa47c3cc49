"""Points that planes and what is round or has corners may meet in, each in its slot, in all worlds at once.

Other pairs find theirs as in one world (dynamics/contact/detect.py), each pair into the slots that it has.
"""

from __future__ import annotations

from redmax.contact.law import MATERIAL
from redmax.dynamics.contact.detect import (
    COMPLIANCE,
    DAMPING,
    EASE_A,
    EASE_B,
    FEATURES,
    FRICTION,
    KEY,
    RESTITUTION,
    SOFTNESS,
    above,
    ease,
    margin_of,
)
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, some


@routine
def clear_slots(held: Vector, slots: Whole) -> None:
    """Nothing touches."""
    for c in range(slots):
        held[c] = 0.0


@routine
def put_above(row: Vector, a: Vector, b: Vector, px: Number, py: Number, pz: Number, margin: Number, close: Number, key: Number) -> Number:
    """A point of a surface above a plane; whether it is near enough."""
    nx, ny, nz = a[2], a[5], a[8]
    gap = nx * (px - a[9]) + ny * (py - a[10]) + nz * (pz - a[11])
    near = where(gap < margin, close, 0.0)
    if some(near > 0.5):
        half = 0.5 * gap
        x, y, z = px - half * nx, py - half * ny, pz - half * nz
        row[0] = x
        row[1] = y
        row[2] = z
        row[3] = nx
        row[4] = ny
        row[5] = nz
        row[6] = gap
        row[KEY] = key
        m = a[MATERIAL:]
        o = b[MATERIAL:]
        row[FRICTION] = sqrt(m[0] * o[0])
        row[RESTITUTION] = sqrt(m[1] * o[1])
        row[EASE_A] = 0.0
        row[EASE_B] = ease(b, row, 1.0)
        row[SOFTNESS] = min(m[2], o[2])
        row[COMPLIANCE] = m[3] + o[3]
        row[DAMPING] = max(m[4], o[4])
    return near


@routine
def slots_plane_sphere(a: Places, b: Places, number: Wholes, first: Wholes, pairs: Whole, raw: Matrix, held: Vector) -> None:
    """One point."""
    for p in range(pairs):
        margin, q = margin_of(a[p], b[p]), b[p]
        close = above(a[p], q, margin)
        if some(close > 0.5):
            r, key, c = q[12], FEATURES * float(number[p]), first[p]
            held[c] = put_above(raw[c], a[p], q, q[9] - r * a[p][2], q[10] - r * a[p][5], q[11] - r * a[p][8], margin, close, key)


@routine
def slots_plane_capsule(a: Places, b: Places, number: Wholes, first: Wholes, pairs: Whole, raw: Matrix, held: Vector) -> None:
    """Both ends."""
    for p in range(pairs):
        margin, q = margin_of(a[p], b[p]), b[p]
        close = above(a[p], q, margin)
        if some(close > 0.5):
            r, h = q[12], q[13]
            x, y, z = q[9] - r * a[p][2], q[10] - r * a[p][5], q[11] - r * a[p][8]
            for k in range(2):
                way, key, c = h * (2.0 * float(k) - 1.0), FEATURES * float(number[p]) + float(k), first[p] + k
                held[c] = put_above(raw[c], a[p], q, x + way * q[2], y + way * q[5], z + way * q[8], margin, close, key)


@routine
def slots_plane_cuboid(a: Places, b: Places, number: Wholes, first: Wholes, pairs: Whole, raw: Matrix, held: Vector) -> None:
    """The corners, by their number: 1, 2, 4 for the upper side of x, y, z."""
    for p in range(pairs):
        margin, q = margin_of(a[p], b[p]), b[p]
        close = above(a[p], q, margin)
        if some(close > 0.5):
            for k in range(2):
                for j in range(2):
                    for i in range(2):
                        s, t, u = q[12] * (2.0 * float(i) - 1.0), q[13] * (2.0 * float(j) - 1.0), q[14] * (2.0 * float(k) - 1.0)
                        x, y, z = [q[9 + m] + s * q[3 * m] + t * q[3 * m + 1] + u * q[3 * m + 2] for m in range(3)]
                        key, c = FEATURES * float(number[p]) + float(i + 2 * j + 4 * k), first[p] + i + 2 * j + 4 * k
                        held[c] = put_above(raw[c], a[p], q, x, y, z, margin, close, key)


@routine
def hold_found(counter: Vector, held: Vector, first: Whole, points: Whole) -> None:
    """Slots of a pair that has found some points."""
    for k in range(points):
        held[first + k] = where(float(k) < counter[0] - 0.5, 1.0, 0.0)
    for k in range(6):
        counter[k] = 0.0


@routine
def give_slot_laws(raw: Matrix, held: Vector, laws: Matrix, law: Wholes, slots: Whole) -> None:
    """Points of pairs that have numbers of their own, with these."""
    for c in range(slots):
        if law[c] >= 0 and some(held[c] > 0.5):
            own = laws[law[c]]
            raw[c, FRICTION] = own[0]
            raw[c, RESTITUTION] = own[1]
            raw[c, SOFTNESS] = own[2]
            raw[c, COMPLIANCE] = own[3]
            raw[c, DAMPING] = own[4]


SLOT_FINDERS = {
    ("plane", "sphere"): slots_plane_sphere,
    ("plane", "capsule"): slots_plane_capsule,
    ("plane", "cuboid"): slots_plane_cuboid,
}
