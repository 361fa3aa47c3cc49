"""The outer iteration of exact friction for worlds side by side: as solvers/contact/slack.py, of which all worlds are in the same turn."""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slack import DEPTH, NOTHING, REGULAR, solve
from redmax.solvers.contact.slots.columns import FRICTION, HELD, IMPULSE, SLACK, SOFT, Y


@routine
def next_slack(C: Matrix, X: Matrix, G: Matrix, A: Matrix, gamma: Vector, n: Whole, slots: Whole, going: Number) -> None:
    """The slacks of the next convex problem, in worlds that go on. X: the last n slacks; G: what the map made of them, less themselves."""
    for i in range(n):
        gamma[i] = 0.0
        for j in range(i + 1):
            A[i, j] = 0.0
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            a, b = row[IMPULSE + 1] - row[Y + 1], row[IMPULSE + 2] - row[Y + 2]
            X[n, c] = row[SLACK]
            G[n, c] = row[FRICTION] * sqrt(a * a + b * b) * row[SOFT] - row[SLACK]
            for i in range(n):
                d = G[i + 1, c] - G[i, c]
                gamma[i] += d * G[n, c]
                for j in range(i + 1):
                    A[i, j] += d * (G[j + 1, c] - G[j, c])
    trace = 0.0
    for i in range(n):
        trace += A[i, i]
    for i in range(n):
        A[i, i] += REGULAR * trace + NOTHING
    solve(A, gamma, n)
    for c in range(slots):
        row = C[c]
        if some(row[HELD] > 0.5):
            x = G[n, c] + X[n, c]
            for k in range(n):
                x -= gamma[k] * (G[k + 1, c] + X[k + 1, c] - G[k, c] - X[k, c])
            row[SLACK] = where(going > 0.0, where(x > 0.0, x, 0.0), row[SLACK])


@routine
def forget_first(C: Matrix, X: Matrix, G: Matrix, slots: Whole) -> None:
    """Where there are as many as are kept: room for one more."""
    for c in range(slots):
        if some(C[c, HELD] > 0.5):
            for k in range(DEPTH):
                X[k, c] = X[k + 1, c]
                G[k, c] = G[k + 1, c]
