"""What contacts add to the matrix of an implicit step of joints and nodes, front by front (by_fronts.py)."""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.solvers.contact.columns import BODY_A, BODY_B, DU, IMPULSE, J_A, J_B, MANTLE, SHARE, SLOPE, STATE, STIFF, TWIN


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
def side_of(J: Vector, body: Whole, s: Matrix, up: Vector, begin: Vector, node: Vector, N: Matrix, Q: Matrix, n: Whole) -> None:
    """J of one body of a contact in coordinates: of a free node in N (3, 3), else added to those of joints in Q (3, n)."""
    if node[body] > -0.5:
        at = whole(begin[body])
        for k in range(3):
            for i in range(3):
                N[k, i] = dot(J[8 * k : 8 * k + 6], s[at + i, 0:6])
    elif n > 0:
        for k in range(3):
            reduced_row(J[8 * k :], s, body, up, begin, 0, Q[k])


@routine
def sloped(row: Vector, A: Matrix, B: Matrix, n: Whole) -> None:
    """B = r D A, (3, n)."""
    r = row[STIFF]
    B[0, 0:n] = (r * row[SLOPE]) * A[0, 0:n] + (r * row[SLOPE + 1]) * A[1, 0:n] + (r * row[SLOPE + 2]) * A[2, 0:n]
    B[1, 0:n] = (r * row[SLOPE + 1]) * A[0, 0:n] + (r * row[SLOPE + 3]) * A[1, 0:n] + (r * row[SLOPE + 4]) * A[2, 0:n]
    B[2, 0:n] = (r * row[SLOPE + 2]) * A[0, 0:n] + (r * row[SLOPE + 4]) * A[1, 0:n] + (r * row[SLOPE + 5]) * A[2, 0:n]


@routine
def add_fronts(
    C: Matrix, counts: Vector, s: Matrix, up: Vector, begin: Vector, F: Vector, node: Vector, border: Vector, leading: Vector,
    N: Matrix, Q: Matrix, B: Matrix, turned: Vector, corner: Whole, wide: Whole, n: Whole, world: Whole, moments: Whole,
) -> None:  # fmt: skip
    """A += J' r D J. node, border: where the blocks of a free node begin in F, -1 where there is none; corner: that of n joints' own."""
    count = whole(counts[0])
    every = count
    if moments > 0:
        every = count + whole(turned[0])
    for c in range(every):
        row = C[c]
        if row[STATE] > 0.5:
            a, b = whole(row[BODY_A]), whole(row[BODY_B])
            both_sides(row, s, up, begin, node, N, Q, n, world)
            soft = where(node[b] > -0.5, float(b), where(node[a] > -0.5, float(a), -1.0))
            sloped(row, Q, B, n)
            if n > 0:
                for i in range(n):
                    at = corner + wide * i
                    F[at : at + n] += Q[0, i] * B[0, 0:n] + Q[1, i] * B[1, 0:n] + Q[2, i] * B[2, 0:n]
            if soft > -0.5:
                j = whole(soft)
                step = whole(leading[j])
                if border[j] > -0.5:
                    for i in range(3):
                        at = whole(border[j]) + step * i
                        F[at : at + n] += N[0, i] * B[0, 0:n] + N[1, i] * B[1, 0:n] + N[2, i] * B[2, 0:n]
                sloped(row, N, B, 3)
                for i in range(3):
                    at = whole(node[j]) + step * i
                    F[at : at + 3] += N[0, i] * B[0, 0:3] + N[1, i] * B[1, 0:3] + N[2, i] * B[2, 0:3]
    if moments > 0:
        add_coupled_fronts(C, count, every, s, up, begin, F, node, N, Q, B, corner, wide, n, world)


@routine
def add_coupled_fronts(
    C: Matrix, count: Whole, every: Whole, s: Matrix, up: Vector, begin: Vector, F: Vector, node: Vector, N: Matrix, Q: Matrix, B: Matrix,
    corner: Whole, wide: Whole, n: Whole, world: Whole,
) -> None:  # fmt: skip
    """A += r q (a b' + b a'), a = J' v of forces, b = J' v of moments (moments.py), which bodies alone have."""
    for c in range(count, every):
        t = C[c]
        if t[STATE] > 0.5:
            v = t[MANTLE:]
            both_sides(C[whole(t[TWIN])], s, up, begin, node, N, Q, n, world)
            B[0, 0:n] = v[0] * Q[0, 0:n] + v[1] * Q[1, 0:n] + v[2] * Q[2, 0:n]
            both_sides(t, s, up, begin, node, N, Q, n, world)
            B[1, 0:n] = v[3] * Q[0, 0:n] + v[4] * Q[1, 0:n] + v[5] * Q[2, 0:n]
            for i in range(n):
                at = corner + wide * i
                F[at : at + n] += (t[SHARE] * B[0, i]) * B[1, 0:n] + (t[SHARE] * B[1, i]) * B[0, 0:n]


@routine
def both_sides(row: Vector, s: Matrix, up: Vector, begin: Vector, node: Vector, N: Matrix, Q: Matrix, n: Whole, world: Whole) -> None:
    """J of both bodies of a contact: of a free node in N, of joints in Q."""
    for k in range(3):
        Q[k, 0:n] = 0.0
    side_of(row[J_B:], whole(row[BODY_B]), s, up, begin, node, N, Q, n)
    if row[BODY_A] < float(world) - 0.5:
        side_of(row[J_A:], whole(row[BODY_A]), s, up, begin, node, N, Q, n)


@routine
def add_lessened(C: Matrix, count: Whole, w: Matrix, world: Whole) -> None:
    """w += J' (f - r D DU)."""
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            r, x, y, z = row[STIFF], row[DU], row[DU + 1], row[DU + 2]
            n = row[IMPULSE] - r * (row[SLOPE] * x + row[SLOPE + 1] * y + row[SLOPE + 2] * z)
            s = row[IMPULSE + 1] - r * (row[SLOPE + 1] * x + row[SLOPE + 3] * y + row[SLOPE + 4] * z)
            t = row[IMPULSE + 2] - r * (row[SLOPE + 2] * x + row[SLOPE + 4] * y + row[SLOPE + 5] * z)
            w[whole(row[BODY_B]), 0:8] += n * row[J_B : J_B + 8] + s * row[J_B + 8 : J_B + 16] + t * row[J_B + 16 : J_B + 24]
            if row[BODY_A] < float(world) - 0.5:
                w[whole(row[BODY_A]), 0:8] += n * row[J_A : J_A + 8] + s * row[J_A + 8 : J_A + 16] + t * row[J_A + 16 : J_A + 24]
