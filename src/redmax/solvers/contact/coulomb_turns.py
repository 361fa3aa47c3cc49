"""Torsional and rolling friction in what a converged step is differentiated by, where friction is exact: each law holds by itself.

    m = y_m (1, 1)        of what turns with the surface:  |y| <= c n
    m = c n y / |y|       of what is turned against it:    dm/dy = (c n / |y|) (1 - d d'),  dm/dn = c d,  d = y / |y|

n is the normal force of the contact, c the length of torsional friction, of the moment about the normal, and of rolling friction, of the
other two (moments.py). Rows of moments are behind those of contacts.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.solvers.contact.along_coordinates import along_coordinates
from redmax.solvers.contact.columns import (
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    FREE,
    IMPULSE,
    J_A,
    J_B,
    KEY,
    LENGTHS,
    SLACK,
    STATE,
    STIFF,
    TWIN,
    U,
    Y,
)
from redmax.solvers.contact.terms import moved

ROLLS = SLACK  # the state about axes along the surface; STATE is that about the normal
CLEAR = 1e-9


@routine
def exert_turns(t: Vector, row: Vector) -> None:
    """y, the moment, and both states at u."""
    r, n = t[STIFF], row[IMPULSE]
    a = t[CARRIED] - r * (t[U] + t[BIAS])
    b = t[CARRIED + 1] - r * (t[U + 1] + t[BIAS + 1])
    c = t[CARRIED + 2] - r * (t[U + 2] + t[BIAS + 2])
    t[Y] = a
    t[Y + 1] = b
    t[Y + 2] = c
    spin, roll, square = t[LENGTHS] * n, t[LENGTHS + 1] * n, b * b + c * c
    p, q, s = a, b, c
    t[STATE] = 1.0
    t[ROLLS] = 1.0
    if row[STATE] < 0.5 or spin <= 0.0:
        t[STATE] = 0.0
        p = 0.0
    elif abs(a) > spin:
        t[STATE] = 2.0
        p = where(a > 0.0, spin, -spin)
    if row[STATE] < 0.5 or roll <= 0.0:
        t[ROLLS] = 0.0
        q, s = 0.0, 0.0
    elif square > roll * roll:
        t[ROLLS] = 2.0
        size = sqrt(square)
        q, s = roll * b / size, roll * c / size
    t[IMPULSE] = p
    t[IMPULSE + 1] = q
    t[IMPULSE + 2] = s


@routine
def press_turns(C: Matrix, count: Whole, every: Whole, V: Matrix, w: Matrix, world: Whole) -> None:
    """Moments where bodies change their twists by V, whose wrenches are taken from w."""
    for c in range(count, every):
        t = C[c]
        moved(t, V, world, t[U:])
        for k in range(3):
            t[U + k] += t[FREE + k]
        exert_turns(t, C[whole(t[TWIN])])
        a, b = whole(t[BODY_A]), whole(t[BODY_B])
        p, q, s = t[IMPULSE], t[IMPULSE + 1], t[IMPULSE + 2]
        for i in range(6):
            w[b, i] -= p * t[J_B + i] + q * t[J_B + 8 + i] + s * t[J_B + 16 + i]
        if t[BODY_A] < float(world) - 0.5:
            for i in range(6):
                w[a, i] -= p * t[J_A + i] + q * t[J_A + 8 + i] + s * t[J_A + 16 + i]


@routine
def add_turns(
    C: Matrix, count: Whole, every: Whole, s: Matrix, Q: Matrix, A: Matrix, up: Vector, begin: Vector, of: Vector, n: Whole
) -> None:
    """A += J' (r dm/dy J + dm/dn r J_n). Q: room for J, for what is in brackets, and for J_n."""
    for c in range(count, every):
        t = C[c]
        row = C[whole(t[TWIN])]
        if row[STATE] > 0.5:
            r = t[STIFF]
            for k in range(6):
                Q[k, 0:n] = 0.0
            along_coordinates(row[J_B:], s, whole(row[BODY_B]), up, begin, Q)
            if of[whole(t[BODY_A])] > -0.5:
                along_coordinates(row[J_A:], s, whole(row[BODY_A]), up, begin, Q)
            Q[6, 0:n] = Q[0, 0:n]
            for k in range(3):
                Q[k, 0:n] = 0.0
            along_coordinates(t[J_B:], s, whole(t[BODY_B]), up, begin, Q)
            if of[whole(t[BODY_A])] > -0.5:
                along_coordinates(t[J_A:], s, whole(t[BODY_A]), up, begin, Q)
            if t[STATE] > 1.5:
                Q[3, 0:n] = (r * t[LENGTHS] * where(t[Y] > 0.0, 1.0, -1.0)) * Q[6, 0:n]
            elif t[STATE] > 0.5:
                Q[3, 0:n] = r * Q[0, 0:n]
            if t[ROLLS] > 1.5:
                size = sqrt(t[Y + 1] * t[Y + 1] + t[Y + 2] * t[Y + 2])
                d, e = t[Y + 1] / size, t[Y + 2] / size
                k, g = r * t[LENGTHS + 1] * row[IMPULSE] / size, r * t[LENGTHS + 1]
                Q[4, 0:n] = (k * e * e) * Q[1, 0:n] - (k * d * e) * Q[2, 0:n] + (g * d) * Q[6, 0:n]
                Q[5, 0:n] = (k * d * d) * Q[2, 0:n] - (k * d * e) * Q[1, 0:n] + (g * e) * Q[6, 0:n]
            elif t[ROLLS] > 0.5:
                Q[4, 0:n] = r * Q[1, 0:n]
                Q[5, 0:n] = r * Q[2, 0:n]
            for k in range(n):
                A[k, 0:n] += Q[0, k] * Q[3, 0:n] + Q[1, k] * Q[4, 0:n] + Q[2, k] * Q[5, 0:n]


@routine
def add_all_turns(
    turned: Vector, C: Matrix, counts: Vector, s: Matrix, Q: Matrix, A: Matrix, up: Vector, begin: Vector, of: Vector, n: Whole
) -> None:
    """The same of all."""
    add_turns(C, whole(counts[0]), whole(counts[0]) + whole(turned[0]), s, Q, A, up, begin, of, n)


@routine
def doubt_of_turns(C: Matrix, count: Whole, every: Whole, doubt: Vector, slips: Number) -> None:
    """Whether a moment is at the edge of turning with the surface and against it."""
    for c in range(count, every):
        t = C[c]
        row = C[whole(t[TWIN])]
        rolling = sqrt(t[Y + 1] * t[Y + 1] + t[Y + 2] * t[Y + 2])
        clear = CLEAR * (abs(row[Y]) + abs(t[Y]) + rolling)
        spin, roll = t[LENGTHS] * row[IMPULSE], t[LENGTHS + 1] * row[IMPULSE]
        edge = where(spin > 0.0, where(abs(abs(t[Y]) - spin) <= clear, 1.0, 0.0), 0.0)
        edge = where(roll > 0.0, where(abs(rolling - roll) <= clear, 1.0, edge), edge)
        if row[STATE] > 0.5 and edge > 0.5 and doubt[0] < 0.5:
            doubt[0] = slips
            doubt[1] = row[KEY]
            doubt[2] = row[STATE]
