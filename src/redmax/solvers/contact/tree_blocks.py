"""Contacts between trees: (H + J' r D J) x = g as blocks between trees, eliminated in an order that is found at run time.

H is the inertia of each tree in its coordinates, J of a contact those of the one or two trees that it moves, (3, n) each. The trees that
touch something are ordered by least degree, which is done anew only when other trees touch each other than before. Blocks lie in one
vector, each (rows of the earlier tree, width of the later one); widths are multiples of 4.

    A_kk = L D L',   T_j = L^-1 A_kj,   A_ij -= T_i' D^-1 T_j
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, matrix, whole
from redmax.solvers.contact.columns import BODY_A, BODY_B, J_A, J_B, SLOPE, STATE, STIFF, TREE_A, TREE_B

MISSING = -1.0


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
def reduced_row(J: Vector, s: Matrix, body: Whole, up: Vector, begin: Vector, start: Whole, out: Vector) -> None:
    """out += J s of all coordinates that move a body, from its own up to the root's."""
    b = float(body)
    while b > -0.5:
        at = whole(b)
        for k in range(whole(begin[at]), whole(begin[at + 1])):
            out[k - start] += dot(J[0:6], s[k, 0:6])
        b = up[at]


@routine
def reduce_rows(
    C: Matrix, count: Whole, s: Matrix, up: Vector, begin: Vector, of: Vector, starts: Vector, Q: Matrix, wide: Whole
) -> None:
    """TREE_A, TREE_B, and J of each contact in their coordinates: three rows of A, three of B, each `wide` numbers."""
    for c in range(count):
        row = C[c]
        a, b = whole(row[BODY_A]), whole(row[BODY_B])
        Q[c, 0 : 6 * wide] = 0.0
        row[TREE_A] = of[b]  # b always moves
        start = whole(starts[whole(of[b])])
        for k in range(3):
            reduced_row(row[J_B + 8 * k :], s, b, up, begin, start, Q[c, k * wide :])
        row[TREE_B] = MISSING
        if of[a] > MISSING + 0.5:
            side = 0
            if abs(of[a] - of[b]) > 0.5:
                row[TREE_B] = of[a]
                side = 3
            other = whole(starts[whole(of[a])])
            for k in range(3):
                reduced_row(row[J_A + 8 * k :], s, a, up, begin, other, Q[c, (side + k) * wide :])


@routine
def order_trees(
    C: Matrix, count: Whole, N: Matrix, before: Matrix, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector,
    number: Vector, sizes: Vector, widths: Vector, used: Vector, room: Whole, trees: Whole,
) -> None:  # fmt: skip
    """Which trees touch which, N (with their own in the diagonal), and, where that has changed, the order and the place of all blocks.

    order: the trees that touch something, `number` of them; later: of each, those that its elimination reaches, `degree` of them
    used: how much room blocks take; more than `room` ends the run
    """
    for i in range(trees):
        N[i, 0:trees] = 0.0
    for c in range(count):
        a, b = whole(C[c, TREE_A]), whole(C[c, TREE_B])
        N[a, a] = 1.0
        if C[c, TREE_B] > MISSING + 0.5:
            N[b, b] = 1.0
            N[a, b] = 1.0
            N[b, a] = 1.0
    changed = 0.0
    for i in range(trees):
        for j in range(trees):
            changed += abs(N[i, j] - before[i, j])
    if changed > 0.0:
        for i in range(trees):
            before[i, 0:trees] = N[i, 0:trees]
        eliminate_pattern(N, later, order, place, degree, number, trees)
        used[0] = 0.0
        for n in range(whole(number[0])):
            i = whole(order[n])
            at[i, i] = used[0]
            used[0] += sizes[i] * widths[i]
            for m in range(whole(degree[i])):
                j = whole(later[i, m])
                at[i, j] = used[0]
                used[0] += sizes[i] * widths[j]
        if used[0] > float(room):
            number[0] = 0.0
            used[1] = 1.0


