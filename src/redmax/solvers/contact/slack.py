"""Exact Coulomb friction: the outer iteration on slack = mu |v_t|, which the convex problem lacks, accelerated (Anderson 1965).

The convex problem asks for u_n >= mu |u_t| of sliding contacts, which lifts them off (Anitescu 2006); with slack added to u_n its solution
is that of Coulomb's law once slack = mu |v_t| (De Saxce and Feng 1998). v_t comes from what the projection took away, (f_t - y_t) / r. Of
the last differences of this map those are combined that make its residual least, with weights gamma.
"""

from __future__ import annotations

from typing import Any

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole
from redmax.solvers.contact.columns import FRICTION, IMPULSE, SLACK, STIFF, TURNED, Y
from redmax.solvers.contact.cone import length

DEPTH = 5  # differences
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
    """The slacks of the next convex problem. X, G: the last slacks and what the map made of them; known: how many, and since when.

    After some in vain it begins anew, half way to what is asked for: what it then knows is of one place.
    """
    known[1] += 1.0
    if known[1] > VAIN:
        known[0] = 0.0
        known[1] = 0.0
        for c in range(count):
            C[c, SLACK] = 0.5 * (C[c, SLACK] + asked(C[c], moments))
    else:
        combine(C, count, X, G, A, gamma, known, moments)


@routine
def combine(C: Matrix, count: Whole, X: Matrix, G: Matrix, A: Matrix, gamma: Vector, known: Vector, moments: Whole) -> None:
    """Of the last differences."""
    n = whole(known[0])
    if known[0] > float(DEPTH) + 0.5:
        for k in range(DEPTH):
            for c in range(count):
                X[k, c] = X[k + 1, c]
                G[k, c] = G[k + 1, c]
        n = DEPTH
    for c in range(count):
        row = C[c]
        X[n, c] = row[SLACK]
        G[n, c] = asked(row, moments)
    fill(X, G, A, gamma, n, count)
    solve(A, gamma, n)
    for c in range(count):
        x = G[n, c]
        for k in range(n):
            x -= gamma[k] * (G[k + 1, c] - G[k, c])
        C[c, SLACK] = where(x > 0.0, x, 0.0)
    known[0] = float(n) + 1.0


@routine
def fill(X: Matrix, G: Matrix, A: Matrix, gamma: Vector, n: Whole, count: Whole) -> None:
    """A = dR' dR and gamma = dR' r, of the residuals r = g - x and their differences."""
    trace = 0.0
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for c in range(count):
                total += (G[i + 1, c] - X[i + 1, c] - G[i, c] + X[i, c]) * (G[j + 1, c] - X[j + 1, c] - G[j, c] + X[j, c])
            A[i, j] = total
        total = 0.0
        for c in range(count):
            total += (G[i + 1, c] - X[i + 1, c] - G[i, c] + X[i, c]) * (G[n, c] - X[n, c])
        gamma[i] = total
        trace += A[i, i]
    for i in range(n):
        A[i, i] += REGULAR * trace + NOTHING


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
