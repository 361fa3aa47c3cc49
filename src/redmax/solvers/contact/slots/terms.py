"""What slots say at velocities V, and what Newton's method takes of it, in one pass over them (compare solvers/contact/terms.py).

With K = R' r D R of a contact at r from the origin of its tree, u = R (v + omega x r) and F = R' f, a body's terms are

    w += (r x F; F),   I += ([r] K [r]'  [r] K;  .  K)
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slots.columns import (
    ARM,
    AXES,
    CARRIED,
    DU,
    EASE,
    FRICTION,
    HELD,
    IMPULSE,
    JV,
    MASS,
    OFFSET,
    SHARE,
    SLACK,
    SOFT,
    STATE,
    STIFF,
    Y,
)
from redmax.solvers.contact.slots.cone import mantle, on_cone, state_of


@routine
def moved(row: Vector, v: Vector) -> Any:
    """R (v + omega x r)."""
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    a, b, c = v[3] + (v[1] * z - v[2] * y), v[4] + (v[2] * x - v[0] * z), v[5] + (v[0] * y - v[1] * x)
    u, s, t = [row[AXES + 3 * k] * a + row[AXES + 3 * k + 1] * b + row[AXES + 3 * k + 2] * c for k in range(3)]
    return u, s, t


@routine
def push(row: Vector, w: Vector, n: Number, s: Number, t: Number) -> None:
    """w += (r x F; F), F = R' f."""
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    a, b, c = [row[AXES + i] * n + row[AXES + 3 + i] * s + row[AXES + 6 + i] * t for i in range(3)]
    w[0] += y * c - z * b
    w[1] += z * a - x * c
    w[2] += x * b - y * a
    w[3] += a
    w[4] += b
    w[5] += c


@routine
def stiffen(row: Vector, B: Vector, nn: Number, na: Number, nb: Number, aa: Number, ab: Number, bb: Number) -> None:
    """I += J' D J, the upper half of it; D in the axes of the contact."""
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    e, f, g = [nn * row[AXES + i] + na * row[AXES + 3 + i] + nb * row[AXES + 6 + i] for i in range(3)]
    h, k, m = [na * row[AXES + i] + aa * row[AXES + 3 + i] + ab * row[AXES + 6 + i] for i in range(3)]
    o, p, q = [nb * row[AXES + i] + ab * row[AXES + 3 + i] + bb * row[AXES + 6 + i] for i in range(3)]
    xx = row[AXES] * e + row[AXES + 3] * h + row[AXES + 6] * o
    xy = row[AXES] * f + row[AXES + 3] * k + row[AXES + 6] * p
    xz = row[AXES] * g + row[AXES + 3] * m + row[AXES + 6] * q
    yy = row[AXES + 1] * f + row[AXES + 4] * k + row[AXES + 7] * p
    yz = row[AXES + 1] * g + row[AXES + 4] * m + row[AXES + 7] * q
    zz = row[AXES + 2] * g + row[AXES + 5] * m + row[AXES + 8] * q
    a0, a1, a2 = y * xz - z * xy, y * yz - z * yy, y * zz - z * yz  # [r] K, row by row
    b0, b1, b2 = z * xx - x * xz, z * xy - x * yz, z * xz - x * zz
    c0, c1, c2 = x * xy - y * xx, x * yy - y * xy, x * yz - y * xz
    B[0] += y * a2 - z * a1
    B[1] += z * a0 - x * a2
    B[2] += x * a1 - y * a0
    B[3] += a0
    B[4] += a1
    B[5] += a2
    B[7] += z * b0 - x * b2
    B[8] += x * b1 - y * b0
    B[9] += b0
    B[10] += b1
    B[11] += b2
    B[14] += x * c1 - y * c0
    B[15] += c0
    B[16] += c1
    B[17] += c2
    B[21] += xx
    B[22] += xy
    B[23] += xz
    B[28] += yy
    B[29] += yz
    B[35] += zz


@routine
def stick(row: Vector, B: Vector, r: Number) -> None:
    """I += J' r J, the upper half of it: where nothing slides."""
    x, y, z = r * row[ARM], r * row[ARM + 1], r * row[ARM + 2]
    xx, yy, zz = x * row[ARM], y * row[ARM + 1], z * row[ARM + 2]
    B[0] += yy + zz
    B[1] -= x * row[ARM + 1]
    B[2] -= x * row[ARM + 2]
    B[4] -= z
    B[5] += y
    B[7] += xx + zz
    B[8] -= y * row[ARM + 2]
    B[9] += z
    B[11] -= x
    B[14] += xx + yy
    B[15] -= y
    B[16] += x
    B[21] += r
    B[28] += r
    B[35] += r


