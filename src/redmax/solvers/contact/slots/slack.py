"""The outer iteration of exact friction for worlds side by side (compare solvers/contact/slack.py), each world in a turn of its own.

Differences are kept as such, the oldest is written over, and of their products only those with the newest one are computed in a turn.
Where a world has fewer of them than another, those that it has not are zero, and so are their weights.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slack import DEPTH, NOTHING, REGULAR, VAIN, solve
from redmax.solvers.contact.slots.columns import ACTIVE, MADE, SLACK

LAST, OFF, CHANGED = 0, 1, 2  # what the map made of the last slacks; by how much that differs from them; by how much more than before
NONE = -2.0  # the newest difference, of a world in its first turn


@routine
def next_slack(
    C: Matrix, last: Matrix, R: Matrix, G: Matrix, K: Matrix, A: Matrix, gamma: Vector, newest: Number, tried: Number, turn: Whole,
    slots: Whole, every: Number,
) -> Any:  # fmt: skip
    """The slacks of the next convex problem, in worlds where there is one, `every`; returns which difference is the newest, and how many
    were tried since it began.

    turn: before which no world has so many; G, R: the last differences of what the map made, and of OFF; K = R R'
    """
    n = min(turn, DEPTH)
    tried += every
    vain = where(tried > VAIN, every, 0.0)
    on = every - vain
    newest = where(on > 0.0, where(newest > float(DEPTH) - 1.5, 0.0, newest + 1.0), newest)
    if turn > 0:
        if turn <= DEPTH:
            begin_difference(R, G, K, turn - 1, slots)
        keep_difference(C, last, R, G, newest, n, slots, on)
        combine(C, last, R, K, A, gamma, newest, n, slots, on)
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            x = row[MADE]
            last[OFF, c] = where(on > 0.0, x - row[SLACK], last[OFF, c])
            last[LAST, c] = where(on > 0.0, x, last[LAST, c])
            for k in range(n):
                x -= gamma[k] * G[k, c]
            row[SLACK] = where(on > 0.0, where(x > 0.0, x, 0.0), row[SLACK])
    if some(vain > 0.0):
        forget(C, R, G, K, n, slots, vain)
        newest = where(vain > 0.0, NONE, newest)
        tried = where(vain > 0.0, 0.0, tried)
    return newest, tried


@routine
def forget(C: Matrix, R: Matrix, G: Matrix, K: Matrix, n: Whole, slots: Whole, vain: Number) -> None:
    """It begins anew, half way to what is asked for."""
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            row[SLACK] = where(vain > 0.0, 0.5 * (row[SLACK] + row[MADE]), row[SLACK])
        for k in range(n):
            R[k, c] = where(vain > 0.0, 0.0, R[k, c])
            G[k, c] = where(vain > 0.0, 0.0, G[k, c])
    for i in range(n):
        for k in range(n):
            K[i, k] = where(vain > 0.0, 0.0, K[i, k])


@routine
def begin_difference(R: Matrix, G: Matrix, K: Matrix, k: Whole, slots: Whole) -> None:
    """None yet."""
    for c in range(slots):
        R[k, c] = 0.0
        G[k, c] = 0.0
    for i in range(k + 1):
        K[i, k] = 0.0
        K[k, i] = 0.0


@routine
def keep_difference(C: Matrix, last: Matrix, R: Matrix, G: Matrix, newest: Number, n: Whole, slots: Whole, on: Number) -> None:
    """From the slacks before to those that were just met."""
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            last[CHANGED, c] = row[MADE] - row[SLACK] - last[OFF, c]
    for k in range(n):
        here = where(abs(newest - float(k)) < 0.5, on, 0.0)
        if some(here > 0.0):
            for c in range(slots):
                if some(C[c, ACTIVE] > 0.5):
                    R[k, c] = where(here > 0.0, last[CHANGED, c], R[k, c])
                    G[k, c] = where(here > 0.0, C[c, MADE] - last[LAST, c], G[k, c])


@routine
def combine(
    C: Matrix, last: Matrix, R: Matrix, K: Matrix, A: Matrix, gamma: Vector, newest: Number, n: Whole, slots: Whole, on: Number
) -> None:
    """The weights gamma of differences that make the residual least."""
    trace = 0.0
    for i in range(n):
        square, along = 0.0, 0.0
        for c in range(slots):
            if some(C[c, ACTIVE] > 0.5):
                square += R[i, c] * last[CHANGED, c]
                along += R[i, c] * (C[c, MADE] - C[c, SLACK])
        for k in range(n):
            here = where(abs(newest - float(k)) < 0.5, on, 0.0)
            K[i, k] = where(here > 0.0, square, K[i, k])
            K[k, i] = where(here > 0.0, square, K[k, i])
        gamma[i] = along
    for i in range(n):
        trace += K[i, i]
    for i in range(n):
        for j in range(i + 1):
            A[i, j] = K[i, j]
        A[i, i] += REGULAR * trace + NOTHING
    solve(A, gamma, n)
