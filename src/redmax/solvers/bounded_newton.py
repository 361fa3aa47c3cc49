"""Quadratic problems whose unknowns live in intervals and discs: min 1/2 b'H b - g'b, H positive semidefinite, as of friction.

    low_i <= b_i <= high_i    of single unknowns,      |(b_i, b_i+1)| <= high_i    of pairs

Newton's method on the face that b is on (Bertsekas, SIAM J. Control Optim. 20, 1982, has it for boxes): unknowns at a bound that the
gradient pushes against stay there, pairs on their circle go along it, whose curvature is part of the matrix; the step is projected, and
halved until the energy falls as it promised. Where it does not, a step along the projected gradient is taken, which always gets somewhere.
Rows may repeat others, of which H has no inverse: PROXIMAL |b - c|^2 is added, with c the b of the round before, until that changes
nothing. H b is then right to roundings, and so is what b does; b is one of those that do it.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, dot, whole
from redmax.solvers.elimination import factor, solve

PROXIMAL = 1e-9  # of the largest row sum of H
CLOSE = 1e-12  # of the largest unknown, or of what one would be alone: how far from a solution b may be
SAME = 1e-10  # the same, of two rounds
TURNS, ROUNDS, HALVES = 200.0, 6, 12.0
PROMISED = 1e-4  # of the slope, that the energy must fall by
ON_CIRCLE = 1.0 - 1e-12
SINGLE, FIRST = 0, 1  # kinds of unknowns: by themselves, the first of a pair; the second of one has 2


@routine
def project(x: Vector, low: Vector, high: Vector, kind: Wholes, n: Whole) -> None:
    """To the nearest within bounds."""
    for i in range(n):
        if kind[i] == SINGLE:
            x[i] = where(x[i] < low[i], low[i], where(x[i] > high[i], high[i], x[i]))
        if kind[i] == FIRST:
            far = sqrt(x[i] * x[i] + x[i + 1] * x[i + 1])
            scale = where(far > high[i], high[i] / where(far > 0.0, far, 1.0), 1.0)
            x[i] *= scale
            x[i + 1] *= scale


@routine
def add_way(first: Whole, along: Number, second: Whole, across: Number, bend: Number, ways: Matrix, count: Vector) -> None:
    """One more way to go: `along` of the first unknown and `across` of the second; bend: what a circle adds to the matrix."""
    k = whole(count[0])
    ways[k, 0] = float(first)
    ways[k, 1] = along
    ways[k, 2] = float(second)
    ways[k, 3] = across
    ways[k, 4] = bend
    count[0] += 1.0


@routine
def find_ways(b: Vector, grad: Vector, low: Vector, high: Vector, kind: Wholes, ways: Matrix, count: Vector, n: Whole) -> None:
    """Those that the bounds leave."""
    count[0] = 0.0
    for i in range(n):
        if kind[i] == SINGLE:
            above = where(b[i] >= high[i], where(grad[i] < 0.0, 1.0, 0.0), 0.0)
            below = where(b[i] <= low[i], where(grad[i] > 0.0, 1.0, 0.0), 0.0)
            if above + below + where(high[i] <= low[i], 1.0, 0.0) < 0.5:
                add_way(i, 1.0, i, 0.0, 0.0, ways, count)
        if kind[i] == FIRST:
            far = sqrt(b[i] * b[i] + b[i + 1] * b[i + 1])
            out = grad[i] * b[i] + grad[i + 1] * b[i + 1]
            if high[i] > 0.0:
                if where(far >= ON_CIRCLE * high[i], where(out < 0.0, 1.0, 0.0), 0.0) > 0.5:
                    add_way(i, -b[i + 1] / far, i + 1, b[i] / far, -out / (far * far), ways, count)
                else:
                    add_way(i, 1.0, i, 0.0, 0.0, ways, count)
                    add_way(i + 1, 1.0, i + 1, 0.0, 0.0, ways, count)


@routine
def direction(H: Matrix, K: Matrix, grad: Vector, y: Vector, d: Vector, ways: Matrix, count: Vector, added: Number, n: Whole) -> None:
    """d = -Z (Z'(H + added) Z + bends)^-1 Z' grad, Z the ways that are left."""
    m = whole(count[0])
    d[0:n] = 0.0
    for f in range(m):
        i = whole(ways[f, 0])
        k = whole(ways[f, 2])
        y[f] = -(ways[f, 1] * grad[i] + ways[f, 3] * grad[k])
        for h in range(f, m):
            s = whole(ways[h, 0])
            t = whole(ways[h, 2])
            first = ways[f, 1] * H[i, s] + ways[f, 3] * H[k, s]
            second = ways[f, 1] * H[i, t] + ways[f, 3] * H[k, t]
            K[f, h] = ways[h, 1] * first + ways[h, 3] * second
        K[f, f] += added + ways[f, 4]
    factor(K, m, 0, m)
    solve(K, y, m)
    for f in range(m):
        d[whole(ways[f, 0])] += ways[f, 1] * y[f]
        d[whole(ways[f, 2])] += ways[f, 3] * y[f]


@routine
def try_step(
    H: Matrix, b: Vector, grad: Vector, d: Vector, x: Vector, low: Vector, high: Vector, added: Number, length: Number, kind: Wholes,
    n: Whole,
) -> float:  # fmt: skip
    """x = the projection of b + length d; whether the energy falls by what the slope promises."""
    x[0:n] = b[0:n] + length * d[0:n]
    project(x, low, high, kind, n)
    slope = 0.0
    bent = 0.0
    for i in range(n):
        x[i] -= b[i]
    for i in range(n):
        slope += grad[i] * x[i]
        bent += x[i] * (dot(H[i, 0:n], x[0:n]) + added * x[i])
    for i in range(n):
        x[i] += b[i]
    return where(slope < 0.0, where(slope + 0.5 * bent <= PROMISED * slope, 1.0, 0.0), 0.0)


@routine
def look(
    H: Matrix, b: Vector, c: Vector, g: Vector, grad: Vector, x: Vector, low: Vector, high: Vector, added: Number, most: Number,
    kind: Wholes, n: Whole,
) -> float:  # fmt: skip
    """The gradient, and x where a short step along it ends; whether b is no solution yet."""
    size = 0.0
    for i in range(n):
        grad[i] = dot(H[i, 0:n], b[0:n]) - g[i] + added * (b[i] - c[i])
        x[i] = b[i] - grad[i] / most
        size = max(size, abs(b[i]))
        size = max(size, abs(g[i]) / most)
    project(x, low, high, kind, n)
    off = 0.0
    for i in range(n):
        off = max(off, abs(x[i] - b[i]))
    return where(off > CLOSE * size, 1.0, 0.0)


@routine
def minimise_within(
    H: Matrix, K: Matrix, g: Vector, b: Vector, c: Vector, grad: Vector, x: Vector, d: Vector, y: Vector, low: Vector, high: Vector,
    ways: Matrix, count: Vector, turns: Vector, kind: Wholes, n: Whole,
) -> None:  # fmt: skip
    """b, from where it is: of all that are as good, one near there. turns += the steps that it took."""
    most = 1e-300
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += abs(H[i, k])
        most = max(most, total)
    added = PROXIMAL * most
    most += added
    project(b, low, high, kind, n)
    rounds = 0.0
    while rounds < float(ROUNDS):
        c[0:n] = b[0:n]
        taken = 0.0
        going = look(H, b, c, g, grad, x, low, high, added, most, kind, n)
        while going > 0.0:
            find_ways(b, grad, low, high, kind, ways, count, n)
            direction(H, K, grad, y, d, ways, count, added, n)
            length = 1.0
            tries = 0.0
            while tries < HALVES:
                tries += 1.0
                if try_step(H, b, grad, d, x, low, high, added, length, kind, n) > 0.0:
                    tries = 2.0 * HALVES
                length *= 0.5
            if tries < 1.5 * HALVES:
                x[0:n] = b[0:n] - grad[0:n] / most
                project(x, low, high, kind, n)
            b[0:n] = x[0:n]
            taken += 1.0
            going = where(taken < TURNS, look(H, b, c, g, grad, x, low, high, added, most, kind, n), 0.0)
        turns[0] += taken
        rounds += 1.0
        change = 0.0
        size = 0.0
        for i in range(n):
            change = max(change, abs(b[i] - c[i]))
            size = max(size, abs(b[i]))
        rounds = where(change > SAME * size, rounds, float(ROUNDS))