@routine
def press(C: Matrix, way: Number, B: Vector, w: Vector, first: Whole, behind: Whole, newton: Whole) -> None:
    """f of a body's slots once it has gone a way along DU, and w += J' f; newton: w += J' (f + r D J V), I += J' r D J."""
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            r = row[STIFF]
            x, y, z = row[JV] + way * row[DU], row[JV + 1] + way * row[DU + 1], row[JV + 2] + way * row[DU + 2]
            n = -r * (x + row[OFFSET] + row[SLACK])
            s, t = row[CARRIED] - r * (y + row[OFFSET + 1]), row[CARRIED + 1] - r * (z + row[OFFSET + 2])
            row[Y] = n
            row[Y + 1] = s
            row[Y + 2] = t
            square = s * s + t * t
            state = state_of(row[FRICTION], n, square)
            inside = where(state > 0.5, 1.0, 0.0)
            f, g, h = inside * n, inside * s, inside * t
            row[STATE] = state
            if some(state > 1.5):
                p, q, e, nn, na, nb, aa, ab, bb = mantle(row[FRICTION], row[SHARE], n, s, t, square, state, inside)
                f, g, h = p, q, e
                if newton > 0:
                    nn, na, nb, aa, ab, bb = r * nn, r * na, r * nb, r * aa, r * ab, r * bb
                    push(row, w, f + nn * x + na * y + nb * z, g + na * x + aa * y + ab * z, h + nb * x + ab * y + bb * z)
                    stiffen(row, B, nn, na, nb, aa, ab, bb)
                else:
                    push(row, w, f, g, h)
            elif some(state > 0.5):
                if newton > 0:
                    k = inside * r
                    push(row, w, f + k * x, g + k * y, h + k * z)
                    stick(row, B, k)
                else:
                    push(row, w, f, g, h)
            row[IMPULSE] = f
            row[IMPULSE + 1] = g
            row[IMPULSE + 2] = h
            row[JV] = x
            row[JV + 1] = y
            row[JV + 2] = z


@routine
def begin_slots(C: Matrix, v: Vector, first: Whole, behind: Whole) -> None:
    """J V of a body's slots; no step is under way."""
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            x, y, z = moved(row, v)
            row[JV] = x
            row[JV + 1] = y
            row[JV + 2] = z
            for k in range(3):
                row[DU + k] = 0.0


@routine
def ahead(C: Matrix, v: Vector, first: Whole, behind: Whole) -> Any:
    """DU = J v of a body's slots; the largest of them, and f . DU at the beginning and at the end of the way."""
    most, begin, end = 0.0, 0.0, 0.0
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            x, y, z = moved(row, v)
            row[DU] = x
            row[DU + 1] = y
            row[DU + 2] = z
            most = max(most, max(abs(x), max(abs(y), abs(z))))
            begin += row[IMPULSE] * x + row[IMPULSE + 1] * y + row[IMPULSE + 2] * z
            end += power_of(row, x, y, z, 1.0)
    return most, begin, end


@routine
def power_of(row: Vector, x: Number, y: Number, z: Number, way: Number) -> Any:
    """f . DU of a slot, with f at V + way W."""
    k = way * row[STIFF]
    n, s, t = on_cone(row[FRICTION], row[SHARE], row[Y] - k * x, row[Y + 1] - k * y, row[Y + 2] - k * z)
    return n * x + s * y + t * z


@routine
def power(C: Matrix, slots: Whole, way: Number) -> float:
    """f . DU of all slots, with f at V + way W."""
    total = 0.0
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            total += power_of(row, row[DU], row[DU + 1], row[DU + 2], way)
    return total


@routine
def residual(C: Matrix, v: Vector, exact: Number, first: Whole, behind: Whole) -> float:
    """The square of the largest |f - P_K(f - m (u + mu |v_t| n + bias + R (f - f0)))| / m of a body's slots, m the local mass.

    exact: 0 leaves |v_t| out
    """
    most = 0.0
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            mu, soft, ease = row[FRICTION], row[SOFT], row[EASE]
            n, s, t = moved(row, v)
            f, g, h = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
            n += row[OFFSET] + f * soft
            s += row[OFFSET + 1] + (g - row[CARRIED]) * soft
            t += row[OFFSET + 2] + (h - row[CARRIED + 1]) * soft
            n += exact * mu * sqrt(s * s + t * t)
            m = row[MASS]
            x, y, z = on_cone(mu, row[SHARE], f - m * n, g - m * s, h - m * t)
            x, y, z = f - x, g - y, h - z
            square = (x * x + y * y + z * z) * ease * ease
            most = max(most, square)
    return most
