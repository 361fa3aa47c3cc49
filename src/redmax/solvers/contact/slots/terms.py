"""What slots say at velocities V, and what Newton's method takes of it, body by body (compare solvers/contact/terms.py)."""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slots.columns import (
    ACROSS,
    ACTIVE,
    AHEAD,
    ALONG,
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
from redmax.solvers.contact.slots.cone import larger, on_cone, state_of
from redmax.solvers.contact.slots.points import add_stiffness, moved, push


@routine
def mark(C: Matrix, slots: Whole, going: Number) -> None:
    """Which slots are held in worlds that go on: nothing else is looked at."""
    for c in range(slots):
        C[c, ACTIVE] = where(going > 0.0, C[c, HELD], 0.0)


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
        if some(row[ACTIVE] > 0.5):
            n, s, t, square, state = project(row, way)
            r, mu = row[STIFF], row[FRICTION]
            x, y, z = row[JV], row[JV + 1], row[JV + 2]
            stuck = where(state > 0.5, where(state > 1.5, 0.0, 1.0), 0.0)
            k = stuck * r
            f, g, h = stuck * n, stuck * s, stuck * t
            p, q, o = f + k * x, g + k * y, h + k * z
            m, e, a, b = 0.0 * r, 0.0 * r, 0.0 * r, 0.0 * r
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
                row[ALONG] = a
                row[ALONG + 1] = b
            if some(state > 0.5):
                add_stiffness(row, B, m, e, a, b, k)
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
def foresee(row: Vector, x: Number, y: Number, z: Number, way: Number, on: Number) -> Any:
    """What is AHEAD of a slot a way along DU = (x, y, z), in worlds that are `on`; returns f, and how far off its slack is there."""
    k, mu = way * row[STIFF], row[FRICTION]
    n, s, t = row[Y] - k * x, row[Y + 1] - k * y, row[Y + 2] - k * z
    square = s * s + t * t
    state = state_of(mu, n, square)
    stuck = where(state > 0.5, where(state > 1.5, 0.0, 1.0), 0.0)
    f, g, h, made = stuck * n, stuck * s, stuck * t, 0.0 * n
    if some(stuck < 0.5):
        size = sqrt(where(stuck < 0.5, square, 1.0))
        push_n = where(state > 1.5, row[SHARE] * (n + mu * size), 0.0)
        along = mu * push_n
        made = where(stuck < 0.5, mu * (size - along) * row[SOFT], 0.0)
        if some(state > 1.5):
            part = along / where(state > 1.5, size, 1.0)
            f += push_n
            g += part * s
            h += part * t
    row[AHEAD] = where(on > 0.0, f, row[AHEAD])
    row[AHEAD + 1] = where(on > 0.0, g, row[AHEAD + 1])
    row[AHEAD + 2] = where(on > 0.0, h, row[AHEAD + 2])
    row[AHEAD + 3] = where(on > 0.0, state, row[AHEAD + 3])
    row[MADE] = where(on > 0.0, made, row[MADE])
    return f, g, h, abs(made - row[SLACK])


@routine
def foresee_part(C: Matrix, slots: Whole, way: Number, on: Number) -> float:
    """What is AHEAD of all slots a part of the way; how far the farthest slack is off there."""
    most = 0.0
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            _, _, _, off = foresee(row, row[DU], row[DU + 1], row[DU + 2], way, on)
            most = larger(most, off)
    return most


@routine
def arrive(C: Matrix, slots: Whole, way: Number) -> None:
    """Slots where their worlds have gone a way along DU: what was ahead is there."""
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            for k in range(3):
                row[JV + k] += way * row[DU + k]
                row[IMPULSE + k] = row[AHEAD + k]
            row[STATE] = row[AHEAD + 3]


@routine
def impel(C: Matrix, w: Vector, first: Whole, behind: Whole) -> None:
    """w += J' f of a body's slots."""
    for c in range(first, behind):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            on = where(row[STATE] > 0.5, 1.0, 0.0)
            if some(on > 0.0):
                push(row, w, on * row[IMPULSE], on * row[IMPULSE + 1], on * row[IMPULSE + 2])


@routine
def begin_slots(C: Matrix, v: Vector, first: Whole, behind: Whole) -> None:
    """J V of a body's slots; no step is under way."""
    for c in range(first, behind):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            x, y, z = moved(row, v)
            row[JV] = x
            row[JV + 1] = y
            row[JV + 2] = z
            for k in range(3):
                row[DU + k] = 0.0


@routine
def ahead(C: Matrix, v: Vector, first: Whole, behind: Whole, on: Number) -> Any:
    """DU = J v of a body's slots, and what is AHEAD.

    Returns the largest of them, f . DU at the beginning, DU . r D DU there, f . DU at the end of the way, and how far slacks are off there
    """
    most, work, curve, after, error = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(first, behind):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            x, y, z = moved(row, v)
            row[DU] = x
            row[DU + 1] = y
            row[DU + 2] = z
            most = larger(most, larger(abs(x), larger(abs(y), abs(z))))
            work += row[IMPULSE] * x + row[IMPULSE + 1] * y + row[IMPULSE + 2] * z
            curve += row[STUCK] * (x * x + y * y + z * z)
            if some(row[SLID] > 0.0):
                a, b = row[ALONG], row[ALONG + 1]
                g, e = x + row[FRICTION] * (a * y + b * z), a * z - b * y
                curve += where(row[SLID] > 0.0, row[SLID] * g * g + row[ACROSS] * e * e, 0.0)
            f, g, h, off = foresee(row, x, y, z, 1.0, on)
            after += f * x + g * y + h * z
            error = larger(error, off)
    return most, work, curve, after, error


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
        if some(row[ACTIVE] > 0.5):
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
        if some(row[ACTIVE] > 0.5):
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
            most = larger(most, square)
    return most
