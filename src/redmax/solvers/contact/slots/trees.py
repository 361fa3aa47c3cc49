"""Bodies along trees in worlds side by side: what joints leave of them, and how twists go on (compare solvers/contact/along_tree.py).

Six numbers are six here, and inertias their upper halves: a lane has no use for rows that fill registers. M, s, E are read where the
joints' records have them.
"""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole


@routine
def six(a: Number, b: Number, c: Number, d: Number, e: Number, f: Number) -> Any:
    """Their sum, by pairs: one after the other they would have to wait for each other."""
    return (a + b) + ((c + d) + (e + f))


@routine
def dot_six(a: Vector, b: Vector) -> Any:
    """a' b."""
    return six(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3], a[4] * b[4], a[5] * b[5])


@routine
def times(B: Vector, v: Vector, i: Whole) -> Any:
    """The i-th entry of B v, with the upper half of B."""
    a, b, c = B[min(i, 0) * 6 + max(i, 0)] * v[0], B[min(i, 1) * 6 + max(i, 1)] * v[1], B[min(i, 2) * 6 + max(i, 2)] * v[2]
    d, e, f = B[min(i, 3) * 6 + max(i, 3)] * v[3], B[min(i, 4) * 6 + max(i, 4)] * v[4], B[min(i, 5) * 6 + max(i, 5)] * v[5]
    return six(a, b, c, d, e, f)


@routine
def factor_one(B: Vector, s: Vector, E: Vector, g: Vector, base: Vector, target: Vector, up: Whole) -> Any:
    """Of a joint of one coordinate: g = I s, d = 1 / (s' g + E), which it returns; and target = base + I - d g g', by upper halves.

    up: less than 0 where nothing is before it
    """
    h = [times(B, s, i) for i in range(6)]
    d = 1.0 / (six(s[0] * h[0], s[1] * h[1], s[2] * h[2], s[3] * h[3], s[4] * h[4], s[5] * h[5]) + E[0])
    for i in range(6):
        g[i] = h[i]
    if up >= 0:
        for i in range(6):
            m = d * h[i]
            for j in range(i, 6):
                target[6 * i + j] = base[6 * i + j] + (B[6 * i + j] - m * h[j])
    return d


@routine
def factor_several(B: Vector, s: Vector, E: Vector, G: Matrix, L: Matrix, p: Vector, first: Whole, n: Whole) -> None:
    """L^-1 G, L and p = 1 / D of a joint with more than one coordinate."""
    for k in range(n):
        for i in range(6):
            G[first + k, i] = times(B, s[6 * k :], i)
        for c in range(k + 1):
            L[first + k, c] = dot_six(s[6 * c :], G[first + k]) + E[n * k + c]
    for k in range(n):
        p[first + k] = 1.0 / L[first + k, k]
        for c in range(k + 1, n):
            m = L[first + c, k] * p[first + k]
            for e in range(c, n):
                L[first + e, c] -= m * L[first + e, k]
            for i in range(6):
                G[first + c, i] -= m * G[first + k, i]
        for c in range(k + 1, n):
            L[first + c, k] *= p[first + k]


@routine
def hand_over_several(base: Vector, B: Vector, target: Vector, G: Matrix, p: Vector, first: Whole, n: Whole) -> None:
    """The same of several coordinates, or none."""
    for i in range(6):
        for j in range(i, 6):
            target[6 * i + j] = base[6 * i + j] + B[6 * i + j]
    for k in range(first, first + n):
        for i in range(6):
            m = p[k] * G[k, i]
            for j in range(i, 6):
                target[6 * i + j] -= m * G[k, j]


@routine
def hand_wrench(
    w: Vector, s: Vector, target: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, first: Whole, n: Whole, up: Whole, opens: Whole
) -> None:
    """z = L^-1 s' w of a joint, and w - (L^-1 G)' D^-1 z for the body before it, if there is one; opens: the first that leaves any."""
    if n == 1:
        v = [w[i] for i in range(6)]
        total = six(s[0] * v[0], s[1] * v[1], s[2] * v[2], s[3] * v[3], s[4] * v[4], s[5] * v[5])
        z[first] = total
        if up >= 0:
            m = p[first] * total
            if opens > 0:
                for i in range(6):
                    target[i] = v[i] - m * G[first, i]
            else:
                for i in range(6):
                    target[i] += v[i] - m * G[first, i]
    else:
        for k in range(n):
            total = dot_six(s[6 * k :], w)
            for c in range(k):
                total -= L[first + k, c] * z[first + c]
            z[first + k] = total
        if up >= 0:
            for i in range(6):
                target[i] = (1.0 - float(opens)) * target[i] + w[i]
            for k in range(first, first + n):
                m = p[k] * z[k]
                for i in range(6):
                    target[i] -= m * G[k, i]


@routine
def unload_joint(v: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, x: Vector, first: Whole, n: Whole) -> None:
    """x = L^-T D^-1 (z - L^-1 G v) of a joint, v the twist of the body before it."""
    if n == 1:
        x[first] = (z[first] - dot_six(G[first], v)) * p[first]
    else:
        for k in range(first, first + n):
            x[k] = (z[k] - dot_six(G[k], v)) * p[k]
        for k in reversed(range(n)):
            for c in range(k + 1, n):
                x[first + k] -= L[first + c, k] * x[first + c]


@routine
def advance(v: Vector, s: Vector, x: Vector, target: Vector, first: Whole, n: Whole) -> None:
    """target = v + s x: the twist of a body from that of the one before it."""
    if n == 1:
        for i in range(6):
            target[i] = v[i] + x[first] * s[i]
    else:
        for i in range(6):
            target[i] = v[i]
        for k in range(n):
            for i in range(6):
                target[i] += x[first + k] * s[6 * k + i]


@routine
def kinetic(M: Vector, v: Vector, w: Vector) -> Any:
    """v' M v and v' M w."""
    square, mixed = 0.0, 0.0
    for i in range(6):
        m = times(M, v, i)
        square += m * v[i]
        mixed += m * w[i]
    return square, mixed


@routine
def of_joint(E: Vector, y: Vector, x: Vector, first: Whole, n: Whole) -> Any:
    """y' E y and y' E x of the coordinates of a joint."""
    square, mixed = 0.0, 0.0
    for k in range(n):
        m = 0.0
        for c in range(n):
            m += E[n * k + c] * y[first + c]
        square += m * y[first + k]
        mixed += m * x[first + k]
    return square, mixed
