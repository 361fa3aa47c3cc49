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
    ACROSS,
    ALONG,
    ARM,
    AXES,
    CARRIED,
    DU,
    EASE,
    ENDED,
    FRICTION,
    HELD,
    IMPULSE,
    JV,
    MADE,
    MASS,
    OFFSET,
    SHARE,
    SLACK,
    SLID,
    SOFT,
    STATE,
    STIFF,
    STUCK,
    Y,
)
from redmax.solvers.contact.slots.cone import on_cone, state_of


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
def add_squares(B: Vector, r: Number, x: Number, y: Number, z: Number, a: Number, b: Number, c: Number) -> None:
    """I += r (x y z a b c) (x y z a b c)', the upper half of it."""
    p, q, s, t, u, v = r * x, r * y, r * z, r * a, r * b, r * c
    B[0] += p * x
    B[1] += p * y
    B[2] += p * z
    B[3] += p * a
    B[4] += p * b
    B[5] += p * c
    B[7] += q * y
    B[8] += q * z
    B[9] += q * a
    B[10] += q * b
    B[11] += q * c
    B[14] += s * z
    B[15] += s * a
    B[16] += s * b
    B[17] += s * c
    B[21] += t * a
    B[22] += t * b
    B[23] += t * c
    B[28] += u * b
    B[29] += u * c
    B[35] += v * c


@routine
def slide(row: Vector, B: Vector, m: Number, k: Number, c: Number, s: Number) -> None:
    """I += J' (m g g' + k e e') J of what slides along (c, s): g = (1, mu c, mu s), e = (0, -s, c)."""
    mu = row[FRICTION]
    x, y, z = row[ARM], row[ARM + 1], row[ARM + 2]
    d, e, f = [c * row[AXES + 3 + i] + s * row[AXES + 6 + i] for i in range(3)]
    a, b, g = row[AXES] + mu * d, row[AXES + 1] + mu * e, row[AXES + 2] + mu * f
    add_squares(B, m, y * g - z * b, z * a - x * g, x * b - y * a, a, b, g)
    a, b, g = [c * row[AXES + 6 + i] - s * row[AXES + 3 + i] for i in range(3)]
    add_squares(B, k, y * g - z * b, z * a - x * g, x * b - y * a, a, b, g)


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
def project(row: Vector, way: Number) -> Any:
    """f of a slot that has gone a way along DU; returns f, its state, and the square of the tangential part of y."""
    r = row[STIFF]
    x, y, z = row[JV] + way * row[DU], row[JV + 1] + way * row[DU + 1], row[JV + 2] + way * row[DU + 2]
    n = -r * (x + row[OFFSET] + row[SLACK])
    s, t = row[CARRIED] - r * (y + row[OFFSET + 1]), row[CARRIED + 1] - r * (z + row[OFFSET + 2])
    row[JV] = x
    row[JV + 1] = y
    row[JV + 2] = z
    row[Y] = n
    row[Y + 1] = s
    row[Y + 2] = t
    square = s * s + t * t
    return n, s, t, square, state_of(row[FRICTION], n, square)


@routine
def press(C: Matrix, way: Number, B: Vector, w: Vector, first: Whole, behind: Whole) -> None:
    """A body's slots once it has gone a way along DU: w += J' (f + r D J V), I += J' r D J."""
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            n, s, t, square, state = project(row, way)
            r, mu = row[STIFF], row[FRICTION]
            x, y, z = row[JV], row[JV + 1], row[JV + 2]
            stuck = where(state > 0.5, where(state > 1.5, 0.0, 1.0), 0.0)
            k = stuck * r
            f, g, h = stuck * n, stuck * s, stuck * t
            p, q, o = f + k * x, g + k * y, h + k * z
            m, e = 0.0 * r, 0.0 * r
            if some(state > 1.5):
                over, a, b, push_n = on_mantle(row, n, s, t, square, state)
                along = mu * push_n
                f += push_n
                g += along * a
                h += along * b
                m, e = where(state > 1.5, r * row[SHARE], 0.0), r * along * over
                u, v = m * (x + mu * (a * y + b * z)), e * (a * z - b * y)
                p += push_n + u
                q += along * a + mu * a * u - b * v
                o += along * b + mu * b * u + a * v
                slide(row, B, m, e, a, b)
                row[ALONG] = a
                row[ALONG + 1] = b
            if some(stuck > 0.5):
                stick(row, B, k)
            if some(state > 0.5):
                push(row, w, p, q, o)
            row[STATE] = state
            row[IMPULSE] = f
            row[IMPULSE + 1] = g
            row[IMPULSE + 2] = h
            row[STUCK] = k
            row[SLID] = m
            row[ACROSS] = e


