"""Contact of joints whose coordinates follow from fewer, q = f(q_R): Newton's method of newton.py on the rates of q_R, few and dense.

    (A_R + Q' r D Q) x1 = Q' (f + r D Q x),     Q = J S,   S_k the twists of all bodies where coordinate k of q_R moves alone

A_R = G' A G of G = dq/dq_R at the start of the step, by which positions move.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.along_tree import carry
from redmax.solvers.contact.columns import BODY_A, BODY_B, FREE, IMPULSE, J_A, J_B, SLOPE, STATE, STIFF, U
from redmax.solvers.contact.line_search import TOO_FAR, way_along
from redmax.solvers.contact.newton import ENDING, FIRST, INEXACT
from redmax.solvers.contact.slack import next_slack
from redmax.solvers.contact.terms import begin_at, changes, end_at, linearise, move_on, power, project, residual
from redmax.solvers.elimination import factor, solve


@routine
def twists_of_map(
    G: Matrix, s: Matrix, t: Vector, V: Matrix, S: Matrix, first: Wholes, parent: Wholes, number: Wholes, bodies: Whole, n: Whole, N: Whole
) -> None:
    """S: a row for each coordinate of the map, 8 numbers for each body. number: the row of G of each coordinate of joints; t: room."""
    V[bodies, 0:8] = 0.0
    for k in range(N):
        for i in range(n):
            t[i] = G[number[i], k]
        carry(s, t, V, first, parent, bodies)
        row = S[k]
        for b in range(bodies + 1):
            row[8 * b : 8 * b + 8] = V[b, 0:8]


@routine
def rows_of_map(C: Matrix, count: Whole, S: Matrix, Q: Matrix, world: Whole, N: Whole) -> None:
    """Q of all contacts: three rows, one behind the other."""
    for c in range(count):
        row = C[c]
        a, b = whole(row[BODY_A]), whole(row[BODY_B])
        for k in range(N):
            moves = S[k]
            for i in range(3):
                Q[c, i * N + k] = dot(row[J_B + 8 * i : J_B + 8 * i + 6], moves[8 * b : 8 * b + 6])
            if row[BODY_A] < float(world) - 0.5:
                for i in range(3):
                    Q[c, i * N + k] += dot(row[J_A + 8 * i : J_A + 8 * i + 6], moves[8 * a : 8 * a + 6])


@routine
def move_bodies(S: Matrix, x: Vector, V: Matrix, bodies: Whole, N: Whole) -> None:
    """V = S x."""
    for b in range(bodies + 1):
        V[b, 0:8] = 0.0
    for k in range(N):
        row = S[k]
        for b in range(bodies):
            V[b, 0:8] += x[k] * row[8 * b : 8 * b + 8]


@routine
def load_map(C: Matrix, count: Whole, Q: Matrix, y: Vector, linear: Number, N: Whole) -> None:
    """y = Q' (f + linear r D (u - u_free))."""
    y[0:N] = 0.0
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            r = linear * row[STIFF]
            d, e, g = row[U] - row[FREE], row[U + 1] - row[FREE + 1], row[U + 2] - row[FREE + 2]
            a = row[IMPULSE] + r * (row[SLOPE] * d + row[SLOPE + 1] * e + row[SLOPE + 2] * g)
            b = row[IMPULSE + 1] + r * (row[SLOPE + 1] * d + row[SLOPE + 3] * e + row[SLOPE + 4] * g)
            z = row[IMPULSE + 2] + r * (row[SLOPE + 2] * d + row[SLOPE + 4] * e + row[SLOPE + 5] * g)
            for k in range(N):
                y[k] += a * Q[c, k] + b * Q[c, N + k] + z * Q[c, 2 * N + k]


