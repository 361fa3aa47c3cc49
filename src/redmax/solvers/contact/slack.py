"""Exact Coulomb friction: the outer iteration on slack = mu |v_t|, which the convex problem lacks, accelerated (Anderson 1965).

The convex problem asks for u_n >= mu |u_t| of sliding contacts, which lifts them off (Anitescu 2006); with slack added to u_n its solution
is that of Coulomb's law once slack = mu |v_t| (De Saxce and Feng 1998). v_t comes from what the projection took away, (f_t - y_t) / r. Of
the last differences of this map those are combined that make its residual least, with weights gamma.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, matrix, whole
from redmax.solvers.contact.columns import ASLEEP, FRICTION, IMPULSE, SLACK, STIFF, TURNED, Y
from redmax.solvers.contact.cone import length

DEPTH = 5  # differences
LAST, ROOM = DEPTH, DEPTH + 1  # rows behind them
ROWS, ROOM_OF_WEIGHTS = DEPTH + 2, DEPTH * (DEPTH + 1)
VAIN = 20.0  # convex problems after which differences are forgotten
REGULAR = 1e-10  # of the trace, added to its diagonal
NOTHING = 1e-300


@routine
def asked(row: Vector, moments: Whole) -> Any:
    """mu |v_t| by what the projection took away."""
    slack = row[FRICTION] * length(row[IMPULSE + 1] - row[Y + 1], row[IMPULSE + 2] - row[Y + 2]) / row[STIFF]
    if moments > 0:
        slack += row[TURNED]
    return slack


@routine
def slack_error(C: Matrix, count: Whole, moments: Whole) -> float:
    """How far slacks are from what is asked for."""
    most = 0.0
    for c in range(count):
        row = C[c]
        most = max(most, abs(asked(row, moments) - row[SLACK]))
    return most


@routine
def next_slack(C: Matrix, count: Whole, X: Matrix, G: Matrix, A: Matrix, gamma: Vector, known: Vector, moments: Whole) -> None:
    """The slacks of the next convex problem. known: how many were tried, and since when.

    X, G: the last differences of r = g - x and of g, what the map made of slacks x, in no order; then the last r and g, and room
    gamma: weights, and behind them products of differences; A: room. After some in vain it begins anew, half way to what is asked for:
    what it then knows is of one place
    """
    known[1] += 1.0
    if known[1] > VAIN:
        known[0] = 0.0
        known[1] = 0.0
        for c in range(count):
            if C[c, ASLEEP] < 0.5:
                C[c, SLACK] = 0.5 * (C[c, SLACK] + asked(C[c], moments))
    else:
        combine(C, count, X, G, A, gamma, known, moments)


@routine
def combine(C: Matrix, count: Whole, X: Matrix, G: Matrix, A: Matrix, gamma: Vector, known: Vector, moments: Whole) -> None:
    """Of the last differences: the newest takes the place of the oldest."""
    n, K = whole(min(known[0], float(DEPTH))), matrix(gamma[DEPTH:], DEPTH)
    for c in range(count):
        G[ROOM, c] = asked(C[c], moments)
        X[ROOM, c] = G[ROOM, c] - C[c, SLACK]
    if n > 0:
        new = whole(known[0]) - 1 - DEPTH * ((whole(known[0]) - 1) // DEPTH)
        X[new, 0:count] = X[ROOM, 0:count] - X[LAST, 0:count]
        G[new, 0:count] = G[ROOM, 0:count] - G[LAST, 0:count]
        for i in range(n):
            x = dot(X[i, 0:count], X[new, 0:count])
            K[i, new] = x
            K[new, i] = x
    X[LAST, 0:count] = X[ROOM, 0:count]
    G[LAST, 0:count] = G[ROOM, 0:count]
    trace = 0.0
    for i in range(n):
        gamma[i] = dot(X[i, 0:count], X[LAST, 0:count])
        trace += K[i, i]
        for j in range(i + 1):
            A[i, j] = K[i, j]
    for i in range(n):
        A[i, i] += REGULAR * trace + NOTHING
    solve(A, gamma, n)
    for k in range(n):
        G[ROOM, 0:count] -= gamma[k] * G[k, 0:count]
    for c in range(count):
        x = G[ROOM, c]
        if C[c, ASLEEP] < 0.5:
            C[c, SLACK] = where(x > 0.0, x, 0.0)
    known[0] += 1.0


@routine
def solve(A: Matrix, x: Vector, n: Whole) -> None:
    """A x = b, with b in x and the lower half of A."""
    for k in range(n):
        for i in range(k + 1, n):
            m = A[i, k] / A[k, k]
            for j in range(i, n):
                A[j, i] -= m * A[j, k]
            x[i] -= m * x[k]
    for k in reversed(range(n)):
        for i in range(k + 1, n):
            x[k] -= A[i, k] * x[i]
        x[k] /= A[k, k]
