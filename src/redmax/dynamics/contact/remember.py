"""What contacts exerted in a step, and the energy that they hold behind it, for the next step and for what is told."""

from __future__ import annotations

from redmax.dynamics.contact.overlaps import held_by
from redmax.dynamics.contact.rows import (
    R_BESIDE,
    R_HELD,
    R_HOLDS,
    R_SPARE,
    RESTED,
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
from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, whole
from redmax.solvers.contact.columns import (
    AGE,
    BODY_A,
    BODY_B,
    FIRST,
    GAP,
    IMPULSE,
    KEY,
    NORMAL,
    POINT,
    SECOND,
    SLACK,
    STATE,
    STIFF,
    U,
)


@routine
def remember(C: Matrix, raw: Matrix, counts: Vector, old: Matrix, olds: Vector, h: Vector) -> None:
    """What contacts exerted, for the next step; olds: how many there are, and whether they rested without a step of Newton's method."""
    for c in range(whole(counts[0])):
        row = C[c]
        told = old[c]
        told[T_KEY] = row[KEY]
        for k in range(3):
            told[T_IMPULSE + k] = row[IMPULSE] * row[NORMAL + k] + row[IMPULSE + 1] * row[FIRST + k] + row[IMPULSE + 2] * row[SECOND + k]
            told[T_SLIP + k] = row[U + 1] * row[FIRST + k] + row[U + 2] * row[SECOND + k]
            told[T_POINT + k] = row[POINT + k]
            told[T_NORMAL + k] = row[NORMAL + k]
        told[T_SLACK] = row[SLACK]
        told[T_AGE] = where(row[IMPULSE] > 0.0, row[AGE], 0.0)
        told[T_BODIES] = row[BODY_A]
        told[T_BODIES + 1] = row[BODY_B]
        told[T_GAP] = row[GAP]
        told[T_STATE] = row[STATE]
        beside = row[IMPULSE + 1] * row[IMPULSE + 1] + row[IMPULSE + 2] * row[IMPULSE + 2] + raw[c, R_BESIDE]
        told[T_LEAVING] = row[U]
        work = row[IMPULSE] * row[U] + row[IMPULSE + 1] * row[U + 1] + row[IMPULSE + 2] * row[U + 2]
        told[T_STORED] = held_by(raw[c, R_HELD], work, raw[c, R_HOLDS], row[GAP], row[U], h[0], beside, row[STIFF], raw[c, R_SPARE])
    olds[0] = counts[0]
    olds[1] = where(counts[4] < 0.5, RESTED, SOLVED)
