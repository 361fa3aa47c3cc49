"""Slacks as functions of velocities, for Coulomb's law at once (at_once.py): what they are, and how they change.

With laws k_i = mu, and of moments c / arm, d / arm, s_i = |y_i| where slack is left out of y_n, and A those that are broken,
slack = share sum of k_i |v_i| is part of the projection, and p its normal impulse:

    p = (y_n + (1 - share) sum over A of k_i s_i) / k,   k = 1 + (1 - share) sum over A of k_i^2,   A: s_i > k_i p
    slack = share sum over A of k_i (s_i - k_i p) / r,   ds = l . du,   l = share / k (sum over A of k_i^2, -k_i d_i)

As in moments.py, p rises to its place where laws that are kept leave A.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.solvers.contact.columns import (
    BIAS,
    BODY_A,
    BODY_B,
    CARRIED,
    FRICTION,
    J_A,
    J_B,
    LENGTHS,
    MANTLE,
    SHARE,
    SLACK,
    SLOPE,
    STATE,
    STIFF,
    TWIN,
    WORK,
    U,
    Y,
)
from redmax.solvers.contact.cone import length
from redmax.solvers.contact.moments import LAWS

LEAD = WORK + 8  # l of a contact


@routine
def asked_at(row: Vector, k: Whole) -> Any:
    """An entry of y without slack."""
    return row[CARRIED + k] - row[STIFF] * (row[U + k] + row[BIAS + k])


@routine
def fit_slacks(C: Matrix, count: Whole, share: Number, moments: Whole) -> None:
    """slack = share mu |v_t|, where v_t is what the projection takes away that has this slack."""
    for c in range(count):
        row = C[c]
        mu, r = row[FRICTION], row[STIFF]
        n = asked_at(row, 0)
        size = length(asked_at(row, 1), asked_at(row, 2))
        f = max((n + (1.0 - share) * mu * size) / (1.0 + (1.0 - share) * mu * mu), 0.0)
        row[SLACK] = where(size > mu * n, share * mu * (size - mu * f) / r, 0.0)
        if moments > 0 and row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            row[SLACK] = slack_of_laws(mu, t[LENGTHS], t[LENGTHS + 1], share, n, size, t) / r


@routine
def slack_of_laws(mu: Number, k: Number, d: Number, share: Number, n: Number, s: Number, t: Vector) -> Any:
    """r slack, of a contact with moments. n, s: y_n and |y_t|; t: the row of its moments"""
    z, e, rest = abs(asked_at(t, 0)), length(asked_at(t, 1), asked_at(t, 2)), 1.0 - share
    p = (n + rest * (mu * s + k * z + d * e)) / (1.0 + rest * (mu * mu + k * k + d * d))
    for _ in range(LAWS):
        a, b, c = where(s > mu * p, mu, 0.0), where(z > k * p, k, 0.0), where(e > d * p, d, 0.0)
        p = (n + rest * (a * s + b * z + c * e)) / (1.0 + rest * (a * a + b * b + c * c))
    p = max(p, 0.0)
    return share * (mu * max(s - mu * p, 0.0) + k * max(z - k * p, 0.0) + d * max(e - d * p, 0.0))


@routine
def leads(C: Matrix, count: Whole, share: Number, moments: Whole) -> None:
    """l of all contacts."""
    for c in range(count):
        row = C[c]
        mu, slides = row[FRICTION], where(row[STATE] > 1.5, 1.0, 0.0)
        size = where(slides > 0.5, length(row[Y + 1], row[Y + 2]), 1.0)
        k = slides * share * mu / (1.0 + (1.0 - share) * mu * mu)
        row[LEAD] = k * mu
        row[LEAD + 1] = -k * row[Y + 1] / size
        row[LEAD + 2] = -k * row[Y + 2] / size
        if moments > 0 and row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            v = t[MANTLE:]
            broken = 1.0 / v[6] - 1.0
            k = where(row[STATE] > 0.5, share / (1.0 + (1.0 - share) * broken), 0.0)
            row[LEAD] = k * broken
            row[LEAD + 1] = -k * v[1]
            row[LEAD + 2] = -k * v[2]
            for i in range(3):
                t[LEAD + i] = -k * v[3 + i]


@routine
def led(C: Matrix, c: Whole, at: Whole, moments: Whole) -> Any:
    """l . u, of three entries of the rows of a contact."""
    row = C[c]
    found = row[LEAD] * row[at] + row[LEAD + 1] * row[at + 1] + row[LEAD + 2] * row[at + 2]
    if moments > 0 and row[TWIN] > -0.5:
        t = C[whole(row[TWIN])]
        found += t[LEAD] * t[at] + t[LEAD + 1] * t[at + 1] + t[LEAD + 2] * t[at + 2]
    return found


@routine
def add_slacks(C: Matrix, count: Whole, ds: Vector, sign: Number, w: Matrix, world: Whole, moments: Whole) -> None:
    """w += sign J' r D n ds."""
    for c in range(count):
        row = C[c]
        if row[LEAD] > 0.0:
            r = sign * row[STIFF] * ds[c]
            push_along(row, r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2], w, world)
            if moments > 0 and row[TWIN] > -0.5:
                t = C[whole(row[TWIN])]
                r, v = sign * t[SHARE] * ds[c], t[MANTLE:]
                push_along(t, r * v[3], r * v[4], r * v[5], w, world)


@routine
def push_along(row: Vector, n: Number, s: Number, t: Number, w: Matrix, world: Whole) -> None:
    """w += J' (n, s, t)."""
    a, b = whole(row[BODY_A]), whole(row[BODY_B])
    w[b, 0:8] += n * row[J_B : J_B + 8] + s * row[J_B + 8 : J_B + 16] + t * row[J_B + 16 : J_B + 24]
    if a < world:
        w[a, 0:8] += n * row[J_A : J_A + 8] + s * row[J_A + 8 : J_A + 16] + t * row[J_A + 16 : J_A + 24]
