"""A step of Newton's method for heaps of free bodies: trees of six coordinates each, all written out, in two passes over contacts.

Blocks are those of tree_blocks.py, (6, 8) each; of the two trees that a contact moves, J of the one that is eliminated first stands first.
The first pass adds up r D and the right side g; the way back from the factors finds the next x; and the second pass moves u on and
projects. What islands have ended (islands.py) is left out: contacts and trees are lists of those that go on.

    A_kk = L D L',   z = L^-1 g,   T_j = L^-1 A_kj,   A_ij -= T_i' D^-1 T_j,   g_j -= T_j' D^-1 z,   x = L'^-1 D^-1 (z - T_j x_j)
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, matrix, whole
from redmax.solvers.contact.columns import (
    BIAS,
    BLOCK_A,
    BLOCK_AB,
    BLOCK_B,
    BODY_A,
    BODY_B,
    CARRIED,
    DU,
    FREE,
    FRICTION,
    IMPULSE,
    J_A,
    J_B,
    MASS,
    SLACK,
    SLOPE,
    STATE,
    STIFF,
    TREE_A,
    TREE_B,
    U,
    Y,
)
from redmax.solvers.contact.cone import cone_slope, on_cone
from redmax.solvers.contact.tree_blocks import MISSING
from redmax.solvers.contact.tree_rows import reduce_side

WIDE = 8  # of a block, and of a row of J


@routine
def find_trees(C: Matrix, count: Whole, of: Vector) -> None:
    """TREE_A and TREE_B."""
    for c in range(count):
        row = C[c]
        row[TREE_A] = of[whole(row[BODY_B])]  # b always moves
        row[TREE_B] = of[whole(row[BODY_A])]
        if abs(row[TREE_A] - row[TREE_B]) < 0.5:
            row[TREE_B] = MISSING


@routine
def begin_sixes(
    C: Matrix, count: Whole, T: Matrix, up: Vector, begin: Vector, of: Vector, starts: Vector, at: Matrix, place: Vector, x: Vector,
    Q: Matrix, parts: Whole,
) -> None:  # fmt: skip
    """J of all contacts in coordinates, and u at x; where their blocks lie."""
    for c in range(count):
        row = C[c]
        a, b = whole(row[BODY_A]), whole(row[BODY_B])
        t = whole(of[b])
        J = matrix(Q[c], WIDE)
        Q[c, 0 : 6 * WIDE] = 0.0
        side = 0
        if row[TREE_B] > MISSING + 0.5:
            u = whole(of[a])
            side = 3
            if place[t] < place[u]:
                side = 0
                row[TREE_B] = of[a]
                row[TREE_A] = of[b]
                row[BLOCK_AB] = at[t, u]
            else:
                row[TREE_A] = of[a]
                row[TREE_B] = of[b]
                row[BLOCK_AB] = at[u, t]
            row[BLOCK_B] = at[whole(row[TREE_B]), whole(row[TREE_B])]
            reduce_side(row[J_A:], T, a, up, begin, whole(starts[u]), matrix(Q[c][(3 - side) * WIDE :], WIDE), parts)
        elif of[a] > MISSING + 0.5:
            reduce_side(row[J_A:], T, a, up, begin, whole(starts[t]), J, parts)
        row[BLOCK_A] = at[whole(row[TREE_A]), whole(row[TREE_A])]
        reduce_side(row[J_B:], T, b, up, begin, whole(starts[t]), matrix(Q[c][side * WIDE :], WIDE), parts)
        move_rows(row, J, x, starts, row[U:])
        for k in range(3):
            row[U + k] += row[FREE + k]


@routine
def move_rows(row: Vector, J: Matrix, x: Vector, starts: Vector, out: Vector) -> None:
    """J x."""
    start = whole(starts[whole(row[TREE_A])])
    n, s, t = [dot(J[k, 0:6], x[start : start + 6]) for k in range(3)]
    if row[TREE_B] > MISSING + 0.5:
        other = whole(starts[whole(row[TREE_B])])
        n += dot(J[3, 0:6], x[other : other + 6])
        s += dot(J[4, 0:6], x[other : other + 6])
        t += dot(J[5, 0:6], x[other : other + 6])
    out[0] = n
    out[1] = s
    out[2] = t


@routine
def assemble_sixes(
    C: Matrix, listed: Vector, live: Vector, Q: Matrix, H: Vector, A: Vector, X: Vector, g: Matrix, at: Matrix, later: Matrix,
    turns: Vector, degree: Vector, places: Vector,
) -> None:  # fmt: skip
    """A = H + J' r D J and g = J' (f + r D J V), of what goes on."""
    for n in range(whole(live[1])):
        k = whole(turns[n])
        g[k, 0:8] = 0.0
        source, target = whole(places[k]), whole(at[k, k])
        A[target : target + 48] = H[source : source + 48]
        for q in range(whole(degree[k])):
            target = whole(at[k, whole(later[k, q])])
            A[target : target + 48] = 0.0
    Z = matrix(X, WIDE)
    for n in range(whole(live[0])):
        c = whole(listed[n])
        row = C[c]
        if row[STATE] > 0.5:
            cone_slope(row[FRICTION], row[Y], row[Y + 1], row[Y + 2], row)
            J, r = matrix(Q[c], WIDE), row[STIFF]
            nn, na, nb = r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2]
            aa, ab, bb = r * row[SLOPE + 3], r * row[SLOPE + 4], r * row[SLOPE + 5]
            x, y, z = row[U] - row[FREE], row[U + 1] - row[FREE + 1], row[U + 2] - row[FREE + 2]
            fn = row[IMPULSE] + (nn * x + na * y + nb * z)
            fa = row[IMPULSE + 1] + (na * x + aa * y + ab * z)
            fb = row[IMPULSE + 2] + (nb * x + ab * y + bb * z)
            a = whole(row[TREE_A])
            g[a, 0:8] += fn * J[0, 0:8] + fa * J[1, 0:8] + fb * J[2, 0:8]
            Z[0, 0:8] = nn * J[0, 0:8] + na * J[1, 0:8] + nb * J[2, 0:8]
            Z[1, 0:8] = na * J[0, 0:8] + aa * J[1, 0:8] + ab * J[2, 0:8]
            Z[2, 0:8] = nb * J[0, 0:8] + ab * J[1, 0:8] + bb * J[2, 0:8]
            K = matrix(A[whole(row[BLOCK_A]) :], WIDE)
            for i in range(6):
                K[i, 0:8] += J[0, i] * Z[0, 0:8] + J[1, i] * Z[1, 0:8] + J[2, i] * Z[2, 0:8]
            if row[TREE_B] > MISSING + 0.5:
                b = whole(row[TREE_B])
                g[b, 0:8] += fn * J[3, 0:8] + fa * J[4, 0:8] + fb * J[5, 0:8]
                Z[3, 0:8] = nn * J[3, 0:8] + na * J[4, 0:8] + nb * J[5, 0:8]
                Z[4, 0:8] = na * J[3, 0:8] + aa * J[4, 0:8] + ab * J[5, 0:8]
                Z[5, 0:8] = nb * J[3, 0:8] + ab * J[4, 0:8] + bb * J[5, 0:8]
                K = matrix(A[whole(row[BLOCK_B]) :], WIDE)
                for i in range(6):
                    K[i, 0:8] += J[3, i] * Z[3, 0:8] + J[4, i] * Z[4, 0:8] + J[5, i] * Z[5, 0:8]
                K = matrix(A[whole(row[BLOCK_AB]) :], WIDE)
                for i in range(6):
                    K[i, 0:8] += J[0, i] * Z[3, 0:8] + J[1, i] * Z[4, 0:8] + J[2, i] * Z[5, 0:8]


@routine
def factor_sixes(
    A: Vector, D: Vector, X: Vector, g: Matrix, at: Matrix, later: Matrix, turns: Vector, live: Vector, place: Vector, degree: Vector
) -> None:
    """L below the diagonals, D: 8 reciprocals for each tree, T in place of blocks between, and z in place of g."""
    for n in range(whole(live[1])):
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
    for n in reversed(range(whole(live[1]))):
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


@routine
def move_sixes(
    C: Matrix, listed: Vector, live: Vector, Q: Matrix, y: Vector, starts: Vector, island: Vector, off: Vector, sums: Vector
) -> float:
    """u += DU, what that projects to, and f . DU there; sums: f . DU before, and DU . r D DU.

    off: the square, of the most of each island, of how far f is from f - r D DU, with which momentum is balanced; in m/s
    """
    work, curve, after = 0.0, 0.0, 0.0
    for n in range(whole(live[0])):
        c = whole(listed[n])
        row = C[c]
        move_rows(row, matrix(Q[c], WIDE), y, starts, row[DU:])
        x, s, t, r = row[DU], row[DU + 1], row[DU + 2], row[STIFF]
        fn, fa, fb = row[IMPULSE], row[IMPULSE + 1], row[IMPULSE + 2]
        work += fn * x + fa * s + fb * t
        if row[STATE] > 0.5:
            dn = r * (row[SLOPE] * x + row[SLOPE + 1] * s + row[SLOPE + 2] * t)
            da = r * (row[SLOPE + 1] * x + row[SLOPE + 3] * s + row[SLOPE + 4] * t)
            db = r * (row[SLOPE + 2] * x + row[SLOPE + 4] * s + row[SLOPE + 5] * t)
            curve += dn * x + da * s + db * t
            fn, fa, fb = fn - dn, fa - da, fb - db
        row[U] += x
        row[U + 1] += s
        row[U + 2] += t
        row[Y] = row[CARRIED] - r * (row[U] + row[BIAS] + row[SLACK])
        row[Y + 1] = row[CARRIED + 1] - r * (row[U + 1] + row[BIAS + 1])
        row[Y + 2] = row[CARRIED + 2] - r * (row[U + 2] + row[BIAS + 2])
        row[STATE] = on_cone(row[FRICTION], row[Y], row[Y + 1], row[Y + 2], row[IMPULSE:])
        after += row[IMPULSE] * x + row[IMPULSE + 1] * s + row[IMPULSE + 2] * t
        fn, fa, fb = (row[IMPULSE] - fn) / row[MASS], (row[IMPULSE + 1] - fa) / row[MASS], (row[IMPULSE + 2] - fb) / row[MASS]
        square, i = fn * fn + fa * fa + fb * fb, whole(island[whole(row[TREE_A])])
        off[i] = where(square > off[i], square, off[i])
    sums[0] = work
    sums[1] = curve
    return after
