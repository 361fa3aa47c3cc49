"""Torsional and rolling friction: a contact that has them is two rows of the table, forces at the point and, behind all others, moments.

    K = {(n, t, m_n, m_t):  |t| <= mu n,  |m_n| <= c n,  |m_t| <= d n}                  c, d: lengths of torsional and rolling friction

Moments are told as impulses at an arm `SCALE`, which is chosen so that bodies give way to them as to forces: then P_K is the nearest place.
With A the laws that y breaks, v = (1, k_i y_i / |y_i|) over these, k = (mu, c / arm, d / arm), and q = 1 / (1 + sum of k_i^2 over A):

    p = q (y_n + sum over A of k_i |y_i|),   f_i = k_i p y_i / |y_i|,   dP/dy = q v v' + sum over A of (k_i p / |y_i|) (1 - d_i d_i')

Sets that are too large give a p that is too small, so that p rises to its place as laws that are kept leave A: in three turns at most.
The slack of exact friction is k_1 |u_1| + k_2 |u_2| + k_3 |u_3|: then each of the three laws holds by itself (De Saxce and Feng 1998).
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, matrix, whole
from redmax.solvers.contact.columns import (
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    DU,
    FREE,
    FRICTION,
    IMPULSE,
    J_A,
    J_B,
    LENGTHS,
    MANTLE,
    MASS,
    SHARE,
    SLOPE,
    STATE,
    STIFF,
    TREE_A,
    TREE_B,
    TURNED,
    TWIN,
    WORK,
    U,
    Y,
)
from redmax.solvers.contact.cone import length, on_cone
from redmax.solvers.contact.terms import moved
from redmax.solvers.contact.tree_blocks import MISSING

LAWS = 3


@routine
def on_cones(mu: Number, lengths: Vector, n: Number, y: Vector, z: Vector, f: Vector, m: Vector, v: Vector) -> Any:
    """f and m = P_K of (n, y[1:3], z[0:3]); v: the mantle, 6 numbers, then q, then p. Returns 0 where all of it is zero, else 1."""
    k, d = lengths[0], lengths[1]
    s, t, r = length(y[1], y[2]), abs(z[0]), length(z[1], z[2])
    p = (n + mu * s + k * t + d * r) / (1.0 + mu * mu + k * k + d * d)
    a, b, c = 1.0, 1.0, 1.0
    for _ in range(LAWS):
        a, b, c = where(s > mu * p, 1.0, 0.0), where(t > k * p, 1.0, 0.0), where(r > d * p, 1.0, 0.0)
        p = (n + a * mu * s + b * k * t + c * d * r) / (1.0 + a * mu * mu + b * k * k + c * d * d)
    a, b, c = where(s > mu * p, 1.0, 0.0), where(t > k * p, 1.0, 0.0), where(r > d * p, 1.0, 0.0)
    some = where(n + mu * s + k * t + d * r > 0.0, 1.0, 0.0)
    p = some * p
    over_s, over_t, over_r = 1.0 / where(s > 0.0, s, 1.0), 1.0 / where(t > 0.0, t, 1.0), 1.0 / where(r > 0.0, r, 1.0)
    f[0] = p
    f[1] = some * where(a > 0.0, mu * p * over_s, 1.0) * y[1]
    f[2] = some * where(a > 0.0, mu * p * over_s, 1.0) * y[2]
    m[0] = some * where(b > 0.0, k * p * over_t, 1.0) * z[0]
    m[1] = some * where(c > 0.0, d * p * over_r, 1.0) * z[1]
    m[2] = some * where(c > 0.0, d * p * over_r, 1.0) * z[2]
    v[0] = 1.0
    v[1] = a * mu * over_s * y[1]
    v[2] = a * mu * over_s * y[2]
    v[3] = b * k * over_t * z[0]
    v[4] = c * d * over_r * z[1]
    v[5] = c * d * over_r * z[2]
    v[6] = 1.0 / (1.0 + a * mu * mu + b * k * k + c * d * d)
    v[7] = p
    return some


@routine
def cones_slope(mu: Number, y: Vector, z: Vector, row: Vector, t: Vector) -> None:
    """The blocks of dP/dy on the diagonal; what couples forces and moments is SHARE v v'."""
    v = t[MANTLE:]
    q, p = v[6], v[7]
    some = where(row[STATE] > 0.5, 1.0, 0.0)
    s, r = length(y[1], y[2]), length(z[1], z[2])
    slides, spins, rolls = where(s > mu * p, 1.0, 0.0), where(abs(z[0]) > t[LENGTHS] * p, 1.0, 0.0), where(r > t[LENGTHS + 1] * p, 1.0, 0.0)
    inner = where(slides > 0.0, mu * p / where(s > 0.0, s, 1.0), 1.0)
    x, e = y[1] / where(s > 0.0, s, 1.0), y[2] / where(s > 0.0, s, 1.0)
    row[SLOPE] = some * q
    row[SLOPE + 1] = some * q * v[1]
    row[SLOPE + 2] = some * q * v[2]
    row[SLOPE + 3] = some * (q * v[1] * v[1] + inner * (1.0 - slides * x * x))
    row[SLOPE + 4] = some * (q * v[1] * v[2] - inner * slides * x * e)
    row[SLOPE + 5] = some * (q * v[2] * v[2] + inner * (1.0 - slides * e * e))
    inner = where(rolls > 0.0, t[LENGTHS + 1] * p / where(r > 0.0, r, 1.0), 1.0)
    x, e = z[1] / where(r > 0.0, r, 1.0), z[2] / where(r > 0.0, r, 1.0)
    t[SLOPE] = some * (q * v[3] * v[3] + 1.0 - spins)
    t[SLOPE + 1] = some * q * v[3] * v[4]
    t[SLOPE + 2] = some * q * v[3] * v[5]
    t[SLOPE + 3] = some * (q * v[4] * v[4] + inner * (1.0 - rolls * x * x))
    t[SLOPE + 4] = some * (q * v[4] * v[5] - inner * rolls * x * e)
    t[SLOPE + 5] = some * (q * v[5] * v[5] + inner * (1.0 - rolls * e * e))
    t[SHARE] = some * q * row[STIFF]


