"""Factors of blocks between trees of six coordinates each (sixes.py), and the way back from them, all written out.

A_kk = L D L',   z = L^-1 g,   T_j = L^-1 A_kj,   A_ij -= T_i' D^-1 T_j,   g_j -= T_j' D^-1 z,   x = L'^-1 D^-1 (z - T_j x_j)
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, dot, matrix, whole
from redmax.solvers.contact.islands import TREES

WIDE = 8  # of a block, and of a row of J


@routine
def factor_sixes(
    A: Vector, D: Vector, X: Vector, g: Matrix, at: Matrix, later: Matrix, turns: Vector, live: Vector, place: Vector, degree: Vector
) -> None:
    """L below the diagonals, D: 8 reciprocals for each tree, T in place of blocks between, and z in place of g."""
    for n in range(whole(live[TREES])):
        k = whole(turns[n])
        B, many = matrix(A[whole(at[k, k]) :], WIDE), whole(degree[k])
        l0 = [B[i, 0] for i in range(6)]
        d0 = 1.0 / l0[0]
        m0 = [d0 * l0[i] for i in range(6)]
        l1 = [B[i, 1] - m0[i] * l0[1] for i in range(6)]
        d1 = 1.0 / l1[1]
        m1 = [d1 * l1[i] for i in range(6)]
        l2 = [B[i, 2] - m0[i] * l0[2] - m1[i] * l1[2] for i in range(6)]
        d2 = 1.0 / l2[2]
        m2 = [d2 * l2[i] for i in range(6)]
        l3 = [B[i, 3] - m0[i] * l0[3] - m1[i] * l1[3] - m2[i] * l2[3] for i in range(6)]
        d3 = 1.0 / l3[3]
        m3 = [d3 * l3[i] for i in range(6)]
        l4 = [B[i, 4] - m0[i] * l0[4] - m1[i] * l1[4] - m2[i] * l2[4] - m3[i] * l3[4] for i in range(6)]
        d4 = 1.0 / l4[4]
        m = d4 * l4[5]
        d5 = 1.0 / (B[5, 5] - m0[5] * l0[5] - m1[5] * l1[5] - m2[5] * l2[5] - m3[5] * l3[5] - m * l4[5])
        z0 = g[k, 0]
        z1 = g[k, 1] - m0[1] * z0
        z2 = g[k, 2] - m0[2] * z0 - m1[2] * z1
        z3 = g[k, 3] - m0[3] * z0 - m1[3] * z1 - m2[3] * z2
        z4 = g[k, 4] - m0[4] * z0 - m1[4] * z1 - m2[4] * z2 - m3[4] * z3
        z5 = g[k, 5] - m0[5] * z0 - m1[5] * z1 - m2[5] * z2 - m3[5] * z3 - m * z4
        for i in range(1, 6):
            B[i, 0] = m0[i]
        for i in range(2, 6):
            B[i, 1] = m1[i]
        for i in range(3, 6):
            B[i, 2] = m2[i]
        for i in range(4, 6):
            B[i, 3] = m3[i]
        B[5, 4] = m
        for i in range(6):
            D[8 * k + i] = (d0, d1, d2, d3, d4, d5)[i]
            g[k, i] = (z0, z1, z2, z3, z4, z5)[i]
        for q in range(many):
            j = whole(later[k, q])
            T = matrix(A[whole(at[k, j]) :], WIDE)
            T[1, 0:8] -= m0[1] * T[0, 0:8]
            T[2, 0:8] -= m0[2] * T[0, 0:8] + m1[2] * T[1, 0:8]
            T[3, 0:8] -= m0[3] * T[0, 0:8] + m1[3] * T[1, 0:8] + m2[3] * T[2, 0:8]
            T[4, 0:8] -= m0[4] * T[0, 0:8] + m1[4] * T[1, 0:8] + m2[4] * T[2, 0:8] + m3[4] * T[3, 0:8]
            T[5, 0:8] -= m0[5] * T[0, 0:8] + m1[5] * T[1, 0:8] + m2[5] * T[2, 0:8] + m3[5] * T[3, 0:8] + m * T[4, 0:8]
            w = (d0 * z0, d1 * z1, d2 * z2, d3 * z3, d4 * z4, d5 * z5)
            first = w[0] * T[0, 0:8] + w[1] * T[1, 0:8] + w[2] * T[2, 0:8]
            g[j, 0:8] -= first + (w[3] * T[3, 0:8] + w[4] * T[4, 0:8] + w[5] * T[5, 0:8])
        U = matrix(X, WIDE)
        for q in range(many):
            i = whole(later[k, q])
            S = matrix(A[whole(at[k, i]) :], WIDE)
            for p in range(6):
                U[p, 0:8] = (d0, d1, d2, d3, d4, d5)[p] * S[p, 0:8]
            for e in range(many):
                j = whole(later[k, e])
                if place[i] <= place[j]:
                    T, K = matrix(A[whole(at[k, j]) :], WIDE), matrix(A[whole(at[i, j]) :], WIDE)
                    for x in range(6):
                        first = U[0, x] * T[0, 0:8] + U[1, x] * T[1, 0:8] + U[2, x] * T[2, 0:8]
                        K[x, 0:8] -= first + (U[3, x] * T[3, 0:8] + U[4, x] * T[4, 0:8] + U[5, x] * T[5, 0:8])


@routine
def back_sixes(
    A: Vector, D: Vector, g: Matrix, x: Vector, at: Matrix, later: Matrix, turns: Vector, live: Vector, degree: Vector, starts: Vector
) -> None:
    """x of all trees that go on."""
    for n in reversed(range(whole(live[TREES]))):
        k = whole(turns[n])
        B, start = matrix(A[whole(at[k, k]) :], WIDE), whole(starts[k])
        v0, v1, v2, v3, v4, v5 = [g[k, i] for i in range(6)]
        for q in range(whole(degree[k])):
            j = whole(later[k, q])
            T, other = matrix(A[whole(at[k, j]) :], WIDE), whole(starts[j])
            v0 -= dot(T[0, 0:6], x[other : other + 6])
            v1 -= dot(T[1, 0:6], x[other : other + 6])
            v2 -= dot(T[2, 0:6], x[other : other + 6])
            v3 -= dot(T[3, 0:6], x[other : other + 6])
            v4 -= dot(T[4, 0:6], x[other : other + 6])
            v5 -= dot(T[5, 0:6], x[other : other + 6])
        v5 = D[8 * k + 5] * v5
        v4 = D[8 * k + 4] * v4 - B[5, 4] * v5
        v3 = D[8 * k + 3] * v3 - B[5, 3] * v5 - B[4, 3] * v4
        v2 = D[8 * k + 2] * v2 - B[5, 2] * v5 - B[4, 2] * v4 - B[3, 2] * v3
        v1 = D[8 * k + 1] * v1 - B[5, 1] * v5 - B[4, 1] * v4 - B[3, 1] * v3 - B[2, 1] * v2
        v0 = D[8 * k] * v0 - B[5, 0] * v5 - B[4, 0] * v4 - B[3, 0] * v3 - B[2, 0] * v2 - B[1, 0] * v1
        for i in range(6):
            x[start + i] = (v0, v1, v2, v3, v4, v5)[i]
