"""Contacts between trees: (H + J' r D J) x = g as blocks between trees, eliminated in an order that is found at run time (tree_order.py).

H is the inertia of each tree in its coordinates, J of a contact those of the one or two trees that it moves, (3, n) each. Blocks lie in one
vector, each (rows of the earlier tree, width of the later one); widths are multiples of 4. Bodies that move freely have six coordinates:
their blocks are written out.

    A_kk = L D L',   T_j = L^-1 A_kj,   A_ij -= T_i' D^-1 T_j
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, matrix, whole
from redmax.solvers.contact.columns import SLOPE, STATE, STIFF, TREE_A, TREE_B
from redmax.solvers.reduced_matrix import clear

MISSING = -1.0


@routine
def assemble(
    C: Matrix, count: Whole, Q: Matrix, H: Vector, A: Vector, X: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector,
    degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector, used: Vector, wide: Whole,
) -> None:  # fmt: skip
    """A = H + J' r D J."""
    clear(A, whole(used[0]))
    for n in range(whole(number[0])):
        t = whole(order[n])
        source, target = whole(places[t]), whole(at[t, t])
        many = whole(sizes[t]) * whole(widths[t])
        A[target : target + many] = H[source : source + many]
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            J = matrix(Q[c], wide)
            Z = matrix(X, wide)
            a = whole(row[TREE_A])
            wa, na = whole(widths[a]), whole(sizes[a])
            weigh(row, J, Z, 0, wa)
            add_product(matrix(A[whole(at[a, a]) :], wa), J, Z, 0, 0, na, wa)
            if row[TREE_B] > MISSING + 0.5:
                b = whole(row[TREE_B])
                wb, nb = whole(widths[b]), whole(sizes[b])
                weigh(row, J, Z, 3, wb)
                add_product(matrix(A[whole(at[b, b]) :], wb), J, Z, 3, 3, nb, wb)
                if place[a] < place[b]:  # rows of a, columns of b
                    add_product(matrix(A[whole(at[a, b]) :], wb), J, Z, 0, 3, na, wb)
                else:
                    add_product(matrix(A[whole(at[b, a]) :], wa), J, Z, 3, 0, nb, wa)


@routine
def weigh(row: Vector, J: Matrix, Z: Matrix, first: Whole, w: Whole) -> None:
    """Z = r D J, three rows from the first on."""
    r = row[STIFF]
    nn, na, nb = r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2]
    aa, ab, bb = r * row[SLOPE + 3], r * row[SLOPE + 4], r * row[SLOPE + 5]
    if w == 8:
        Z[first, 0:8] = nn * J[first, 0:8] + na * J[first + 1, 0:8] + nb * J[first + 2, 0:8]
        Z[first + 1, 0:8] = na * J[first, 0:8] + aa * J[first + 1, 0:8] + ab * J[first + 2, 0:8]
        Z[first + 2, 0:8] = nb * J[first, 0:8] + ab * J[first + 1, 0:8] + bb * J[first + 2, 0:8]
    else:
        Z[first, 0:w] = nn * J[first, 0:w] + na * J[first + 1, 0:w] + nb * J[first + 2, 0:w]
        Z[first + 1, 0:w] = na * J[first, 0:w] + aa * J[first + 1, 0:w] + ab * J[first + 2, 0:w]
        Z[first + 2, 0:w] = nb * J[first, 0:w] + ab * J[first + 1, 0:w] + bb * J[first + 2, 0:w]


@routine
def add_product(K: Matrix, J: Matrix, Z: Matrix, left: Whole, right: Whole, many: Whole, w: Whole) -> None:
    """K += J' Z, of three rows of each."""
    if w == 8:
        for i in range(many):
            x, y, z = J[left, i], J[left + 1, i], J[left + 2, i]
            K[i, 0:8] += x * Z[right, 0:8] + y * Z[right + 1, 0:8] + z * Z[right + 2, 0:8]
    else:
        for i in range(many):
            x, y, z = J[left, i], J[left + 1, i], J[left + 2, i]
            if abs(x) + abs(y) + abs(z) > 0.0:  # of a tree, a contact moves a branch
                K[i, 0:w] += x * Z[right, 0:w] + y * Z[right + 1, 0:w] + z * Z[right + 2, 0:w]


