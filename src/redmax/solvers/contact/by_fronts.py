"""Contact beside deformables: Newton's method of solvers/contact/newton.py, with the matrix of an implicit step in place of masses.

    (A + J' r D J) x1 = J' (f + r D J x)        A of joints and free nodes, symmetric and sparse, eliminated front by front in each step

A contact of a node adds a block to the node's own, what borders it to the coordinates of joints, and a block to these: the pattern does not
change. The line search needs no product with A, since A x1 = J' (f - r D J (x1 - x)), and p = A x goes the way that x goes. At last
A y = J' f on the factors of A alone, which the step without contact has left, so that momentum is balanced exactly.

Coordinates x are those of bodies in order; unknowns of the elimination have an order of their own.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.along_tree import carry, to_coordinates
from redmax.solvers.contact.columns import BODY_A, BODY_B, DU, IMPULSE, J_A, J_B, SLOPE, STATE, STIFF
from redmax.solvers.contact.line_search import TOO_FAR, way_along
from redmax.solvers.contact.newton import ENDING, FIRST, INEXACT
from redmax.solvers.contact.slack import next_slack
from redmax.solvers.contact.terms import add_wrenches, begin_at, changes, end_at, linearise, power, project, residual


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
def spread(source: Vector, target: Vector, of: Wholes, to: Wholes, size: Wholes, groups: Whole) -> None:
    """From one order of unknowns to another, group by group."""
    for g in range(groups):
        for k in range(size[g]):
            target[to[g] + k] = source[of[g] + k]


@routine
def spread_rows(A: Matrix, B: Matrix, of: Wholes, to: Wholes, size: Wholes, groups: Whole, rows: Whole) -> None:
    """The same of lines of a matrix."""
    for r in range(rows):
        spread(A[r], B[r], of, to, size, groups)


@routine
def load_at(
    C: Matrix, counts: Vector, s: Matrix, V: Matrix, w: Matrix, g: Vector, linear: Whole, first: Wholes, parent: Wholes, bodies: Whole
) -> None:
    """g = J' (f + linear r D J x) at V."""
    begin_at(C, whole(counts[0]), V, bodies)
    project(C, whole(counts[0]))
    linearise(C, whole(counts[0]))
    for b in range(bodies + 1):
        w[b, 0:8] = 0.0
    add_wrenches(C, whole(counts[0]), w, float(linear), bodies)
    to_coordinates(w, s, g, first, parent, bodies)


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
    N: Matrix, Q: Matrix, B: Matrix, corner: Whole, wide: Whole, n: Whole, world: Whole,
) -> None:  # fmt: skip
    """A += J' r D J. node, border: where the blocks of a free node begin in F, -1 where there is none; corner: that of n joints' own."""
    for c in range(whole(counts[0])):
        row = C[c]
        if row[STATE] > 0.5:
            a, b = whole(row[BODY_A]), whole(row[BODY_B])
            for k in range(3):
                Q[k, 0:n] = 0.0
            side_of(row[J_B:], b, s, up, begin, node, N, Q, n)
            soft = where(node[b] > -0.5, float(b), -1.0)
            if row[BODY_A] < float(world) - 0.5:
                side_of(row[J_A:], a, s, up, begin, node, N, Q, n)
                soft = where(node[a] > -0.5, float(a), soft)
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


@routine
def advance(
    C: Matrix, counts: Vector, limits: Vector, s: Matrix, x: Vector, V: Matrix, y: Vector, W: Matrix, w: Matrix, p: Vector, g: Vector,
    last: Vector, sums: Vector, known: Vector, R: Matrix, pulls: Vector, ended: Vector, first: Wholes, parent: Wholes, bodies: Whole,
    n: Whole, rows: Whole,
) -> None:  # fmt: skip
    """From x towards y, as far as is good. ended: whether Newton's method is at its end; R, pulls: rows of constraints."""
    count, tolerance = whole(counts[0]), limits[0]
    carry(s, y, W, first, parent, bodies)
    for b in range(bodies):
        W[b, 0:8] -= V[b, 0:8]
        w[b, 0:8] = 0.0
    W[bodies, 0:8] = 0.0
    w[bodies, 0:8] = 0.0
    change = changes(C, count, W, bodies, sums)
    add_lessened(C, count, w, bodies)
    to_coordinates(w, s, g, first, parent, bodies)
    for r in range(rows):
        g[0:n] += pulls[r] * R[r, 0:n]
    y[0:n] -= x[0:n]
    way = 1.0
    if change > 0.1 * tolerance and (rows == 0 or counts[4] > 0.5):  # the first step leads onto the rows
        slope = dot(y[0:n], p[0:n])
        curve, end = dot(y[0:n], g[0:n]) - slope, dot(y[0:n], g[0:n]) - power(C, count, 1.0)
        if end > TOO_FAR * abs(slope - sums[0]):
            way = way_along(C, count, count, curve, slope, slope - sums[0], end, 0, known, known, 0, 0, 0)
    x[0:n] += way * y[0:n]
    p[0:n] += way * (g[0:n] - p[0:n])
    for b in range(bodies):
        V[b, 0:8] += way * W[b, 0:8]
    counts[4] += 1.0
    need = max(ENDING * tolerance, limits[3] * min(INEXACT * last[0], FIRST))
    small = where(change < need, where(way > 0.999, 1.0, 0.0), 0.0)
    ended[0] = where(small > 0.0, 1.0, where(counts[4] < limits[2], 0.0, 1.0))


