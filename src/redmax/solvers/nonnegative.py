"""Quadratic problems of unknowns that are not negative, min 1/2 c'A c - g'c, c >= 0, of which A has far smaller rank than rows.

Augmented Lagrangians (Rockafellar 1976): c is max(c0 + (g - A c) / e, 0), c0 that of the round before, until nothing changes. Each round
is least for a function that bends with A alone,

    1/2 w'A w + |max(e c0 + g - A w, 0)|^2 / 2 e,      c = max(e c0 + g - A w, 0) / e

by Newton's method: of unknowns that are not zero at w, (A + e) w = e c0 + g is solved, and a step is halved until it falls there.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, dot, whole
from redmax.solvers.elimination import factor, solve

SOFT = 1e-7  # e, of the mean of A's diagonal
SAME, SMALL = 1e-11, 1e-13  # of g, and of the largest part of A c: a change of A c that is none, of two rounds or two steps
ROUNDS, STEPS, LEAST, TOO_FAR = 60.0, 200.0, 1e-9, 1e-3  # at most; the smallest part of a step; of the slope, where one need not be shorter


@routine
def slope_along(g: Vector, c0: Vector, Aw: Vector, Ad: Vector, w: Vector, d: Vector, e: Number, way: Number, n: Whole) -> float:
    """Of the function at w + way d."""
    total = 0.0
    for i in range(n):
        pushed = e * c0[i] + g[i] - Aw[i] - way * Ad[i]
        total += Ad[i] * (w[i] + way * d[i] - where(pushed > 0.0, pushed, 0.0) / e)
    return total


@routine
def newton_step(
    A: Matrix, K: Matrix, g: Vector, c0: Vector, w: Vector, d: Vector, y: Vector, Aw: Vector, order: Vector, e: Number, n: Whole
) -> None:  # fmt: skip
    """d, from w to where Newton's method leads."""
    m = 0.0
    for i in range(n):
        if e * c0[i] + g[i] - Aw[i] > 0.0:
            order[whole(m)] = float(i)
            m += 1.0
    free = whole(m)
    for k in range(free):
        i = whole(order[k])
        y[k] = e * c0[i] + g[i]
        for h in range(k, free):
            K[k, h] = A[i, whole(order[h])]
        K[k, k] += e
    factor(K, free, 0, free)
    solve(K, y, free)
    for i in range(n):
        d[i] = -w[i]
    for k in range(free):
        d[whole(order[k])] += y[k]


@routine
def minimise_nonnegative(
    A: Matrix, K: Matrix, g: Vector, c: Vector, c0: Vector, w: Vector, d: Vector, y: Vector, Aw: Vector, Ad: Vector, order: Vector, n: Whole
) -> None:  # fmt: skip
    """c: from where it is on."""
    e, size = 0.0, 1e-300
    for i in range(n):
        e += SOFT * A[i, i] / float(n)
        size = max(size, abs(g[i]))
        w[i] = c[i]
    rounds = 0.0
    while rounds < ROUNDS:
        for i in range(n):
            c0[i] = c[i]
            Aw[i] = dot(A[i, 0:n], w[0:n])
        steps, changed = 0.0, 0.0
        while steps < STEPS:
            newton_step(A, K, g, c0, w, d, y, Aw, order, e, n)
            change = 0.0
            for i in range(n):
                Ad[i] = dot(A[i, 0:n], d[0:n])
                change = max(change, abs(Ad[i]))
            way, begins, shorter = 1.0, slope_along(g, c0, Aw, Ad, w, d, e, 0.0, n), 1.0
            if change > SAME * size and slope_along(g, c0, Aw, Ad, w, d, e, 1.0, n) > TOO_FAR * abs(begins):
                while shorter > 0.0:
                    way *= 0.5
                    rises = where(slope_along(g, c0, Aw, Ad, w, d, e, way, n) > 0.0, 1.0, 0.0)
                    shorter = where(way > LEAST, rises, 0.0)
            for i in range(n):
                w[i] += way * d[i]
                Aw[i] += way * Ad[i]
            small = SAME * size
            for i in range(n):
                small = max(small, SMALL * A[i, i] * abs(w[i]))
            changed = where(change > small, 1.0, changed)
            steps = where(change > small, steps + 1.0, STEPS)
        for i in range(n):
            pushed = e * c0[i] + g[i] - Aw[i]
            c[i] = where(pushed > 0.0, pushed, 0.0) / e
        rounds = where(changed > 0.5, rounds + 1.0, ROUNDS)