@routine
def project_moments(C: Matrix, count: Whole, every: Whole) -> None:
    """Of contacts with moments, whose y is known: f and D of both rows."""
    for c in range(count, every):
        t = C[c]
        row = C[whole(t[TWIN])]
        for k in range(3):
            t[Y + k] = t[CARRIED + k] - t[STIFF] * (t[U + k] + t[BIAS + k])
        mu = row[FRICTION]
        some = on_cones(mu, t[LENGTHS:], row[Y], row[Y:], t[Y:], row[IMPULSE:], t[IMPULSE:], t[MANTLE:])
        slides = where(length(row[Y + 1], row[Y + 2]) > mu * row[IMPULSE], 1.0, 0.0)
        row[STATE] = some * (1.0 + slides)
        t[STATE] = some
        cones_slope(mu, row[Y:], t[Y:], row, t)
        gone = t[LENGTHS] * abs(t[IMPULSE] - t[Y]) + t[LENGTHS + 1] * length(t[IMPULSE + 1] - t[Y + 1], t[IMPULSE + 2] - t[Y + 2])
        row[TURNED] = gone / row[STIFF]


@routine
def more_power(C: Matrix, count: Whole, every: Whole, way: Number) -> float:
    """What moments, and what forces beside them, add to f . DU of contacts as if they had none."""
    total = 0.0
    for c in range(count, every):
        t = C[c]
        row = C[whole(t[TWIN])]
        k = way * t[STIFF]
        for i in range(3):
            row[WORK + 3 + i] = row[Y + i] - k * row[DU + i]
            t[WORK + 3 + i] = t[Y + i] - k * t[DU + i]
        on_cone(row[FRICTION], row[WORK + 3], row[WORK + 4], row[WORK + 5], row[WORK:])
        total -= row[WORK] * row[DU] + row[WORK + 1] * row[DU + 1] + row[WORK + 2] * row[DU + 2]
        on_cones(row[FRICTION], t[LENGTHS:], row[WORK + 3], row[WORK + 3 :], t[WORK + 3 :], row[WORK:], t[WORK:], t[WORK + 8 :])
        total += row[WORK] * row[DU] + row[WORK + 1] * row[DU + 1] + row[WORK + 2] * row[DU + 2]
        total += t[WORK] * t[DU] + t[WORK + 1] * t[DU + 1] + t[WORK + 2] * t[DU + 2]
    return total