@routine
def judge(
    C: Matrix, counts: Vector, limits: Vector, s: Matrix, x: Vector, y: Vector, W: Matrix, X: Matrix, Y: Matrix, A: Matrix, gamma: Vector,
    known: Vector, last: Vector, solved: Vector, first: Wholes, parent: Wholes, bodies: Whole, n: Whole,
) -> None:  # fmt: skip
    """How well y, which impulses bring, meets Coulomb's law: taken where it does, else the next convex problem is made."""
    carry(s, y, W, first, parent, bodies)
    W[bodies, 0:8] = 0.0
    count, exact = whole(counts[0]), limits[3]
    last[0] = sqrt(residual(C, count, W, exact, bodies, 0))
    counts[2] = last[0]
    counts[3] += 1.0
    if last[0] < limits[0]:
        solved[0] = 1.0
        end_at(C, count)
        x[0:n] = y[0:n]
    else:
        more = where(counts[3] < limits[1], where(counts[4] < limits[2], 1.0, 0.0), 0.0)
        solved[0] = 1.0 - more
        if more * exact > 0.0:
            next_slack(C, count, X, Y, A, gamma, known, 0)


@routine
def gather_links(
    s: Matrix, free: Matrix, now: Matrix, origin: Matrix, of: Vector, x: Vector, twist: Places, after: Places, before: Places,
    place: Places, rate: Places, first: Wholes, tree: Wholes, bodies: Whole, counts: Vector, h: Vector,
) -> None:  # fmt: skip
    """What contacts need of links; x: from velocities without contact to those before the step."""
    for b in range(bodies):
        free[b, 0:6] = after[b][0:6]
        now[b, 0:6] = before[b][0:6]
        origin[b, 0:3] = place[b][0:3]
        of[b] = float(tree[b])
        for k in range(first[b + 1] - first[b]):
            s[first[b] + k, 0:6] = twist[b][6 * k : 6 * k + 6]
            s[first[b] + k, 6] = 0.0
            s[first[b] + k, 7] = 0.0
            x[first[b] + k] = -h[0] * rate[b][k]
    for i in range(6):
        free[bodies, i] = 0.0
        now[bodies, i] = 0.0
    origin[bodies, 0:3] = 0.0
    of[bodies] = -1.0
    for i in range(5):
        counts[i] = 0.0


@routine
def begin_newton(
    s: Matrix, x: Vector, V: Matrix, right: Vector, p: Vector, known: Vector, last: Vector, solved: Vector, h: Vector, first: Wholes,
    parent: Wholes, bodies: Whole, n: Whole, of: Wholes, to: Wholes, size: Wholes, groups: Whole,
) -> None:  # fmt: skip
    """V and p = A x where it begins: A times accelerations without contact is the right side of these, in the order of elimination."""
    carry(s, x, V, first, parent, bodies)
    V[bodies, 0:8] = 0.0
    spread(right, p, of, to, size, groups)
    p[0:n] *= -h[0]
    known[0] = 0.0
    known[1] = 0.0
    last[0] = 1.0
    solved[0] = 0.0


@routine
def number_links(
    up: Vector, begin: Vector, node: Vector, border: Vector, leading: Vector, parent: Wholes, first: Wholes, own: Wholes, beside: Wholes,
    apart: Wholes, bodies: Whole, counts: Vector,
) -> None:  # fmt: skip
    """Tables that are looked up with numbers that contacts have. The world is the last of the bodies."""
    counts[5] = 0.0
    for b in range(bodies):
        up[b] = float(parent[b])
        begin[b] = float(first[b])
        node[b] = float(own[b])
        border[b] = float(beside[b])
        leading[b] = float(apart[b])
    begin[bodies] = float(first[bodies])
    node[bodies] = -1.0


@routine
def ease_of_node(Z: Vector, m: Vector, ease: Vector) -> None:
    """A third of the trace of (m + Z)^-1, of a node whose neighbours stay: how easily it gives way in this step.

    A law of a user's own may leave that indefinite: then by its mass alone.
    """
    a, b, c = Z[0] + m[0], Z[4] + m[0], Z[8] + m[0]
    d, e, f = Z[1], Z[2], Z[5]
    x, y, z = b * c - f * f, a * c - e * e, a * b - d * d
    det = a * x - d * (d * c - e * f) + e * (d * f - e * b)
    definite = where(a > 0.0, where(z > 0.0, where(det > 0.0, 1.0, 0.0), 0.0), 0.0)
    ease[0] = where(definite > 0.0, (x + y + z) / where(definite > 0.0, 3.0 * det, 1.0), 1.0 / m[0])


@routine
def ease_alone(m: Vector, ease: Vector) -> None:
    """The same of one that nothing holds."""
    ease[0] = 1.0 / m[0]


@routine
def put_ease(raw: Matrix, counts: Vector, ease: Vector, body_a: Whole, body_b: Whole, to_a: Whole, to_b: Whole) -> None:
    """Into the raw table of points, of which columns are given."""
    for c in range(whole(counts[0])):
        p = raw[c]
        a, b = ease[whole(p[body_a])], ease[whole(p[body_b])]
        p[to_a] = where(a > 0.0, a, p[to_a])
        p[to_b] = where(b > 0.0, b, p[to_b])
