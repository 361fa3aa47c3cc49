"""Trees with terms of their bodies: (M + Z) x = J' w in O(n), by articulated bodies in world axes about the origin of each tree.

    G = I s,   L D L' = s' I s + E,   I_p += I - (L^-1 G)' D^-1 (L^-1 G),   w_p += w - (L^-1 G)' D^-1 z,   z = L^-1 (s' w + tau)
    x = L^-T D^-1 (z - L^-1 G V_p),   V = V_p + s x

s are the twists of a joint's coordinates, I = M + Z its body's inertia with terms, E the joint's own block, w wrenches on bodies. Rows of
6 are kept as rows of 8, which fill vector registers.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot


@routine
def factor_inward(B: Matrix, s: Matrix, E: Matrix, G: Matrix, L: Matrix, p: Vector, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """Leaves to root: L^-1 G, L and p = 1 / D of all coordinates; B gathers what children leave."""
    for b in reversed(range(bodies)):
        for k in range(first[b], first[b + 1]):
            G[k, 0:8] = (
                s[k, 0] * B[6 * b, 0:8] + s[k, 1] * B[6 * b + 1, 0:8] + s[k, 2] * B[6 * b + 2, 0:8]
                + s[k, 3] * B[6 * b + 3, 0:8] + s[k, 4] * B[6 * b + 4, 0:8] + s[k, 5] * B[6 * b + 5, 0:8]
            )  # fmt: skip
            for c in range(first[b], k + 1):
                L[k, c - first[b]] = dot(s[c, 0:6], G[k, 0:6]) + E[k, c - first[b]]
        for k in range(first[b], first[b + 1]):
            j = k - first[b]
            p[k] = 1.0 / L[k, j]
            for c in range(k + 1, first[b + 1]):
                m = L[c, j] * p[k]
                for e in range(c, first[b + 1]):
                    L[e, c - first[b]] -= m * L[e, j]
                G[c, 0:8] -= m * G[k, 0:8]
            for c in range(k + 1, first[b + 1]):
                L[c, j] *= p[k]
        if parent[b] >= 0:
            for i in range(6):
                B[6 * parent[b] + i, 0:8] += B[6 * b + i, 0:8]
            for k in range(first[b], first[b + 1]):
                for i in range(6):
                    B[6 * parent[b] + i, 0:8] -= (p[k] * G[k, i]) * G[k, 0:8]


@routine
def load_inward(
    w: Matrix, s: Matrix, tau: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, first: Wholes, parent: Wholes, bodies: Whole
) -> None:
    """The same of wrenches, on factors that are known: z."""
    for b in reversed(range(bodies)):
        for k in range(first[b], first[b + 1]):
            total = tau[k] + dot(s[k, 0:6], w[b, 0:6])
            for c in range(first[b], k):
                total -= L[k, c - first[b]] * z[c]
            z[k] = total
        if parent[b] >= 0:
            w[parent[b], 0:8] += w[b, 0:8]
            for k in range(first[b], first[b + 1]):
                w[parent[b], 0:8] -= (p[k] * z[k]) * G[k, 0:8]


@routine
def outward(
    s: Matrix, G: Matrix, L: Matrix, p: Vector, z: Vector, x: Vector, V: Matrix, first: Wholes, parent: Wholes, bodies: Whole
) -> None:
    """Root to leaves: x, and the twists of bodies."""
    for b in range(bodies):
        if parent[b] >= 0:
            V[b, 0:8] = V[parent[b], 0:8]
        else:
            V[b, 0:8] = 0.0
        for k in range(first[b], first[b + 1]):
            x[k] = z[k]
            if parent[b] >= 0:
                x[k] -= dot(G[k, 0:6], V[parent[b], 0:6])
            x[k] *= p[k]
        for k in reversed(range(first[b], first[b + 1])):
            for c in range(k + 1, first[b + 1]):
                x[k] -= L[c, k - first[b]] * x[c]
            V[b, 0:8] += x[k] * s[k, 0:8]


@routine
def carry(s: Matrix, x: Vector, V: Matrix, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """V = J x: the twists of bodies."""
    for b in range(bodies):
        if parent[b] >= 0:
            V[b, 0:8] = V[parent[b], 0:8]
        else:
            V[b, 0:8] = 0.0
        for k in range(first[b], first[b + 1]):
            V[b, 0:8] += x[k] * s[k, 0:8]


@routine
def product(M: Matrix, E: Matrix, V: Matrix, x: Vector, W: Matrix, y: Vector, first: Wholes, bodies: Whole) -> float:
    """V' M W + x' E y: a product of velocities in the kinetic metric, each given by twists and coordinates."""
    total = 0.0
    for b in range(bodies):
        for i in range(6):
            total += V[b, i] * dot(M[6 * b + i, 0:6], W[b, 0:6])
        for k in range(first[b], first[b + 1]):
            for c in range(first[b], first[b + 1]):
                total += x[k] * E[k, c - first[b]] * y[c]
    return total


@routine
def to_coordinates(w: Matrix, s: Matrix, g: Vector, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """g = J' w."""
    for b in reversed(range(bodies)):
        for k in range(first[b], first[b + 1]):
            g[k] = dot(s[k, 0:6], w[b, 0:6])
        if parent[b] >= 0:
            w[parent[b], 0:8] += w[b, 0:8]