@routine
def on_mantle(row: Vector, n: Number, s: Number, t: Number, square: Number, state: Number) -> Any:
    """Where a slot slides: 1 / |y_t|, y_t / |y_t|, and the normal part of f; elsewhere numbers, and 0."""
    size = sqrt(where(state > 1.5, square, 1.0))
    over = 1.0 / size
    return over, s * over, t * over, where(state > 1.5, row[SHARE] * (n + row[FRICTION] * size), 0.0)


@routine
def end_problem(C: Matrix, way: Number, first: Whole, behind: Whole) -> Any:
    """f of a body's slots where a convex problem ended, and what slacks should be then; how far the farthest is from that."""
    most = 0.0
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            n, s, t, square, state = project(row, way)
            stuck, mu = where(state > 0.5, where(state > 1.5, 0.0, 1.0), 0.0), row[FRICTION]
            f, g, h = stuck * n, stuck * s, stuck * t
            if some(state > 1.5):
                _, a, b, push_n = on_mantle(row, n, s, t, square, state)
                f += push_n
                g += mu * push_n * a
                h += mu * push_n * b
            row[STATE] = state
            row[IMPULSE] = f
            row[IMPULSE + 1] = g
            row[IMPULSE + 2] = h
            a, b = g - s, h - t
            made = mu * sqrt(a * a + b * b) * row[SOFT]
            row[MADE] = made
            most = max(most, abs(made - row[SLACK]))
    return most


@routine
def impel(C: Matrix, w: Vector, first: Whole, behind: Whole) -> None:
    """w += J' f of a body's slots."""
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            on = where(row[STATE] > 0.5, 1.0, 0.0)
            if some(on > 0.0):
                push(row, w, on * row[IMPULSE], on * row[IMPULSE + 1], on * row[IMPULSE + 2])


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
    """DU = J v of a body's slots; the largest of them, f . DU at the beginning, DU . r D DU there, and f . DU at the end of the way."""
    most, work, curve, after = 0.0, 0.0, 0.0, 0.0
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            x, y, z = moved(row, v)
            row[DU] = x
            row[DU + 1] = y
            row[DU + 2] = z
            wide = max(abs(y), abs(z))
            high = max(abs(x), wide)
            most = max(most, high)
            work += row[IMPULSE] * x + row[IMPULSE + 1] * y + row[IMPULSE + 2] * z
            curve += row[STUCK] * (x * x + y * y + z * z)
            if some(row[SLID] > 0.0):
                a, b = row[ALONG], row[ALONG + 1]
                g, e = x + row[FRICTION] * (a * y + b * z), a * z - b * y
                curve += where(row[SLID] > 0.0, row[SLID] * g * g + row[ACROSS] * e * e, 0.0)
            after += power_of(row, x, y, z, 1.0)
    return most, work, curve, after


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
            mu, soft, ease, m = row[FRICTION], row[SOFT], row[EASE], row[MASS]
            n, s, t = moved(row, v)
            row[ENDED] = n
            row[ENDED + 1] = s
            row[ENDED + 2] = t
            f, g, h = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
            n += row[OFFSET] + f * soft
            s += row[OFFSET + 1] + (g - row[CARRIED]) * soft
            t += row[OFFSET + 2] + (h - row[CARRIED + 1]) * soft
            n += exact * mu * sqrt(s * s + t * t)
            x, y, z = on_cone(mu, row[SHARE], f - m * n, g - m * s, h - m * t)
            x, y, z = f - x, g - y, h - z
            square = (x * x + y * y + z * z) * ease * ease
            most = max(most, square)
    return most
