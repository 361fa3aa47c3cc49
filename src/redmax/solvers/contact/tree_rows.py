"""Trees in their own coordinates: the inertia of each, and J of contacts.

H_kl = s_l' I_k s_k of composite bodies, and the blocks of joints;   J s of all coordinates from a body's own up to the root's
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, matrix, whole
from redmax.solvers.contact.columns import BODY_A, BODY_B, J_A, J_B, TREE_A, TREE_B
from redmax.solvers.contact.tree_blocks import MISSING


@routine
def tree_inertia(
    M: Matrix, B: Matrix, s: Matrix, E: Matrix, G: Matrix, H: Vector, first: Wholes, parent: Wholes, tree: Wholes,
    start: Wholes, width: Wholes, place: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """H of all trees, whole: s_l' I_k s_k of composite bodies, with the blocks of joints. place: where that of each tree begins."""
    for b in range(bodies):
        for i in range(6):
            B[6 * b + i, 0:8] = M[6 * b + i, 0:8]
    for b in reversed(range(bodies)):
        if parent[b] >= 0:
            for i in range(6):
                B[6 * parent[b] + i, 0:8] += B[6 * b + i, 0:8]
    for b in range(bodies):
        t = tree[b]
        for k in range(first[b], first[b + 1]):
            G[k, 0:8] = s[k, 0] * B[6 * b, 0:8]
            for i in range(1, 6):
                G[k, 0:8] += s[k, i] * B[6 * b + i, 0:8]
            for c in range(start[t], first[b + 1]):
                H[place[t] + width[t] * (k - start[t]) + c - start[t]] = 0.0
        b_up = b
        while b_up >= 0:
            for k in range(first[b], first[b + 1]):
                for c in range(first[b_up], first[b_up + 1]):
                    if c <= k:
                        x = dot(s[c, 0:6], G[k, 0:6])
                        H[place[t] + width[t] * (k - start[t]) + c - start[t]] = x
            b_up = parent[b_up]
        for k in range(first[b], first[b + 1]):
            for c in range(first[b], k + 1):
                H[place[t] + width[t] * (k - start[t]) + c - start[t]] += E[k, c - first[b]]
        for k in range(first[b], first[b + 1]):
            for c in range(start[t], k):
                H[place[t] + width[t] * (c - start[t]) + k - start[t]] = H[place[t] + width[t] * (k - start[t]) + c - start[t]]


@routine
def reduce_side(J: Vector, T: Matrix, body: Whole, up: Vector, begin: Vector, start: Whole, out: Matrix, parts: Whole) -> None:
    """out += J s, three rows, of all coordinates that move a body, from its own up to the root's.

    T: twists of joints, transposed, as (6, 8) for up to eight coordinates, `parts` of these a joint
    """
    b = float(body)
    while b > -0.5:
        at = whole(b)
        k = whole(begin[at]) - start
        for e in range(parts):
            i = 6 * (parts * at + e)
            for r in range(3):
                out[r, k + 8 * e : k + 8 * e + 8] += (
                    J[8 * r] * T[i, 0:8] + J[8 * r + 1] * T[i + 1, 0:8] + J[8 * r + 2] * T[i + 2, 0:8]
                    + J[8 * r + 3] * T[i + 3, 0:8] + J[8 * r + 4] * T[i + 4, 0:8] + J[8 * r + 5] * T[i + 5, 0:8]
                )  # fmt: skip
        b = up[at]


@routine
def reduce_rows(
    C: Matrix, count: Whole, T: Matrix, up: Vector, begin: Vector, of: Vector, starts: Vector, Q: Matrix, wide: Whole,
    parts: Whole,
) -> None:  # fmt: skip
    """TREE_A, TREE_B, and J of each contact in their coordinates: three rows of A, three of B, each `wide` numbers."""
    for c in range(count):
        row = C[c]
        a, b = whole(row[BODY_A]), whole(row[BODY_B])
        Q[c, 0 : 6 * wide] = 0.0
        row[TREE_A] = of[b]  # b always moves
        start = whole(starts[whole(of[b])])
        reduce_side(row[J_B:], T, b, up, begin, start, matrix(Q[c], wide), parts)
        row[TREE_B] = MISSING
        if of[a] > MISSING + 0.5:
            side = 0
            if abs(of[a] - of[b]) > 0.5:
                row[TREE_B] = of[a]
                side = 3
            other = whole(starts[whole(of[a])])
            reduce_side(row[J_A:], T, a, up, begin, other, matrix(Q[c][side * wide :], wide), parts)
