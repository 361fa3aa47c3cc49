"""Coulomb friction as one equation for the changes of rates x, and its derivative, by which a converged step of contact is differentiated.

    r(x) = H x - sum of J' F(u) = 0,      u = u_free + J x,   y = f0 - r (u + bias)

Of each contact F is what its impulse is by how it is found to be, and D = dF/dy (Stewart, Siam Rev. 42, 2000, for the three cases):

    open       y_n <= 0                F = 0                                    D = 0
    sticking   |y_t| <= mu y_n         F = y                                    D = 1
    sliding    else                    F = y_n (1, mu d),   d = y_t / |y_t|     D = (1, 0; mu d, (mu y_n / |y_t|) (1 - d d'))

as of a sliding contact R (F - y) = u + bias + R (F - f0) has no normal part, and leads against the friction. Of convex friction F is P_K(y)
(cone.py). So  dr/dx = H + J' r D J,  which is not symmetric where friction is exact.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.along_coordinates import along_coordinates
from redmax.solvers.contact.along_tree import carry, to_coordinates
from redmax.solvers.contact.columns import (
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    FREE,
    FRICTION,
    IMPULSE,
    J_A,
    J_B,
    STATE,
    STIFF,
    U,
    Y,
)
from redmax.solvers.contact.coulomb_turns import press_turns
from redmax.solvers.contact.metric import add_springs, metric, spring_forces
from redmax.solvers.contact.terms import moved


@routine
def exert(row: Vector, exact: Number) -> None:
    """y, F and the state of a contact at u."""
    r, mu = row[STIFF], row[FRICTION]
    n = row[CARRIED] - r * (row[U] + row[BIAS])
    a = row[CARRIED + 1] - r * (row[U + 1] + row[BIAS + 1])
    b = row[CARRIED + 2] - r * (row[U + 2] + row[BIAS + 2])
    square = a * a + b * b
    row[Y] = n
    row[Y + 1] = a
    row[Y + 2] = b
    row[STATE] = 1.0
    p, q, s = n, a, b
    if n <= 0.0 and (exact > 0.5 or mu * mu * square <= n * n):
        row[STATE] = 0.0
        p, q, s = 0.0, 0.0, 0.0
    elif mu <= 0.0:
        row[STATE] = 2.0
        q, s = 0.0, 0.0
    elif n <= 0.0 or square > mu * mu * n * n:
        row[STATE] = 2.0
        size = sqrt(square)
        if exact < 0.5:
            p = (n + mu * size) / (1.0 + mu * mu)
        q, s = mu * p * a / size, mu * p * b / size
    row[IMPULSE] = p
    row[IMPULSE + 1] = q
    row[IMPULSE + 2] = s


@routine
def slope_of(row: Vector, exact: Number, D: Vector) -> None:
    """r D, row after row, at y and in the state that are known."""
    r, mu = row[STIFF], row[FRICTION]
    for k in range(9):
        D[k] = 0.0
    if row[STATE] > 1.5:
        D[0] = r
        if mu > 0.0:
            size = sqrt(row[Y + 1] * row[Y + 1] + row[Y + 2] * row[Y + 2])
            c, s, q = row[Y + 1] / size, row[Y + 2] / size, where(exact > 0.5, 1.0, 1.0 / (1.0 + mu * mu))
            k, along = r * mu * row[IMPULSE] / size, where(exact > 0.5, 0.0, r * q * mu)
            D[0] = q * r
            D[1] = along * c
            D[2] = along * s
            D[3] = q * r * mu * c
            D[4] = mu * along * c * c + k * s * s
            D[5] = (mu * along - k) * c * s
            D[6] = q * r * mu * s
            D[7] = (mu * along - k) * c * s
            D[8] = mu * along * s * s + k * c * c
    elif row[STATE] > 0.5:
        D[0] = r
        D[4] = r
        D[8] = r


@routine
def press_at(C: Matrix, counts: Vector, limits: Vector, V: Matrix, world: Whole) -> None:
    """u and F of all contacts where bodies change their twists by V."""
    for c in range(whole(counts[0])):
        row = C[c]
        moved(row, V, world, row[U:])
        for k in range(3):
            row[U + k] += row[FREE + k]
        exert(row, limits[3])


@routine
def out_of_balance(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, K: Vector, s: Matrix, x: Vector, V: Matrix, w: Matrix, g: Vector,
    first: Wholes, parent: Wholes, bodies: Whole, one: Wholes, two: Wholes, forth: Wholes, start: Wholes, size: Wholes, width: Wholes,
    pairs: Whole,
) -> None:  # fmt: skip
    """g = r(x), and with it u and F of all contacts."""
    out_of_balance_turning(
        x, C, counts, limits, M, E, K, s, x, V, w, g, first, parent, bodies, one, two, forth, start, size, width, pairs, 0
    )  # fmt: skip


@routine
def out_of_balance_turning(
    turned: Vector, C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, K: Vector, s: Matrix, x: Vector, V: Matrix, w: Matrix,
    g: Vector, first: Wholes, parent: Wholes, bodies: Whole, one: Wholes, two: Wholes, forth: Wholes, start: Wholes, size: Wholes,
    width: Wholes, pairs: Whole, moments: Whole,
) -> None:  # fmt: skip
    """The same of contacts of which some have moments; turned: how many."""
    carry(s, x, V, first, parent, bodies)
    V[bodies, 0:8] = 0.0
    w[bodies, 0:8] = 0.0
    press_at(C, counts, limits, V, bodies)
    for b in range(bodies):
        for i in range(6):
            w[b, i] = dot(M[6 * b + i, 0:6], V[b, 0:6])
        w[b, 6] = 0.0
        w[b, 7] = 0.0
    for c in range(whole(counts[0])):
        row = C[c]
        if row[STATE] > 0.5:
            a, b_ = whole(row[BODY_A]), whole(row[BODY_B])
            p, q, t = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
            for i in range(6):
                w[b_, i] -= p * row[J_B + i] + q * row[J_B + 8 + i] + t * row[J_B + 16 + i]
            if row[BODY_A] < float(bodies) - 0.5:
                for i in range(6):
                    w[a, i] -= p * row[J_A + i] + q * row[J_A + 8 + i] + t * row[J_A + 16 + i]
    if moments > 0:
        press_turns(C, whole(counts[0]), whole(counts[0]) + whole(turned[0]), V, w, bodies)
    to_coordinates(w, s, g, first, parent, bodies)
    for b in range(bodies):
        for k in range(first[b], first[b + 1]):
            for c in range(first[b], first[b + 1]):
                g[k] += E[k, c - first[b]] * x[c]
    for k in range(pairs):
        spring_forces(K[forth[k] :], g, x, start[one[k]], start[two[k]], size[one[k]], size[two[k]], width[two[k]])


@routine
def slopes_of_balance(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, B: Matrix, E: Matrix, K: Vector, s: Matrix, G: Matrix, D: Vector, Q: Matrix,
    A: Matrix, up: Vector, begin: Vector, of: Vector, first: Wholes, parent: Wholes, bodies: Whole, n: Whole, one: Wholes, two: Wholes,
    forth: Wholes, start: Wholes, size: Wholes, width: Wholes, pairs: Whole,
) -> None:  # fmt: skip
    """A = dr/dx = H + J' r D J, of contacts that are not open. Q: room for J of one, and for r D J."""
    metric(M, B, E, s, G, A, first, parent, bodies, n)
    for k in range(pairs):
        add_springs(K[forth[k] :], A, start[one[k]], start[two[k]], size[one[k]], size[two[k]], width[two[k]])
    for c in range(whole(counts[0])):
        row = C[c]
        if row[STATE] > 0.5:
            slope_of(row, limits[3], D)
            for r in range(3):
                Q[r, 0:n] = 0.0
            along_coordinates(row[J_B:], s, whole(row[BODY_B]), up, begin, Q)
            if of[whole(row[BODY_A])] > -0.5:
                along_coordinates(row[J_A:], s, whole(row[BODY_A]), up, begin, Q)
            for r in range(3):
                k = 3 * r
                Q[3 + r, 0:n] = D[k] * Q[0, 0:n] + D[k + 1] * Q[1, 0:n] + D[k + 2] * Q[2, 0:n]
            for k in range(n):
                A[k, 0:n] += Q[0, k] * Q[3, 0:n] + Q[1, k] * Q[4, 0:n] + Q[2, k] * Q[5, 0:n]
