"""What slots say at velocities V, and what Newton's method takes of it, in one pass over them (compare solvers/contact/terms.py).

With K = R' r D R of a contact at r from the origin of its tree, u = R (v + omega x r) and F = R' f, a body's terms are

    w += (r x F; F),   I += ([r] K [r]'  [r] K;  .  K)
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, some
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
    OFFSET,
    SHARE,
    SLACK,
    SOFT,
    STATE,
    STIFF,
    Y,
)
from redmax.solvers.contact.slots.cone import on_cone, with_slopes


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
def press(C: Matrix, V: Matrix, B: Matrix, w: Matrix, body: Wholes, slots: Whole, newton: Whole) -> None:
    """f of all slots at V, and w += J' f; newton: w += J' (f + r D J V), I += J' r D J, for a step of its method."""
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            b = body[c]
            r = row[STIFF]
            x, y, z = moved(row, V[b])
            n = -r * (x + row[OFFSET] + row[SLACK])
            s, t = row[CARRIED] - r * (y + row[OFFSET + 1]), row[CARRIED + 1] - r * (z + row[OFFSET + 2])
            p, q, g, state, nn, na, nb, aa, ab, bb = with_slopes(row[FRICTION], row[SHARE], n, s, t)
            row[JV] = x
            row[JV + 1] = y
            row[JV + 2] = z
            row[Y] = n
            row[Y + 1] = s
            row[Y + 2] = t
            row[IMPULSE] = p
            row[IMPULSE + 1] = q
            row[IMPULSE + 2] = g
            row[STATE] = state
            if some(state > 0.5):
                if newton > 0:
                    nn, na, nb, aa, ab, bb = r * nn, r * na, r * nb, r * aa, r * ab, r * bb
                    push(row, w[b], p + nn * x + na * y + nb * z, q + na * x + aa * y + ab * z, g + nb * x + ab * y + bb * z)
                    stiffen(row, B[b], nn, na, nb, aa, ab, bb)
                else:
                    push(row, w[b], p, q, g)


@routine
def ahead(C: Matrix, W: Matrix, body: Wholes, slots: Whole) -> Any:
    """DU = J W; the largest of them, and f . DU at V and at V + W."""
    most, begin, end = 0.0, 0.0, 0.0
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            x, y, z = moved(row, W[body[c]])
            row[DU] = x
            row[DU + 1] = y
            row[DU + 2] = z
            most = max(most, max(abs(x), max(abs(y), abs(z))))
            begin += row[IMPULSE] * x + row[IMPULSE + 1] * y + row[IMPULSE + 2] * z
            end += power_of(row, 1.0)
    return most, begin, end


@routine
def power_of(row: Vector, way: Number) -> Any:
    """f . DU of a slot, with f at V + way W."""
    k = way * row[STIFF]
    x, y, z = row[DU], row[DU + 1], row[DU + 2]
    n, s, t = on_cone(row[FRICTION], row[SHARE], row[Y] - k * x, row[Y + 1] - k * y, row[Y + 2] - k * z)
    return n * x + s * y + t * z


@routine
def power(C: Matrix, slots: Whole, way: Number) -> float:
    """f . DU of all slots, with f at V + way W."""
    total = 0.0
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            total += power_of(row, way)
    return total


@routine
def residual(C: Matrix, W: Matrix, exact: Number, body: Wholes, slots: Whole) -> float:
    """The square of the largest |f - P_K(f - m (u + mu |v_t| n + bias + R (f - f0)))| / m, m the local mass. exact: 0 leaves |v_t| out."""
    most = 0.0
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            mu, soft, ease = row[FRICTION], row[SOFT], row[EASE]
            n, s, t = moved(row, W[body[c]])
            f, g, h = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
            n += row[OFFSET] + f * soft
            s += row[OFFSET + 1] + (g - row[CARRIED]) * soft
            t += row[OFFSET + 2] + (h - row[CARRIED + 1]) * soft
            n += exact * mu * sqrt(s * s + t * t)
            m = 1.0 / ease
            x, y, z = on_cone(mu, row[SHARE], f - m * n, g - m * s, h - m * t)
            x, y, z = f - x, g - y, h - z
            square = (x * x + y * y + z * z) * ease * ease
            most = max(most, square)
    return most
