"""Sweeps along trees of worlds side by side, as solvers/contact/along_tree.py has them: six numbers as six, inertias by their upper half.

M, s, E are read where the joints' records have them. The last row of V and w is the world, which never moves.
"""

from __future__ import annotations

from typing import Any

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, dot


@routine
def begin_bodies(M: Places, B: Matrix, w: Matrix, bodies: Whole) -> None:
    """I = M, w = 0."""
    for b in range(bodies):
        for i in range(6):
            for j in range(i, 6):
                B[b, 6 * i + j] = M[b][6 * i + j]
            w[b, i] = 0.0


@routine
def inward(B: Matrix, s: Places, E: Places, G: Matrix, L: Matrix, p: Vector, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """Leaves to root: L^-1 G, L and p = 1 / D of all coordinates; B gathers what children leave."""
    for b in reversed(range(bodies)):
        n = first[b + 1] - first[b]
        up = parent[b]
        if n == 1:
            k = first[b]
            g = [sum([B[b, 6 * min(i, j) + max(i, j)] * s[b][j] for j in range(6)]) for i in range(6)]
            d = 1.0 / (dot(s[b][0:6], g) + E[b][0])
            p[k] = d
            for i in range(6):
                G[k, i] = g[i]
            if up >= 0:
                for i in range(6):
                    m = d * g[i]
                    for j in range(i, 6):
                        B[up, 6 * i + j] += B[b, 6 * i + j] - m * g[j]
        else:
            several_inward(B[b], s[b], E[b], G, L, p, first[b], n)
            if up >= 0:
                for i in range(6):
                    for j in range(i, 6):
                        B[up, 6 * i + j] += B[b, 6 * i + j]
                for k in range(first[b], first[b + 1]):
                    for i in range(6):
                        m = p[k] * G[k, i]
                        for j in range(i, 6):
                            B[up, 6 * i + j] -= m * G[k, j]


@routine
def several_inward(B: Vector, s: Vector, E: Vector, G: Matrix, L: Matrix, p: Vector, first: Whole, n: Whole) -> None:
    """Of a joint with more than one coordinate, or none."""
    for k in range(n):
        for i in range(6):
            G[first + k, i] = sum([B[6 * min(i, j) + max(i, j)] * s[6 * k + j] for j in range(6)])
        for c in range(k + 1):
            L[first + k, c] = sum([s[6 * c + i] * G[first + k, i] for i in range(6)]) + E[n * k + c]
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
def load(
    w: Matrix, s: Places, G: Matrix, L: Matrix, p: Vector, z: Vector, first: Wholes, parent: Wholes, bodies: Whole
) -> None:
    """Leaves to root: z of wrenches, on factors that are known."""
    for b in reversed(range(bodies)):
        n = first[b + 1] - first[b]
        for k in range(n):
            at = first[b] + k
            total = sum([s[b][6 * k + i] * w[b, i] for i in range(6)])
            for c in range(k):
                total -= L[at, c] * z[first[b] + c]
            z[at] = total
        if parent[b] >= 0:
            v = [w[b, i] + w[parent[b], i] for i in range(6)]
            a, c, d, e, f, g = v[0], v[1], v[2], v[3], v[4], v[5]
            for k in range(first[b], first[b + 1]):
                m = p[k] * z[k]
                a -= m * G[k, 0]
                c -= m * G[k, 1]
                d -= m * G[k, 2]
                e -= m * G[k, 3]
                f -= m * G[k, 4]
                g -= m * G[k, 5]
            put_six(w[parent[b]], a, c, d, e, f, g)


@routine
def put_six(v: Vector, a: Number, b: Number, c: Number, d: Number, e: Number, f: Number) -> None:
    """v = ..."""
    v[0] = a
    v[1] = b
    v[2] = c
    v[3] = d
    v[4] = e
    v[5] = f


@routine
def outward(
    s: Places, G: Matrix, L: Matrix, p: Vector, z: Vector, x: Vector, V: Matrix, first: Wholes, before: Wholes, bodies: Whole
) -> None:
    """Root to leaves: x, and the twists of bodies. before: the parents, of roots the world."""
    for b in range(bodies):
        n = first[b + 1] - first[b]
        v = [V[before[b], i] for i in range(6)]
        for k in range(first[b], first[b + 1]):
            x[k] = (z[k] - sum([G[k, i] * v[i] for i in range(6)])) * p[k]
        if n > 1:
            for k in reversed(range(n)):
                for c in range(k + 1, n):
                    x[first[b] + k] -= L[first[b] + c, k] * x[first[b] + c]
        advance(s[b], x, V, b, before[b], first[b], n)


@routine
def advance(s: Vector, x: Vector, V: Matrix, b: Whole, before: Whole, first: Whole, n: Whole) -> None:
    """V_b = V_p + s x."""
    a, c, d, e, f, g = [V[before, i] for i in range(6)]
    for k in range(n):
        m = x[first + k]
        a += m * s[6 * k]
        c += m * s[6 * k + 1]
        d += m * s[6 * k + 2]
        e += m * s[6 * k + 3]
        f += m * s[6 * k + 4]
        g += m * s[6 * k + 5]
    put_six(V[b], a, c, d, e, f, g)


@routine
def carry(s: Places, x: Vector, V: Matrix, first: Wholes, before: Wholes, bodies: Whole) -> None:
    """V = J x: the twists of bodies."""
    for b in range(bodies):
        advance(s[b], x, V, b, before[b], first[b], first[b + 1] - first[b])


@routine
def products(M: Places, E: Places, V: Matrix, x: Vector, W: Matrix, y: Vector, first: Wholes, bodies: Whole) -> Any:
    """W' M W + y' E y and W' M V + y' E x: in the kinetic metric, velocities given by twists and coordinates."""
    square, mixed = 0.0, 0.0
    for b in range(bodies):
        v = [W[b, i] for i in range(6)]
        for i in range(6):
            m = sum([M[b][6 * i + j] * v[j] for j in range(6)])
            square += m * v[i]
            mixed += m * V[b, i]
        n = first[b + 1] - first[b]
        for k in range(n):
            m = sum_row(E[b], y, n * k, first[b], n)
            square += m * y[first[b] + k]
            mixed += m * x[first[b] + k]
    return square, mixed


@routine
def sum_row(E: Vector, y: Vector, row: Whole, first: Whole, n: Whole) -> float:
    """A row of E times y."""
    total = 0.0
    for c in range(n):
        total += E[row + c] * y[first + c]
    return total
