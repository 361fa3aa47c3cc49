"""The outer iteration of exact friction for worlds side by side (compare solvers/contact/slack.py): all worlds are in the same turn of it.

Differences are kept as such, the oldest is written over, and of their products only those with the newest one are computed in a turn.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slack import DEPTH, NOTHING, REGULAR, solve
from redmax.solvers.contact.slots.columns import ACTIVE, MADE, SLACK


@routine
def next_slack(
    C: Matrix, last: Matrix, R: Matrix, G: Matrix, K: Matrix, A: Matrix, gamma: Vector, turn: Whole, slots: Whole, going: Number
) -> None:
    """The slacks of the next convex problem, in worlds that go on.

    last: what the map made of the last slacks, and by how much that differs from them; G, R: the last differences of both; K = R R'
    """
    new = turn - 1 - DEPTH * ((turn - 1) // DEPTH)  # where the newest difference goes
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            made = row[MADE]
            off = made - row[SLACK]
            if turn > 0:
                G[new, c] = made - last[0, c]
                R[new, c] = off - last[1, c]
            last[0, c] = made
            last[1, c] = off
    n = min(turn, DEPTH)
    if turn > 0:
        combine(C, last, R, G, K, A, gamma, new, n, slots)
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            x = last[0, c]
            for k in range(n):
                x -= gamma[k] * G[k, c]
            row[SLACK] = where(going > 0.0, where(x > 0.0, x, 0.0), row[SLACK])


@routine
def combine(C: Matrix, last: Matrix, R: Matrix, G: Matrix, K: Matrix, A: Matrix, gamma: Vector, new: Whole, n: Whole, slots: Whole) -> None:
    """The weights gamma of differences that make the residual least."""
    trace = 0.0
    for i in range(n):
        square, along = 0.0, 0.0
        for c in range(slots):
            if some(C[c, ACTIVE] > 0.5):
                square += R[i, c] * R[new, c]
                along += R[i, c] * last[1, c]
        K[i, new] = square
        K[new, i] = square
        gamma[i] = along
    for i in range(n):
        trace += K[i, i]
    for i in range(n):
        for j in range(i + 1):
            A[i, j] = K[i, j]
        A[i, i] += REGULAR * trace + NOTHING
    solve(A, gamma, n)