@routine
def eliminate_pattern(N: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, trees: Whole) -> None:
    """The order of least degree; N gets what elimination fills in. place: of each tree in the order, behind all until it is there."""
    number[0] = 0.0
    for i in range(trees):
        place[i] = float(trees)
        degree[i] = 0.0
        if N[i, i] > 0.0:
            for j in range(trees):
                degree[i] += N[i, j]
            degree[i] -= 1.0
    left = 0.0
    for i in range(trees):
        left += N[i, i]
    while left > 0.0:
        least = float(trees) + 1.0
        k = 0
        for i in range(trees):
            if N[i, i] > 0.0 and place[i] > float(trees) - 0.5 and degree[i] < least:
                least = degree[i]
                k = i
        place[k] = number[0]
        order[whole(number[0])] = float(k)
        number[0] += 1.0
        left -= 1.0
        m = 0.0
        for i in range(trees):
            if N[k, i] > 0.0 and place[i] > float(trees) - 0.5:
                later[k, whole(m)] = float(i)
                m += 1.0
        degree[k] = m
        for i in range(whole(m)):
            x = whole(later[k, i])
            degree[x] -= 1.0
            for j in range(whole(m)):
                y = whole(later[k, j])
                if N[x, y] < 0.5:
                    N[x, y] = 1.0
                    degree[x] += 1.0


@routine
def assemble(
    C: Matrix, count: Whole, Q: Matrix, H: Vector, A: Vector, X: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector,
    degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector, used: Vector, wide: Whole,
) -> None:  # fmt: skip
    """A = H + J' r D J."""
    for k in range(whole(used[0])):
        A[k] = 0.0
    for n in range(whole(number[0])):
        t = whole(order[n])
        source, target = whole(places[t]), whole(at[t, t])
        for k in range(whole(sizes[t]) * whole(widths[t])):
            A[target + k] = H[source + k]
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            r = row[STIFF]
            nn, na, nb = r * row[SLOPE], r * row[SLOPE + 1], r * row[SLOPE + 2]
            aa, ab, bb = r * row[SLOPE + 3], r * row[SLOPE + 4], r * row[SLOPE + 5]
            J = matrix(Q[c], wide)
            Z = matrix(X, wide)
            a = whole(row[TREE_A])
            wa, na_ = whole(widths[a]), whole(sizes[a])
            Z[0, 0:wa] = nn * J[0, 0:wa] + na * J[1, 0:wa] + nb * J[2, 0:wa]
            Z[1, 0:wa] = na * J[0, 0:wa] + aa * J[1, 0:wa] + ab * J[2, 0:wa]
            Z[2, 0:wa] = nb * J[0, 0:wa] + ab * J[1, 0:wa] + bb * J[2, 0:wa]
            B = matrix(A[whole(at[a, a]) :], wa)
            for i in range(na_):
                B[i, 0:wa] += J[0, i] * Z[0, 0:wa] + J[1, i] * Z[1, 0:wa] + J[2, i] * Z[2, 0:wa]
            if row[TREE_B] > MISSING + 0.5:
                b = whole(row[TREE_B])
                wb, nb_ = whole(widths[b]), whole(sizes[b])
                if place[a] < place[b]:  # rows of a, columns of b
                    Z[3, 0:wb] = nn * J[3, 0:wb] + na * J[4, 0:wb] + nb * J[5, 0:wb]
                    Z[4, 0:wb] = na * J[3, 0:wb] + aa * J[4, 0:wb] + ab * J[5, 0:wb]
                    Z[5, 0:wb] = nb * J[3, 0:wb] + ab * J[4, 0:wb] + bb * J[5, 0:wb]
                    K = matrix(A[whole(at[a, b]) :], wb)
                    for i in range(na_):
                        K[i, 0:wb] += J[0, i] * Z[3, 0:wb] + J[1, i] * Z[4, 0:wb] + J[2, i] * Z[5, 0:wb]
                else:
                    Z[3, 0:wb] = nn * J[3, 0:wb] + na * J[4, 0:wb] + nb * J[5, 0:wb]
                    Z[4, 0:wb] = na * J[3, 0:wb] + aa * J[4, 0:wb] + ab * J[5, 0:wb]
                    Z[5, 0:wb] = nb * J[3, 0:wb] + ab * J[4, 0:wb] + bb * J[5, 0:wb]
                    K = matrix(A[whole(at[b, a]) :], wa)
                    for i in range(nb_):
                        K[i, 0:wa] += J[3, i] * Z[0, 0:wa] + J[4, i] * Z[1, 0:wa] + J[5, i] * Z[2, 0:wa]
                B = matrix(A[whole(at[b, b]) :], wb)
                for i in range(nb_):
                    B[i, 0:wb] += J[3, i] * Z[3, 0:wb] + J[4, i] * Z[4, 0:wb] + J[5, i] * Z[5, 0:wb]


