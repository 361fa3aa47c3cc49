"""What contacts in their slots exerted in a step, and the energy that they hold behind it (compare remember.py and lost.py above)."""

from __future__ import annotations

from redmax.dynamics.contact.overlaps import TINY, held_by, spring
from redmax.dynamics.contact.rows import (
    R_COMPLIANCE,
    R_DAMPING,
    R_SOFTNESS,
    RESTED,
    SETTLED,
    SOLVED,
    T_AGE,
    T_BODIES,
    T_GAP,
    T_IMPULSE,
    T_KEY,
    T_LEAVING,
    T_NORMAL,
    T_POINT,
    T_SLACK,
    T_SLIP,
    T_STATE,
    T_STORED,
)
from redmax.dynamics.contact.slots.rows import NOBODY
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, some
from redmax.solvers.contact.slots.columns import (
    AGE,
    AXES,
    FREE,
    GAP,
    HELD,
    HOLDS,
    IMPULSE,
    KEY,
    MASS,
    POINT,
    REST,
    SLACK,
    SPARE,
    STATE,
    STIFF,
    U,
)


@routine
def keep_lost_of_slots(
    C: Matrix, counts: Vector, limits: Vector, x: Vector, lost: Vector, change: Vector, after: Places, before: Places, M: Places, s: Places,
    at: Wholes, body: Wholes, alone: Wholes, first: Wholes, bodies: Whole, slots: Whole,
) -> None:  # fmt: skip
    """What steps lose (dynamics/contact/lost.py), in slots of contacts that have lasted."""
    rested = where(counts[4] < 0.5, 1.0, 0.0)
    for b in range(bodies):
        lost[b] = 0.0
    for c in range(slots):
        row = C[at[c]]
        f = max(where(rested > 0.0, row[REST], row[IMPULSE]), 0.0)
        lost[body[c]] += where(row[HELD] > 0.5, where(row[AGE] > SETTLED, f, 0.0), 0.0)
    for b in range(bodies):
        borne = lost[b]
        lost[b] = 0.0
        borne *= float(alone[b])
        if some(borne > 0.0):
            for i in range(6):
                change[i] = after[b][i] - before[b][i]
                for k in range(6):
                    change[i] += s[b][6 * k + i] * x[first[b] + k]
            total = 0.0
            for i in range(6):
                for k in range(6):
                    total += change[i] * M[b][6 * i + k] * change[k]
            lost[b] = where(borne > 0.0, 0.5 * total / max(borne, TINY), 0.0)
    for c in range(slots):
        row = C[at[c]]
        f = max(where(rested > 0.0, row[REST], row[IMPULSE]), 0.0)
        lasts = where(row[HELD] > 0.5, where(row[AGE] > SETTLED, f, 0.0), 0.0)
        row[HOLDS] += lasts * lost[body[c]]
        row[SPARE] = lasts * limits[6]


@routine
def remember_slots(
    C: Matrix, raw: Matrix, counts: Vector, old: Matrix, olds: Vector, step: Vector, at: Wholes, body: Wholes, world: Whole, slots: Whole
) -> None:
    """What contacts exerted, for the next step; olds: how many there are, and whether they rested without a step of Newton's method."""
    rested = where(counts[4] < 0.5, 1.0, 0.0)
    for c in range(slots):
        row = C[at[c]]
        told = old[c]
        told[T_KEY] = where(row[HELD] > 0.5, row[KEY], NOBODY)
        if some(row[HELD] > 0.5):
            on = row[HELD] > 0.5  # the others keep what they have, whoever is beside them
            f, g, h = [where(rested > 0.0, row[REST + k], row[IMPULSE + k]) for k in range(3)]
            v, w = row[U + 1] + row[FREE + 1], row[U + 2] + row[FREE + 2]
            for k in range(3):
                pressed = f * row[AXES + k] + g * row[AXES + 3 + k] + h * row[AXES + 6 + k]
                told[T_IMPULSE + k] = where(on, pressed, told[T_IMPULSE + k])
                told[T_SLIP + k] = where(on, v * row[AXES + 3 + k] + w * row[AXES + 6 + k], told[T_SLIP + k])
                told[T_POINT + k] = where(on, row[POINT + k], told[T_POINT + k])
                told[T_NORMAL + k] = where(on, row[AXES + k], told[T_NORMAL + k])
            told[T_SLACK] = where(on, row[SLACK], told[T_SLACK])
            told[T_AGE] = where(on, where(f > 0.0, row[AGE], 0.0), told[T_AGE])
            told[T_BODIES] = where(on, float(world), told[T_BODIES])
            told[T_BODIES + 1] = where(on, float(body[c]), told[T_BODIES + 1])
            told[T_GAP] = where(on, row[GAP], told[T_GAP])
            told[T_STATE] = where(on, where(rested > 0.0, row[REST + 3], row[STATE]), told[T_STATE])
            told[T_LEAVING] = where(on, row[U] + row[FREE], told[T_LEAVING])
            soft, period = where(raw[c, R_COMPLIANCE] > 0.0, 1.0, 0.0), step[0] + raw[c, R_DAMPING]
            usual = where(soft > 0.0, row[STIFF], row[MASS] / raw[c, R_SOFTNESS])
            u, k = row[U] + row[FREE], spring(usual, soft, period, step[0])
            held = held_by(row[HOLDS], f * u + g * v + h * w, k, row[GAP], u, step[0], g * g + h * h, row[STIFF], row[SPARE])
            told[T_STORED] = where(on, held, told[T_STORED])
    olds[0] = counts[0]
    olds[1] = where(rested > 0.0, RESTED, SOLVED)