@routine
def factor_trees(
    A: Vector, D: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector,
    widths: Vector, starts: Vector, X: Vector,
) -> None:  # fmt: skip
    """L of A_kk; T_j in place of A_kj; D: 1 / pivots, by coordinates.

    Of free bodies L is below the diagonal, and of trees, which are eliminated from leaves to the root, D L' is there
    """
    for n in range(whole(number[0])):
        k = whole(order[n])
        size, width, start, later_ones = whole(sizes[k]), whole(widths[k]), whole(starts[k]), whole(degree[k])
        B = matrix(A[whole(at[k, k]) :], width)
        if size == 6:
            factor_six(B, D[start:], X)
        else:
            for p in reversed(range(size)):  # leaves first, so that branches stay apart
                d = 1.0 / B[p, p]
                D[start + p] = d
                for i in range(p):
                    if abs(B[p, i]) > 0.0:
                        m = d * B[p, i]
                        B[i, 0 : i + 1] -= m * B[p, 0 : i + 1]
        for q in range(later_ones):
            j = whole(later[k, q])
            w = whole(widths[j])
            T = matrix(A[whole(at[k, j]) :], w)
            if size == 6 and w == 8:
                for p in range(6):
                    for i in range(p + 1, 6):
                        T[i, 0:8] -= B[i, p] * T[p, 0:8]
            elif size == 6:
                for p in range(6):
                    for i in range(p + 1, 6):
                        T[i, 0:w] -= B[i, p] * T[p, 0:w]
            else:
                for p in reversed(range(size)):
                    for i in range(p):
                        if abs(B[p, i]) > 0.0:
                            T[i, 0:w] -= (D[start + p] * B[p, i]) * T[p, 0:w]
        for q in range(later_ones):
            i = whole(later[k, q])
            many = whole(sizes[i])
            S = matrix(A[whole(at[k, i]) :], whole(widths[i]))
            for e in range(later_ones):
                j = whole(later[k, e])
                w = whole(widths[j])
                if place[i] <= place[j]:
                    T = matrix(A[whole(at[k, j]) :], w)
                    K = matrix(A[whole(at[i, j]) :], w)
                    if size == 6 and w == 8:
                        take_six(K, S, T, D[start:], many)
                    else:
                        for x in range(many):
                            for p in range(size):
                                K[x, 0:w] -= (D[start + p] * S[p, x]) * T[p, 0:w]


@routine
def take_six(K: Matrix, S: Matrix, T: Matrix, D: Vector, many: Whole) -> None:
    """K -= S' D T, of a tree with six coordinates, a free body."""
    for x in range(many):
        a, b, c = D[0] * S[0, x], D[1] * S[1, x], D[2] * S[2, x]
        d, e, f = D[3] * S[3, x], D[4] * S[4, x], D[5] * S[5, x]
        K[x, 0:8] -= a * T[0, 0:8] + b * T[1, 0:8] + c * T[2, 0:8] + d * T[3, 0:8] + e * T[4, 0:8] + f * T[5, 0:8]


@routine
def factor_six(B: Matrix, D: Vector, X: Vector) -> None:
    """L and D of a free body, whole rows at a time; multipliers are put in place when none of them is in the way."""
    for p in range(6):
        D[p] = 1.0 / B[p, p]
        for i in range(p + 1, 6):
            m = D[p] * B[p, i]
            B[i, 0:8] -= m * B[p, 0:8]
            X[6 * i + p] = m
    for i in range(6):
        for p in range(i):
            B[i, p] = X[6 * i + p]


@routine
def solve_trees(
    A: Vector, D: Vector, x: Vector, at: Matrix, later: Matrix, order: Vector, degree: Vector, number: Vector, sizes: Vector,
    widths: Vector, starts: Vector,
) -> None:  # fmt: skip
    """x of A x = g, with g in x; behind it there is room for the width of a block."""
    for n in range(whole(number[0])):
        k = whole(order[n])
        size, start = whole(sizes[k]), whole(starts[k])
        B = matrix(A[whole(at[k, k]) :], whole(widths[k]))
        if size == 6:
            for i in range(1, 6):
                total = x[start + i]
                for p in range(i):
                    total -= B[i, p] * x[start + p]
                x[start + i] = total
        else:
            for p in reversed(range(size)):
                m = D[start + p] * x[start + p]
                x[start : start + p] -= m * B[p, 0:p]
        for q in range(whole(degree[k])):
            j = whole(later[k, q])
            w, other = whole(widths[j]), whole(starts[j])
            T = matrix(A[whole(at[k, j]) :], w)
            if size == 6 and w == 8:
                a, b, c = D[start] * x[start], D[start + 1] * x[start + 1], D[start + 2] * x[start + 2]
                d, e, f = D[start + 3] * x[start + 3], D[start + 4] * x[start + 4], D[start + 5] * x[start + 5]
                x[other : other + 8] -= a * T[0, 0:8] + b * T[1, 0:8] + c * T[2, 0:8] + d * T[3, 0:8] + e * T[4, 0:8] + f * T[5, 0:8]
            else:
                for p in range(size):
                    m = D[start + p] * x[start + p]
                    x[other : other + w] -= m * T[p, 0:w]
    for n in reversed(range(whole(number[0]))):
        k = whole(order[n])
        size, start = whole(sizes[k]), whole(starts[k])
        B = matrix(A[whole(at[k, k]) :], whole(widths[k]))
        for q in range(whole(degree[k])):
            j = whole(later[k, q])
            T = matrix(A[whole(at[k, j]) :], whole(widths[j]))
            other, many = whole(starts[j]), whole(sizes[j])
            if many == 6:
                for p in range(size):
                    x[start + p] -= dot(T[p, 0:6], x[other : other + 6])
            else:
                for p in range(size):
                    x[start + p] -= dot(T[p, 0:many], x[other : other + many])
        if size == 6:
            for p in reversed(range(6)):
                total = D[start + p] * x[start + p]
                for c in range(p + 1, 6):
                    total -= B[c, p] * x[start + c]
                x[start + p] = total
        else:
            for p in range(size):
                x[start + p] = D[start + p] * (x[start + p] - dot(B[p, 0:p], x[start : start + p]))