@routine
def add_coupled_wrenches(C: Matrix, count: Whole, every: Whole, w: Matrix, world: Whole) -> None:
    """What add_wrenches leaves out of r D J V: forces by moments, and the other way."""
    for c in range(count, every):
        t = C[c]
        if t[STATE] > 0.5:
            row = C[whole(t[TWIN])]
            v = t[MANTLE:]
            along, about = 0.0, 0.0
            for k in range(3):
                along += v[k] * (row[U + k] - row[FREE + k])
                about += v[3 + k] * (t[U + k] - t[FREE + k])
            push_coupled(row, t, t[SHARE] * along, t[SHARE] * about, w, world)


@routine
def push_coupled(row: Vector, t: Vector, along: Number, about: Number, w: Matrix, world: Whole) -> None:
    """w += about J' v of forces + along J' v of moments."""
    v = t[MANTLE:]
    b = whole(row[BODY_B])
    for k in range(3):
        i = J_B + 8 * k
        w[b, 0:8] += (about * v[k]) * row[i : i + 8] + (along * v[3 + k]) * t[i : i + 8]
    if row[BODY_A] < float(world) - 0.5:
        a = whole(row[BODY_A])
        for k in range(3):
            i = J_A + 8 * k
            w[a, 0:8] += (about * v[k]) * row[i : i + 8] + (along * v[3 + k]) * t[i : i + 8]


@routine
def lessen_coupled(C: Matrix, count: Whole, every: Whole, w: Matrix, world: Whole) -> None:
    """The same of - r D DU."""
    for c in range(count, every):
        t = C[c]
        if t[STATE] > 0.5:
            row = C[whole(t[TWIN])]
            v = t[MANTLE:]
            along = v[0] * row[DU] + v[1] * row[DU + 1] + v[2] * row[DU + 2]
            about = v[3] * t[DU] + v[4] * t[DU + 1] + v[5] * t[DU + 2]
            push_coupled(row, t, -t[SHARE] * along, -t[SHARE] * about, w, world)


@routine
def add_coupled_terms(C: Matrix, count: Whole, every: Whole, B: Matrix) -> None:
    """I += r q (a b' + b a'), a = J' v of forces, b = J' v of moments, of contacts with what does not move."""
    for c in range(count, every):
        t = C[c]
        if t[STATE] > 0.5:
            row = C[whole(t[TWIN])]
            v = t[MANTLE:]
            t[WORK : WORK + 8] = v[0] * row[J_B : J_B + 8] + v[1] * row[J_B + 8 : J_B + 16] + v[2] * row[J_B + 16 : J_B + 24]
            t[WORK + 8 : WORK + 16] = v[3] * t[J_B : J_B + 8] + v[4] * t[J_B + 8 : J_B + 16] + v[5] * t[J_B + 16 : J_B + 24]
            b = whole(row[BODY_B])
            for i in range(6):
                x, y = t[SHARE] * t[WORK + i], t[SHARE] * t[WORK + 8 + i]
                B[6 * b + i, 0:8] += x * t[WORK + 8 : WORK + 16] + y * t[WORK : WORK + 8]


