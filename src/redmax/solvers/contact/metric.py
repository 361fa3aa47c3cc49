"""H of all trees as one matrix: s_l' I_k s_k of composite bodies, blocks of joints, and springs between trees in implicit steps.

Blocks of springs lie as coupled.py has them: rows of the first tree, columns of the second.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, matrix


@routine
def metric(
    M: Matrix, B: Matrix, E: Matrix, s: Matrix, G: Matrix, A: Matrix, first: Wholes, parent: Wholes, bodies: Whole, n: Whole
) -> None:
    """A = H without springs."""
    for k in range(n):
        A[k, 0:n] = 0.0
    for b in range(bodies):
        for i in range(6):
            B[6 * b + i, 0:8] = M[6 * b + i, 0:8]
    for b in reversed(range(bodies)):
        if parent[b] >= 0:
            for i in range(6):
                B[6 * parent[b] + i, 0:8] += B[6 * b + i, 0:8]
        for k in range(first[b], first[b + 1]):
            G[k, 0:8] = s[k, 0] * B[6 * b, 0:8]
            for i in range(1, 6):
                G[k, 0:8] += s[k, i] * B[6 * b + i, 0:8]
        b_up = b
        while b_up >= 0:
            for k in range(first[b], first[b + 1]):
                for c in range(first[b_up], first[b_up + 1]):
                    A[k, c] = dot(s[c, 0:6], G[k, 0:6])
                    A[c, k] = A[k, c]
            b_up = parent[b_up]
        for k in range(first[b], first[b + 1]):
            for c in range(first[b], first[b + 1]):
                A[k, c] += E[k, c - first[b]]


@routine
def spring_forces(B: Vector, g: Vector, x: Vector, start: Whole, other: Whole, n: Whole, m: Whole, width: Whole) -> None:
    """g += H x of what couples two trees, or one with itself. start, other: their first coordinates; n, m: how many they have"""
    K = matrix(B, width)
    for i in range(n):
        g[start + i] += dot(K[i, 0:m], x[other : other + m])
        if start != other:
            for j in range(m):
                g[other + j] += K[i, j] * x[start + i]


@routine
def add_springs(B: Vector, A: Matrix, start: Whole, other: Whole, n: Whole, m: Whole, width: Whole) -> None:
    """The same, to A."""
    K = matrix(B, width)
    for i in range(n):
        for j in range(m):
            A[start + i, other + j] += K[i, j]
            if start != other:
                A[other + j, start + i] += K[i, j]
