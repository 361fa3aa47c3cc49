"""M^-1 of a tree in O(n) a column, from factors of articulated bodies that are kept: M^-1 x, and M^-1 G' of as many rows as there are.

    U_k = I_b s_k,   D_k = s_k . U_k,   I_b <- I_b - U_k U_k' / D_k,   I_p <- I_p + I_b       leaves to root, coordinate by coordinate
    u_k = x_k - s_k . p_b,   p_b <- p_b + U_k u_k / D_k,   p_p <- p_p + p_b                   leaves to root
    y_k = u_k / D_k - U_k . a_b / D_k,   a_b <- a_b + s_k y_k                                 root to leaves, a_b begins as the parent's

(Featherstone 2008, Sec. 7.3, in world axes about one origin, so that nothing is carried from frame to frame.) s_k is the twist of a
coordinate, I_b the inertia of body b; a joint of several coordinates is several eliminations in one body. Columns lie side by side in a
row, so that those of one world fill vector registers.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot


@routine
def factor(I: Matrix, s: Matrix, U: Matrix, reciprocal: Vector, first: Wholes, parent: Wholes, bodies: Whole) -> None:  # noqa: E741
    """I (6 bodies, 6) becomes that of articulated bodies; coordinates first[b] to first[b + 1] move body b. reciprocal: 1 / D."""
    for b in reversed(range(bodies)):
        for k in reversed(range(first[b], first[b + 1])):
            for i in range(6):
                U[k, i] = dot(I[6 * b + i, 0:6], s[k, 0:6])
            d = 1.0 / dot(s[k, 0:6], U[k, 0:6])
            for i in range(6):
                I[6 * b + i, 0:6] -= (d * U[k, i]) * U[k, 0:6]
            reciprocal[k] = d
        if parent[b] >= 0:
            for i in range(6):
                I[6 * parent[b] + i, 0:6] += I[6 * b + i, 0:6]


@routine
def solve(X: Matrix, m: Whole, s: Matrix, U: Matrix, reciprocal: Vector, P: Matrix, first: Wholes, parent: Wholes, bodies: Whole) -> None:
    """M^-1 X in place of X (n, m); P (6 bodies, m) is for what bodies pass on: forces inwards, accelerations outwards."""
    for i in range(6 * bodies):
        P[i, 0:m] = 0.0
    for b in reversed(range(bodies)):
        for k in reversed(range(first[b], first[b + 1])):
            for i in range(6):
                X[k, 0:m] -= s[k, i] * P[6 * b + i, 0:m]
            for i in range(6):
                P[6 * b + i, 0:m] += (reciprocal[k] * U[k, i]) * X[k, 0:m]
        if parent[b] >= 0:
            for i in range(6):
                P[6 * parent[b] + i, 0:m] += P[6 * b + i, 0:m]
    for b in range(bodies):
        for i in range(6):
            if parent[b] >= 0:
                P[6 * b + i, 0:m] = P[6 * parent[b] + i, 0:m]
            else:
                P[6 * b + i, 0:m] = 0.0
        for k in range(first[b], first[b + 1]):
            for i in range(6):
                X[k, 0:m] -= U[k, i] * P[6 * b + i, 0:m]
            X[k, 0:m] *= reciprocal[k]
            for i in range(6):
                P[6 * b + i, 0:m] += s[k, i] * X[k, 0:m]
