"""From points in their slots to rows of the solver, and what is remembered of them (compare dynamics/contact/rows.py).

TABLE has a row for each slot here, with a key of -1 where nothing touched.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.contact.overlaps import RETURNED, TINY, going_on, paid_back, spring
from redmax.dynamics.contact.rows import (
    CALM,
    FRESH,
    R_COMPLIANCE,
    R_DAMPING,
    R_EASE_A,
    R_EASE_B,
    R_FRICTION,
    R_GAP,
    R_KEY,
    R_NORMAL,
    R_RESTITUTION,
    R_SOFTNESS,
    SETTLED,
    SOLVED,
    STRUCK,
    T_AGE,
    T_IMPULSE,
    T_KEY,
    T_NORMAL,
    T_SLACK,
    T_STATE,
    T_STORED,
    WOKEN,
)
from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, some
from redmax.solvers.contact.slots.columns import (
    ACTIVE,
    AGE,
    ARM,
    AXES,
    CARRIED,
    EASE,
    FREE,
    FRICTION,
    GAP,
    HELD,
    HOLDS,
    IMPULSE,
    KEY,
    MASS,
    OFFSET,
    POINT,
    SHARE,
    SLACK,
    SOFT,
    STATE,
    STIFF,
    STILL,
)
from redmax.solvers.contact.slots.points import moved

NOBODY = -1.0  # the key of a slot where nothing touched


@routine
def tangents(row: Vector) -> None:
    """Two tangents for the normal, which change as little as it does."""
    x, y, z = row[AXES], row[AXES + 1], row[AXES + 2]
    flat = where(abs(x) < 0.8, 1.0, 0.0)
    a, b = flat, 1.0 - flat
    along = a * x + b * y
    a, b, c = a - along * x, b - along * y, -along * z
    size = 1.0 / sqrt(a * a + b * b + c * c)
    a, b, c = size * a, size * b, size * c
    row[AXES + 3] = a
    row[AXES + 4] = b
    row[AXES + 5] = c
    row[AXES + 6] = y * c - z * b
    row[AXES + 7] = z * a - x * c
    row[AXES + 8] = x * b - y * a


@routine
def remembered(row: Vector, old: Matrix, first: Whole, behind: Whole) -> Any:
    """What the same contact exerted in the step before, if that was no impact; returns how much it pressed, and whether it was there."""
    pressed, state, there = 0.0, 0.0, 0.0
    row[CARRIED] = 0.0
    row[CARRIED + 1] = 0.0
    row[SLACK] = 0.0
    row[AGE] = 0.0
    row[HOLDS] = 0.0
    for k in range(first, behind):
        seen = old[k]
        same = where(abs(seen[T_KEY] - row[KEY]) < 0.5, 1.0, 0.0)
        if some(same > 0.0):
            kept = where(seen[T_AGE] > SETTLED, same, 0.0)
            x, y, z = seen[T_IMPULSE], seen[T_IMPULSE + 1], seen[T_IMPULSE + 2]
            n, s, t = [x * row[AXES + 3 * i] + y * row[AXES + 3 * i + 1] + z * row[AXES + 3 * i + 2] for i in range(3)]
            row[CARRIED] += kept * s
            row[CARRIED + 1] += kept * t
            row[SLACK] += same * seen[T_SLACK]
            row[HOLDS] += same * seen[T_STORED]
            row[AGE] += where(n > 0.0, same * (seen[T_AGE] + 1.0), 0.0)
            pressed += kept * n
            state += same * seen[T_STATE]
            there += same
    row[IMPULSE] = pressed
    row[IMPULSE + 1] = row[CARRIED]
    row[IMPULSE + 2] = row[CARRIED + 1]
    row[STATE] = where(pressed > 0.0, state, 0.0)
    return pressed, there


@routine
def share_of_slots(raw: Matrix, old: Matrix, held: Vector, first: Wholes, behind: Wholes, start: Whole, stop: Whole) -> Any:
    """What each point of a pair bears, if together they bear as much as those of the step before; for how long it has pressed; and what
    points held that are no more there, for the square of each depth that was not there before."""
    load, age, points, left, squares = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(start, stop):
        seen = old[k]
        there = where(seen[T_KEY] > NOBODY + 0.5, 1.0, 0.0)
        kept = where(seen[T_AGE] > SETTLED, there, 0.0)
        n, f = T_NORMAL, T_IMPULSE
        load += where(kept > 0.5, seen[n] * seen[f] + seen[n + 1] * seen[f + 1] + seen[n + 2] * seen[f + 2], 0.0)
        age = max(age, where(kept > 0.5, seen[T_AGE], 0.0))
        left += where(there > 0.5, seen[T_STORED], 0.0)
    for k in range(start, stop):
        points += held[k]
        if some(held[k] > 0.5):
            new = held[k]
            for m in range(first[k], behind[k]):
                same = where(abs(old[m, T_KEY] - raw[k, R_KEY]) < 0.5, held[k], 0.0)
                left -= where(same > 0.5, old[m, T_STORED], 0.0)
                new = where(same > 0.5, 0.0, new)
            depth = where(new > 0.5, min(raw[k, R_GAP], 0.0), 0.0)
            squares += depth * depth
    return load / max(points, 1.0), age, where(squares > 0.0, max(left, 0.0) / max(squares, TINY), 0.0)


@routine
def make_slots(
    raw: Matrix, held: Vector, counts: Vector, limits: Vector, h: Vector, C: Matrix, old: Matrix, olds: Vector, touched: Vector,
    origin: Places, now: Places, free: Places, at: Wholes, toward: Wholes, first: Wholes, behind: Wholes, start: Wholes, stop: Wholes,
    tree: Wholes, slots: Whole, trees: Whole,
) -> None:  # fmt: skip
    """The rows of all slots.

    at: which each has; toward: 1 where the second shape of a pair is the body's, else -1; first, behind: slots in which the same point may
    have been in the step before; start, stop: those of the same pair
    """
    total, still, rested = 0.0, 0.5 * limits[4] * where(olds[1] > 0.5, WOKEN, CALM), where(olds[1] > 0.5, 2.0, 1.0)
    over = 1.0 / h[0]
    begins = where(abs(olds[1]) < 0.5 * SOLVED, 1.0, 0.0)
    load, age, left = 0.0, 0.0, 0.0
    for t in range(trees):
        touched[t] = 0.0
    for c in range(slots):
        if c == start[c]:
            points = 0.0
            for k in range(start[c], stop[c]):
                points += held[k]
            if some(points > 0.5):
                load, age, left = share_of_slots(raw, old, held, first, behind, start[c], stop[c])
        C[at[c], HELD] = held[c]
        C[at[c], ACTIVE] = held[c]
        if some(held[c] > 0.5):
            total += held[c]
            touched[tree[c]] = max(touched[tree[c]], held[c])
            make_slot(
                C[at[c]], raw[c], old, limits, h[0], over, origin[c], now[c], free[c], float(toward[c]), still, rested, first[c],
                behind[c], load, age, left, begins,
            )  # fmt: skip
            if some(held[c] < 0.5):
                leave_open(C[at[c]])
    counts[0] = total
    counts[1] = 0.0
    counts[5] = 0.0


@routine
def make_slot(
    row: Vector, p: Vector, old: Matrix, limits: Vector, h: Number, over: Number, origin: Vector, now: Vector, free: Vector, sign: Number,
    still: Number, rested: Number, first: Whole, behind: Whole, load: Number, age: Number, left: Number, begins: Number,
) -> None:  # fmt: skip
    """The row of one slot. over: 1 / h; load, age, left: of its pair (share_of_slots)"""
    for k in range(3):
        row[POINT + k] = p[k]
        row[ARM + k] = p[k] - origin[k]
        row[AXES + k] = sign * p[R_NORMAL + k]
    gap, mu = p[R_GAP], p[R_FRICTION]
    row[KEY] = p[R_KEY]
    row[GAP] = gap
    row[FRICTION] = mu
    row[SHARE] = 1.0 / (1.0 + mu * mu)
    tangents(row)
    pressed, there = remembered(row, old, first, behind)
    x, y, z = moved(row, free)
    row[FREE] = x
    row[FREE + 1] = y
    row[FREE + 2] = z
    easy = where(sign > 0.0, p[R_EASE_B], p[R_EASE_A])
    mass = 1.0 / easy
    row[EASE] = easy
    row[MASS] = mass
    gives = p[R_SOFTNESS] * easy
    u, v, w = moved(row, now)
    new = where(row[AGE] < 0.5, where(u > -limits[4], 1.0, 0.0), 0.0)
    row[AGE] = where(new > 0.5, age, row[AGE])
    bears = where(new > 0.5, load, pressed)
    slowest = bears * gives + limits[5]  # so that what leaves faster is asked for less in the next step
    bias = where(gap > 0.0, gap * over, max(RETURNED * gap * over, -slowest))
    strikes = where(u < -limits[4], where(gap + h * u <= 0.0, p[R_RESTITUTION], 0.0), 0.0)
    gives = where(row[AGE] < 0.5, where(strikes > 0.0, STRUCK * easy, FRESH * gives), gives)
    gives = min(gives, easy * max(STRUCK, limits[6] / max(-x, limits[6])))
    soft = where(p[R_COMPLIANCE] > 0.0, 1.0, 0.0)
    if some(soft > 0.5):
        rate = 1.0 / (h + p[R_DAMPING])
        gives = where(p[R_COMPLIANCE] > 0.0, p[R_COMPLIANCE] * over * rate, gives)
        bias = where(p[R_COMPLIANCE] > 0.0, where(gap > 0.0, bias, gap * rate), bias)
    row[STIFF] = 1.0 / gives
    row[SOFT] = gives
    depth = min(gap, 0.0)
    costs = 0.5 * depth * depth * spring(where(soft > 0.0, row[STIFF], mass / p[R_SOFTNESS]), soft, h + p[R_DAMPING], h)
    row[HOLDS] = where(there > 0.5, row[HOLDS], where(begins > 0.5, costs, min(left * depth * depth, costs)))
    kept = row[CARRIED] * row[CARRIED] + row[CARRIED + 1] * row[CARRIED + 1]
    on = going_on(row[HOLDS], kept, row[STIFF])
    row[CARRIED] *= on
    row[CARRIED + 1] *= on
    bias = where(gap < 0.0, max(bias, -paid_back(row[HOLDS], on * on * kept, row[STIFF], bears, limits[5])), bias)
    row[OFFSET] = where(strikes > 0.0, (1.0 + strikes) * u, x + bias)
    row[OFFSET + 1] = where(strikes > 0.0, (1.0 + strikes) * v, y)
    row[OFFSET + 2] = where(strikes > 0.0, (1.0 + strikes) * w, z)
    row[AGE] = where(strikes > 0.0, 0.0, row[AGE])
    row[STILL] = where(row[AGE] > SETTLED, where(row[STATE] < 1.5, where(abs(u) < still, rested, 0.0), 0.0), 0.0)


@routine
def leave_open(row: Vector) -> None:
    """In worlds where nothing touches there."""
    on = row[HELD] > 0.5
    for k in range(9):
        row[AXES + k] = where(on, row[AXES + k], 0.0)
    for k in range(3):
        row[ARM + k] = where(on, row[ARM + k], 0.0)
        row[POINT + k] = where(on, row[POINT + k], 0.0)
        row[FREE + k] = where(on, row[FREE + k], 0.0)
        row[OFFSET + k] = where(on, row[OFFSET + k], 1.0)
        row[IMPULSE + k] = where(on, row[IMPULSE + k], 0.0)
    row[CARRIED] = where(on, row[CARRIED], 0.0)
    row[CARRIED + 1] = where(on, row[CARRIED + 1], 0.0)
    row[SLACK] = where(on, row[SLACK], 0.0)
    row[GAP] = where(on, row[GAP], 0.0)
    row[AGE] = where(on, row[AGE], 0.0)
    row[FRICTION] = where(on, row[FRICTION], 0.0)
    row[SHARE] = where(on, row[SHARE], 1.0)
    row[STIFF] = where(on, row[STIFF], 1.0)
    row[SOFT] = where(on, row[SOFT], 1.0)
    row[STILL] = where(on, row[STILL], 2.0)
    row[STATE] = where(on, row[STATE], 0.0)
    row[EASE] = where(on, row[EASE], 1.0)
    row[MASS] = where(on, row[MASS], 1.0)