@routine
def stiffen(C: Matrix, count: Whole, Q: Matrix, A: Matrix, F: Matrix, N: Whole) -> None:
    """F = A + Q' r D Q."""
    for i in range(N):
        F[i, 0:N] = A[i, 0:N]
    for c in range(count):
        row = C[c]
        if row[STATE] > 0.5:
            r = row[STIFF]
            for i in range(N):
                x, y, z = r * Q[c, i], r * Q[c, N + i], r * Q[c, 2 * N + i]
                a = x * row[SLOPE] + y * row[SLOPE + 1] + z * row[SLOPE + 2]
                b = x * row[SLOPE + 1] + y * row[SLOPE + 3] + z * row[SLOPE + 4]
                d = x * row[SLOPE + 2] + y * row[SLOPE + 4] + z * row[SLOPE + 5]
                for k in range(N):
                    F[i, k] += a * Q[c, k] + b * Q[c, N + k] + d * Q[c, 2 * N + k]


@routine
def solve_through_map(
    C: Matrix, counts: Vector, limits: Vector, A: Matrix, G: Matrix, rate: Vector, F: Matrix, L: Matrix, s: Matrix, t: Vector, S: Matrix,
    Q: Matrix, x: Vector, y: Vector, V: Matrix, W: Matrix, X: Matrix, Y: Matrix, B: Matrix, gamma: Vector, known: Vector, sums: Vector,
    h: Vector, first: Wholes, parent: Wholes, number: Wholes, bodies: Whole, n: Whole, N: Whole,
) -> None:  # fmt: skip
    """x, changes of the rates of q_R, and the impulses; as newton.solve_in_full. rate: accelerations of q_R without contact; F, L: room."""
    count, tolerance, exact = whole(counts[0]), limits[0], limits[3]
    twists_of_map(G, s, t, V, S, first, parent, number, bodies, n, N)
    rows_of_map(C, count, S, Q, bodies, N)
    for i in range(N):
        L[i, 0:N] = A[i, 0:N]
        x[i] = -h[0] * rate[i]
    factor(L, N, 0, N)
    move_bodies(S, x, V, bodies, N)
    begin_at(C, count, V, bodies)
    known[0] = 0.0
    known[1] = 0.0
    counts[3] = 0.0
    counts[4] = 0.0
    last, going = 1.0, 1.0
    while going > 0.0:
        need = max(ENDING * tolerance, exact * min(INEXACT * last, FIRST))
        turning = 1.0
        while turning > 0.0:
            project(C, count)
            linearise(C, count)
            load_map(C, count, Q, y, 1.0, N)
            stiffen(C, count, Q, A, F, N)
            factor(F, N, 0, N)
            solve(F, y, N)
            y[0:N] -= x[0:N]
            move_bodies(S, y, W, bodies, N)
            change = changes(C, count, W, bodies, sums)
            way = 1.0
            if change > 0.1 * tolerance:
                a, b = 0.0, 0.0
                for i in range(N):
                    a += y[i] * dot(A[i, 0:N], y[0:N])
                    b += y[i] * dot(A[i, 0:N], x[0:N])
                end = a + b - power(C, count, 1.0)
                if end > TOO_FAR * abs(b - sums[0]):
                    way = way_along(C, count, count, a, b, b - sums[0], end, 0, known, known, known, known, known, 0, 0, 0)
            x[0:N] += way * y[0:N]
            move_on(C, count, way)
            counts[4] += 1.0
            small = where(change < need, where(way > 0.999, 1.0, 0.0), 0.0)
            turning = where(small > 0.0, 0.0, where(counts[4] < limits[2], 1.0, 0.0))
        project(C, count)
        load_map(C, count, Q, y, 0.0, N)
        solve(L, y, N)
        move_bodies(S, y, W, bodies, N)
        last = sqrt(residual(C, count, W, exact, bodies, 0))
        counts[2] = last
        counts[3] += 1.0
        met = where(last < tolerance, 1.0, 0.0)
        going = where(met > 0.0, 0.0, where(counts[3] < limits[1], where(counts[4] < limits[2], exact, 0.0), 0.0))
        if met > 0.0:
            end_at(C, count)
            x[0:N] = y[0:N]
        if going > 0.0:
            next_slack(C, count, X, Y, B, gamma, known, 0)


@routine
def apply_to_slides(x: Vector, rate: Places, N: Whole, h: Vector) -> None:
    """qddot_R += x / h."""
    for k in range(N):
        rate[k][0] += x[k] / h[0]