@routine
def factor_trees(
    A: Vector, D: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector,
    widths: Vector, starts: Vector,
) -> None:  # fmt: skip
    """L below, and on, the diagonal of A_kk; T_j in place of A_kj; D: 1 / pivots, by coordinates."""
    for n in range(whole(number[0])):
        k = whole(order[n])
        size, width, start, later_ones = whole(sizes[k]), whole(widths[k]), whole(starts[k]), whole(degree[k])
        B = matrix(A[whole(at[k, k]) :], width)
        for p in range(size):
            d = 1.0 / B[p, p]
            D[start + p] = d
            for i in range(p + 1, size):
                m = d * B[p, i]
                B[i, p : size] -= m * B[p, p : size]
                B[i, p] = m
        for q in range(later_ones):
            j = whole(later[k, q])
            w = whole(widths[j])
            T = matrix(A[whole(at[k, j]) :], w)
            for p in range(size):
                for i in range(p + 1, size):
                    T[i, 0:w] -= B[i, p] * T[p, 0:w]
        for q in range(later_ones):
            i = whole(later[k, q])
            S = matrix(A[whole(at[k, i]) :], whole(widths[i]))
            for e in range(later_ones):
                j = whole(later[k, e])
                w = whole(widths[j])
                if place[i] <= place[j]:
                    T = matrix(A[whole(at[k, j]) :], w)
                    K = matrix(A[whole(at[i, j]) :], w)
                    for x in range(whole(sizes[i])):
                        for p in range(size):
                            K[x, 0:w] -= (D[start + p] * S[p, x]) * T[p, 0:w]


@routine
def solve_trees(
    A: Vector, D: Vector, x: Vector, at: Matrix, later: Matrix, order: Vector, degree: Vector, number: Vector, sizes: Vector,
    widths: Vector, starts: Vector,
) -> None:  # fmt: skip
    """x of A x = g, with g in x."""
    for n in range(whole(number[0])):
        k = whole(order[n])
        size, width, start = whole(sizes[k]), whole(widths[k]), whole(starts[k])
        B = matrix(A[whole(at[k, k]) :], width)
        for p in range(size):
            for i in range(p + 1, size):
                x[start + i] -= B[i, p] * x[start + p]
        for q in range(whole(degree[k])):
            j = whole(later[k, q])
            T = matrix(A[whole(at[k, j]) :], whole(widths[j]))
            other, many = whole(starts[j]), whole(sizes[j])
            for p in range(size):
                m = D[start + p] * x[start + p]
                for i in range(many):
                    x[other + i] -= T[p, i] * m
    for n in reversed(range(whole(number[0]))):
        k = whole(order[n])
        size, width, start = whole(sizes[k]), whole(widths[k]), whole(starts[k])
        B = matrix(A[whole(at[k, k]) :], width)
        for p in range(size):
            x[start + p] *= D[start + p]
        for q in range(whole(degree[k])):
            j = whole(later[k, q])
            T = matrix(A[whole(at[k, j]) :], whole(widths[j]))
            other, many = whole(starts[j]), whole(sizes[j])
            for p in range(size):
                total = 0.0
                for i in range(many):
                    total += T[p, i] * x[other + i]
                x[start + p] -= D[start + p] * total
        for p in reversed(range(size)):
            for i in range(p + 1, size):
                x[start + p] -= B[i, p] * x[start + i]
