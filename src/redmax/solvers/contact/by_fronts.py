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
from redmax.solvers.contact.front_terms import add_lessened
from redmax.solvers.contact.line_search import TOO_FAR, power_of_all, way_along
from redmax.solvers.contact.moments import add_coupled_wrenches, lessen_coupled, project_moments, residual_with_moments
from redmax.solvers.contact.newton import ENDING, FIRST, INEXACT
from redmax.solvers.contact.slack import next_slack
from redmax.solvers.contact.terms import add_wrenches, begin_at, changes, end_at, linearise, project, residual


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
    C: Matrix, counts: Vector, s: Matrix, V: Matrix, w: Matrix, g: Vector, turned: Vector, linear: Whole, first: Wholes, parent: Wholes,
    bodies: Whole, moments: Whole,
) -> None:  # fmt: skip
    """g = J' (f + linear r D J x) at V. turned: how many contacts have moments, whose rows are behind; moments: 0 where none can."""
    count = whole(counts[0])
    every = count
    if moments > 0:
        every = count + whole(turned[0])
    begin_at(C, every, V, bodies)
    project(C, count)
    linearise(C, count)
    if moments > 0:
        project_moments(C, count, every)
    for b in range(bodies + 1):
        w[b, 0:8] = 0.0
    add_wrenches(C, every, w, float(linear), bodies)
    if moments > 0 and linear > 0:
        add_coupled_wrenches(C, count, every, w, bodies)
    to_coordinates(w, s, g, first, parent, bodies)


@routine
def advance(
    C: Matrix, counts: Vector, limits: Vector, s: Matrix, x: Vector, V: Matrix, y: Vector, W: Matrix, w: Matrix, p: Vector, g: Vector,
    last: Vector, sums: Vector, known: Vector, turned: Vector, R: Matrix, pulls: Vector, ended: Vector, first: Wholes, parent: Wholes,
    bodies: Whole, n: Whole, rows: Whole, moments: Whole,
) -> None:  # fmt: skip
    """From x towards y, as far as is good. ended: whether Newton's method is at its end; R, pulls: rows of constraints."""
    count = whole(counts[0])
    every = count
    if moments > 0:
        every = count + whole(turned[0])
    tolerance = limits[0]
    carry(s, y, W, first, parent, bodies)
    for b in range(bodies):
        W[b, 0:8] -= V[b, 0:8]
        w[b, 0:8] = 0.0
    W[bodies, 0:8] = 0.0
    w[bodies, 0:8] = 0.0
    change = changes(C, every, W, bodies, sums)
    add_lessened(C, every, w, bodies)
    if moments > 0:
        lessen_coupled(C, count, every, w, bodies)
    to_coordinates(w, s, g, first, parent, bodies)
    for r in range(rows):
        g[0:n] += pulls[r] * R[r, 0:n]
    y[0:n] -= x[0:n]
    way = 1.0
    if change > 0.1 * tolerance and (rows == 0 or counts[4] > 0.5):  # the first step leads onto the rows
        slope = dot(y[0:n], p[0:n])
        curve = dot(y[0:n], g[0:n]) - slope
        end = curve + slope - power_of_all(C, count, every, 1.0, moments, known, known, known, known, known, 0, 0, 0)
        begin = slope - power_of_all(C, count, every, 0.0, moments, known, known, known, known, known, 0, 0, 0)
        if end > TOO_FAR * abs(begin):
            way = way_along(C, count, every, curve, slope, begin, end, moments, known, known, known, known, known, 0, 0, 0)
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
    known: Vector, last: Vector, turned: Vector, solved: Vector, first: Wholes, parent: Wholes, bodies: Whole, n: Whole, moments: Whole,
) -> None:  # fmt: skip
    """How well y, which impulses bring, meets Coulomb's law: taken where it does, else the next convex problem is made."""
    carry(s, y, W, first, parent, bodies)
    W[bodies, 0:8] = 0.0
    count, exact = whole(counts[0]), limits[3]
    most = residual(C, count, W, exact, bodies, moments)
    if moments > 0:
        most = max(most, residual_with_moments(C, count, count + whole(turned[0]), W, exact, bodies))
    last[0] = sqrt(most)
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
            next_slack(C, count, X, Y, A, gamma, known, moments)


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