@routine
def assemble_coupled(
    C: Matrix, count: Whole, every: Whole, Q: Matrix, A: Vector, X: Vector, at: Matrix, place: Vector, sizes: Vector, widths: Vector,
    wide: Whole,
) -> None:  # fmt: skip
    """The same in blocks between trees."""
    for c in range(count, every):
        t = C[c]
        if t[STATE] > 0.5:
            twin = whole(t[TWIN])
            J, K, Z = matrix(Q[twin], wide), matrix(Q[c], wide), matrix(X, wide)
            v = t[MANTLE:]
            for side in range(2):
                i = 3 * side
                Z[2 * side, 0:wide] = v[0] * J[i, 0:wide] + v[1] * J[i + 1, 0:wide] + v[2] * J[i + 2, 0:wide]
                Z[2 * side + 1, 0:wide] = v[3] * K[i, 0:wide] + v[4] * K[i + 1, 0:wide] + v[5] * K[i + 2, 0:wide]
            a = whole(t[TREE_A])
            add_outer(matrix(A[whole(at[a, a]) :], whole(widths[a])), Z, t[SHARE], 0, 0, whole(sizes[a]), whole(widths[a]))
            if t[TREE_B] > MISSING + 0.5:
                b = whole(t[TREE_B])
                add_outer(matrix(A[whole(at[b, b]) :], whole(widths[b])), Z, t[SHARE], 2, 2, whole(sizes[b]), whole(widths[b]))
                if place[a] < place[b]:
                    add_outer(matrix(A[whole(at[a, b]) :], whole(widths[b])), Z, t[SHARE], 0, 2, whole(sizes[a]), whole(widths[b]))
                else:
                    add_outer(matrix(A[whole(at[b, a]) :], whole(widths[a])), Z, t[SHARE], 2, 0, whole(sizes[b]), whole(widths[a]))


@routine
def add_outer(K: Matrix, Z: Matrix, share: Number, left: Whole, right: Whole, many: Whole, w: Whole) -> None:
    """K += share (a b' + b a'), of the rows a, b from `left` and from `right` on."""
    for i in range(many):
        x, y = share * Z[left, i], share * Z[left + 1, i]
        K[i, 0:w] += x * Z[right + 1, 0:w] + y * Z[right, 0:w]


@routine
def residual_with_moments(C: Matrix, count: Whole, every: Whole, V: Matrix, exact: Number, world: Whole) -> float:
    """As `residual`, of contacts with moments: the square of the largest."""
    most = 0.0
    for c in range(count, every):
        t = C[c]
        row = C[whole(t[TWIN])]
        m, soft = row[MASS], 1.0 / row[STIFF]
        moved(row, V, world, row[WORK + 8 :])
        moved(t, V, world, t[WORK + 8 :])
        for k in range(3):
            row[WORK + 8 + k] += row[FREE + k] + row[BIAS + k] + (row[IMPULSE + k] - row[CARRIED + k]) * soft
            t[WORK + 8 + k] += t[FREE + k] + t[BIAS + k] + (t[IMPULSE + k] - t[CARRIED + k]) * soft
        slip = row[FRICTION] * length(row[WORK + 9], row[WORK + 10])
        slip += t[LENGTHS] * abs(t[WORK + 8]) + t[LENGTHS + 1] * length(t[WORK + 9], t[WORK + 10])
        row[WORK + 8] += exact * slip
        for k in range(3):
            row[WORK + 3 + k] = row[IMPULSE + k] - m * row[WORK + 8 + k]
            t[WORK + 3 + k] = t[IMPULSE + k] - m * t[WORK + 8 + k]
        on_cones(row[FRICTION], t[LENGTHS:], row[WORK + 3], row[WORK + 3 :], t[WORK + 3 :], row[WORK:], t[WORK:], t[WORK + 12 :])
        square = 0.0
        for k in range(3):
            x, y = row[IMPULSE + k] - row[WORK + k], t[IMPULSE + k] - t[WORK + k]
            square += (x * x + y * y) / (m * m)
        most = where(square > most, square, most)
    return most
