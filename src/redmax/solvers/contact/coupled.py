"""Springs between bodies beside contact, in implicit steps: what they add to the masses of trees, and between trees.

    H_ab += s_a' Z s_b + its transpose,    Z = h D - h^2 K between two bodies (forces/law.py), a and b coordinates that move them

Blocks of coordinates lie in one vector, a pair of trees after the other: (rows of the first, width of the second), and once more with rows
of the second, since it is found at run time which of the two is eliminated first (tree_order.py). A pair may be one tree with itself.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, matrix, whole
from redmax.solvers.contact.along_tree import to_coordinates
from redmax.solvers.contact.terms import add_wrenches
from redmax.solvers.contact.tree_blocks import assemble, factor_trees, solve_trees


@routine
def couple_bodies(
    Z: Matrix, s: Matrix, B: Vector, left: Wholes, right: Wholes, many: Whole, others: Whole, place: Whole, turned: Whole, start: Whole,
    other: Whole, width: Whole, other_width: Whole,
) -> None:  # fmt: skip
    """Of the coordinates `left` and `right`, of trees that begin at `start` and `other`."""
    for j in range(others):
        b = right[j]
        force = [dot(Z[i, 0:6], s[b, 0:6]) for i in range(6)]
        for i in range(many):
            a = left[i]
            entry = dot(s[a, 0:6], force)
            B[place + other_width * (a - start) + b - other] += entry
            B[turned + width * (b - other) + a - start] += entry


@routine
def couple_coordinates(Z: Matrix, B: Vector, many: Whole, others: Whole, place: Whole, width: Whole) -> None:
    """Entries between coordinates of two joints; place: where the first of them lies."""
    for a in range(many):
        for b in range(others):
            B[place + width * a + b] += Z[a, b]


@routine
def add_within(
    H: Vector, B: Vector, sizes: Vector, widths: Vector, places: Vector, one: Wholes, two: Wholes, at: Wholes, pairs: Whole
) -> None:
    """What couples bodies of one tree, to its inertia."""
    for k in range(pairs):
        if one[k] == two[k]:
            t = one[k]
            many, begin, source = whole(sizes[t]) * whole(widths[t]), whole(places[t]), at[k]
            H[begin : begin + many] += B[source : source + many]


@routine
def add_between(
    A: Vector, B: Vector, at: Matrix, place: Vector, sizes: Vector, widths: Vector, one: Wholes, two: Wholes, forth: Wholes, back: Wholes,
    pairs: Whole,
) -> None:  # fmt: skip
    """What couples trees, to the blocks between them."""
    for k in range(pairs):
        if one[k] < two[k]:
            t, u = one[k], two[k]
            if place[t] < place[u]:
                many, target, source = whole(sizes[t]) * whole(widths[u]), whole(at[t, u]), forth[k]
                A[target : target + many] += B[source : source + many]
            else:
                many, target, source = whole(sizes[u]) * whole(widths[t]), whole(at[u, t]), back[k]
                A[target : target + many] += B[source : source + many]


@routine
def coupled_product(
    H: Vector, B: Vector, x: Vector, y: Vector, sizes: Vector, start: Wholes, width: Wholes, place: Wholes, one: Wholes, two: Wholes,
    forth: Wholes, trees: Whole, pairs: Whole,
) -> float:  # fmt: skip
    """x' H y of all coordinates."""
    total = 0.0
    for t in range(trees):
        n, first = whole(sizes[t]), start[t]
        K = matrix(H[place[t] :], width[t])
        for i in range(n):
            total += x[first + i] * dot(K[i, 0:n], y[first : first + n])
    for k in range(pairs):
        if one[k] < two[k]:
            t, u = one[k], two[k]
            n, m, first, other = whole(sizes[t]), whole(sizes[u]), start[t], start[u]
            K = matrix(B[forth[k] :], width[u])
            for i in range(n):
                total += x[first + i] * dot(K[i, 0:m], y[other : other + m])
                total += y[first + i] * dot(K[i, 0:m], x[other : other + m])
    return total


@routine
def balance_coupled(
    C: Matrix, count: Whole, w: Matrix, s: Matrix, y: Vector, H: Vector, B: Vector, A: Vector, D: Vector, Q: Matrix, X: Vector, at: Matrix,
    later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector,
    starts: Vector, used: Vector, first: Wholes, parent: Wholes, one: Wholes, two: Wholes, forth: Wholes, back: Wholes, bodies: Whole,
    wide: Whole, pairs: Whole,
) -> None:  # fmt: skip
    """y that impulses bring by exact momentum balance; factors of H without contact are left in A and D."""
    for b in range(bodies):
        w[b, 0:8] = 0.0
    add_wrenches(C, count, w, 0.0, bodies)
    to_coordinates(w, s, y, first, parent, bodies)
    assemble(C, 0, Q, H, A, X, at, later, order, place, degree, number, sizes, widths, places, used, wide)
    add_between(A, B, at, place, sizes, widths, one, two, forth, back, pairs)
    factor_trees(A, D, at, later, order, place, degree, number, sizes, widths, starts, X)
    solve_trees(A, D, y, at, later, order, degree, number, sizes, widths, starts)
