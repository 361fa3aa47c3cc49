"""Torsional and rolling friction as rows of the solver: behind those of forces, one for each contact of which the pair has such friction.

    u = arm (n, t_1, t_2) . (omega_b - omega_a)           arm^2 = local mean of J M^-1 J' / mean of I^-1 (solvers/contact/moments.py)

What moments were in the step before is kept as impulses are (rows.py), and impacts act on what turned before the step. What they store by
giving way, R |m0|^2 / 2, is part of what their contact holds (overlaps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from redmax.contact.pair_law import ROLLING, TORSIONAL, TURNS
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.fields import COUNTS, HELD, LIMITS, MOMENTS, TABLE, XYZ
from redmax.dynamics.contact.overlaps import going_on, paid_back
from redmax.dynamics.contact.pair_laws import USUAL, kept_laws
from redmax.dynamics.contact.remember import remember
from redmax.dynamics.contact.rows import R_BESIDE, R_HELD, SETTLED, T_AGE, T_KEY, TOLD
from redmax.math import sqrt, where
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, dot, whole
from redmax.solvers.contact.columns import (
    ARM,
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    FREE,
    GAP,
    IMPULSE,
    J_A,
    J_B,
    KEY,
    LENGTHS,
    MASS,
    NORMAL,
    STATE,
    STIFF,
    TURNED,
    TWIN,
    WORK,
    U,
)
from redmax.solvers.contact.terms import moved

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem


@routine
def place_turn(J: Vector, d: Vector, arm: Number) -> None:
    """arm (d; 0): how a body turns about a direction."""
    for k in range(XYZ):
        J[k] = arm * d[k]
        J[XYZ + k] = 0.0
    J[6] = 0.0
    J[7] = 0.0


@routine
def carry_moment(row: Vector, t: Vector, old: Matrix, olds: Vector, told: Matrix, turned: Vector) -> None:
    """The moment of the same contact in the step before, if that was no impact. turned[1]: where to look for it, and for the next."""
    low = FEATURES * float(whole(row[KEY] / FEATURES))
    k = turned[1]
    going = where(k < olds[0] - 0.5, 1.0, 0.0)
    while going > 0.0:
        seen = old[whole(k), T_KEY]
        turned[1] = where(seen < low - 0.5, k + 1.0, turned[1])
        if abs(seen - row[KEY]) < 0.5 and old[whole(k), T_AGE] > SETTLED:
            moment = told[whole(k)]
            for i in range(XYZ):
                t[CARRIED + i] = dot(moment[0:3], row[NORMAL + 3 * i : NORMAL + 3 * i + 3]) / t[ARM]
        going = where(seen < low + FEATURES - 0.5, 1.0, 0.0)
        k += 1.0
        going = where(k < olds[0] - 0.5, going, 0.0)


@routine
def go_on(row: Vector, t: Vector, held: Number, slow: Number) -> None:
    """With what moments stored, and what overlaps may ask for beside it. held: by all of the contact"""
    friction = row[CARRIED + 1] * row[CARRIED + 1] + row[CARRIED + 2] * row[CARRIED + 2]
    square = dot(t[CARRIED : CARRIED + XYZ], t[CARRIED : CARRIED + XYZ])
    left = max(held - 0.5 * friction / row[STIFF], 0.0)
    on = going_on(left, square, row[STIFF])
    for k in range(XYZ):
        t[CARRIED + k] *= on
    if row[GAP] < 0.0 and row[WORK] <= 0.0:
        row[BIAS] = max(row[BIAS], -paid_back(left, on * on * square, row[STIFF], max(row[IMPULSE], 0.0), slow))


@routine
def make_moments(
    raw: Matrix, C: Matrix, counts: Vector, limits: Vector, turned: Vector, which: Vector, laws: Matrix, old: Matrix, olds: Vector,
    told: Matrix, now: Matrix, free: Matrix, world: Whole,
) -> None:  # fmt: skip
    """Rows of moments; turned: how many. Contacts have in WORK what of an approach comes back."""
    turned[0] = 0.0
    turned[1] = 0.0
    for c in range(whole(counts[0])):
        row = C[c]
        row[TWIN] = -1.0
        row[TURNED] = 0.0
        own = which[whole(row[KEY] / FEATURES)]
        law = laws[whole(max(own, 0.0))]
        if own > USUAL + 0.5 and law[TORSIONAL] + law[ROLLING] > 0.0:
            row[TWIN] = counts[0] + turned[0]
            turned[0] += 1.0
            t = C[whole(row[TWIN])]
            t[TWIN] = float(c)
            arm = sqrt(1.0 / (row[MASS] * law[TURNS]))
            t[ARM] = arm
            t[LENGTHS] = law[TORSIONAL] / arm
            t[LENGTHS + 1] = law[ROLLING] / arm
            t[BODY_A] = row[BODY_A]
            t[BODY_B] = row[BODY_B]
            t[MASS] = row[MASS]
            t[STIFF] = row[STIFF]
            t[STATE] = 0.0
            a, b = whole(row[BODY_A]), whole(row[BODY_B])
            for k in range(3):
                J = t[J_B + 8 * k :]
                place_turn(J, row[NORMAL + 3 * k :], arm)
                t[FREE + k] = dot(J[0:6], free[b, 0:6])
                u = dot(J[0:6], now[b, 0:6])
                if row[BODY_A] < float(world) - 0.5:
                    J = t[J_A + 8 * k :]
                    place_turn(J, row[NORMAL + 3 * k :], -arm)
                    t[FREE + k] += dot(J[0:6], free[a, 0:6])
                    u += dot(J[0:6], now[a, 0:6])
                t[BIAS + k] = where(row[WORK] > 0.0, (1.0 + row[WORK]) * u - t[FREE + k], 0.0)
                t[CARRIED + k] = 0.0
                t[IMPULSE + k] = 0.0
            carry_moment(row, t, old, olds, told, turned)
            go_on(row, t, raw[c, R_HELD], limits[5])


@routine
def spend_moments(raw: Matrix, C: Matrix, counts: Vector, V: Matrix, world: Whole) -> None:
    """What moments did, taken off what their contacts hold."""
    for c in range(whole(counts[0])):
        row = C[c]
        if row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            moved(t, V, world, t[U:])
            for k in range(XYZ):
                t[U + k] += t[FREE + k]
                raw[c, R_HELD] -= t[IMPULSE + k] * t[U + k]
                raw[c, R_BESIDE] += t[IMPULSE + k] * t[IMPULSE + k]


@routine
def remember_moments(C: Matrix, counts: Vector, told: Matrix) -> None:
    """On b, in world axes, for the next step."""
    for c in range(whole(counts[0])):
        row = C[c]
        told[c, 0:3] = 0.0
        if row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            for k in range(3):
                told[c, 0:3] += (t[ARM] * t[IMPULSE + k]) * row[NORMAL + 3 * k : NORMAL + 3 * k + 3]


def moment_rows(system: ContactSystem) -> Sequence[Call]:
    """Behind the rows of forces."""
    if not system.model.turning:
        return ()
    raw, C, turned, which, now, free = (system.data[n] for n in ("raw", "contacts", "turned", "which", "now", "free"))

    def rows(at: Addresses) -> list[tuple[object, ...]]:
        before = (at.world(TABLE), TOLD), at.world(HELD), (at.world(MOMENTS), XYZ)
        return [(raw, C, at.world(COUNTS), at.world(LIMITS), turned, which, kept_laws(system.model, at), *before, now, free, system.n)]

    return (Call(make_moments, rows, (raw, C, turned, which, now, free)),)


def contacts_told(system: ContactSystem) -> Sequence[Call]:
    """Behind the solver: what contacts exerted, for the next step, and their moments."""
    before = lambda at: (at.world(COUNTS), (at.world(TABLE), TOLD), at.world(HELD), at.world("h"))  # noqa: E731
    forces = system.call(remember, ("contacts", "raw"), before)
    if not system.model.turning:
        return (forces,)
    raw, C, V = (system.data[name] for name in ("raw", "contacts", "V"))
    spent = Call(spend_moments, lambda at: [(raw, C, at.world(COUNTS), V, system.n)], (raw, C, V))
    told = lambda at: (at.world(COUNTS), (at.world(MOMENTS), XYZ))  # noqa: E731
    return spent, forces, system.call(remember_moments, ("contacts",), told)
