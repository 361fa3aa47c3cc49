"""Newton's method where all trees have six coordinates: one convex problem, of which each island ends its own iterations.

It is that of newton.py, by the passes of sixes.py: u, y and f are always those of the end of the last step.
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, whole
from redmax.solvers.contact import tree_order, tree_rows
from redmax.solvers.contact.along_tree import carry, product
from redmax.solvers.contact.columns import ASLEEP, ISLAND, SLACK
from redmax.solvers.contact.islands import ISLANDS, TREES, list_awake, number_islands
from redmax.solvers.contact.line_search import TOO_FAR, power_of_all, way_along
from redmax.solvers.contact.six_factors import back_sixes, factor_sixes
from redmax.solvers.contact.sixes import assemble_sixes, begin_sixes, find_trees, move_sixes, project_sixes
from redmax.solvers.contact.slack import asked
from redmax.solvers.contact.terms import move_on

ENOUGH = 0.5  # of the tolerance: slacks that are less far off are left as they are
BALANCED, INEXACT, ROUGH = 1.0, 3.0, 0.3  # of the tolerance, of the last error of slacks, and m/s: to what momentum is balanced
LEAST = 1e-4  # of the tolerance: to what momentum is balanced in the end, where that is asked for
NEXT_TO = 1e-4  # of the square of the tolerance: what is nearer needs no search along the way


@routine
def begin_newton_of_sixes(
    C: Matrix, count: Whole, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, B: Matrix, G: Matrix, Q: Matrix, H: Vector, N: Matrix,
    before: Matrix, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector,
    starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, island: Vector, live: Vector, first: Wholes, parent: Wholes,
    tree: Wholes, tree_start: Wholes, tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, trees: Whole, room: Whole,
    parts: Whole,
) -> None:  # fmt: skip
    """What all steps of Newton's method share."""
    find_trees(C, count, of)
    tree_order.order_trees(
        C, count, N, before, at, later, order, place, degree, number, sizes, widths, used, always, always, always, room, trees, 0
    )  # fmt: skip
    number_islands(order, number, later, degree, island, live)
    begin_sixes(C, count, T, up, begin, of, starts, at, place, island, x, Q, parts)
    tree_rows.tree_inertia(M, B, s, E, G, H, first, parent, tree, tree_start, tree_width, tree_place, bodies)


@routine
def wake(awake: Vector, needed: Vector, live: Vector, need: Number) -> None:
    """All islands."""
    for i in range(whole(live[ISLANDS])):
        awake[i] = 1.0
        needed[i] = need


@routine
def solve_convex(
    C: Matrix, counts: Vector, limits: Vector, M: Matrix, E: Matrix, s: Matrix, x: Vector, V: Matrix, y: Vector, W: Matrix, p: Vector,
    Q: Matrix, H: Vector, P: Vector, Z: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector,
    places: Vector, starts: Vector, sums: Vector, turns: Vector, live: Vector, island: Vector, awake: Vector,
    off: Vector, needed: Vector, D: Vector, first: Wholes, parent: Wholes, bodies: Whole, coordinates: Whole,
) -> None:  # fmt: skip
    """x, u and impulses with the slacks that there are, of islands that are awake, until each balances momentum as well as it needs."""
    count = whole(counts[0])
    project_sixes(C, count)
    list_awake(C, count, order, number, island, awake, turns, live)
    turning = 1.0
    while turning > 0.0:
        assemble_sixes(C, count, live, Q, H, P, Z, W, at, later, turns, degree, places)
        factor_sixes(P, D, Z, W, at, later, turns, live, place, degree)
        y[0:coordinates] = x[0:coordinates]
        back_sixes(P, D, W, y, at, later, turns, live, degree, starts)
        y[0:coordinates] -= x[0:coordinates]
        most = 0.0
        for i in range(whole(live[ISLANDS])):
            off[i] = 0.0
        after = move_sixes(C, count, Q, y, off, sums)
        for i in range(whole(live[ISLANDS])):
            most = max(most, off[i])
        way = 1.0
        if most > NEXT_TO * limits[0] * limits[0] and sums[0] - sums[1] - after > TOO_FAR * sums[1]:
            move_on(C, count, -1.0)
            project_sixes(C, count)
            carry(s, x, V, first, parent, bodies)
            carry(s, y, W, first, parent, bodies)
            a, b = product(M, E, W, y, W, y, first, bodies), product(M, E, W, y, V, x, first, bodies)
            slope = b - power_of_all(C, count, count, 0.0, 0, y, y, y, y, y, 0, 0, 0)
            if a + b - after > TOO_FAR * abs(slope):
                way = way_along(C, count, count, a, b, slope, a + b - after, 0, y, y, y, y, y, 0, 0, 0)
            move_on(C, count, way)
            project_sixes(C, count)
        for k in range(coordinates):
            x[k] += way * y[k]
        counts[4] += 1.0
        ended = 0.0
        for i in range(whole(live[ISLANDS])):
            if awake[i] > 0.5 and off[i] < needed[i] * needed[i] and way > 0.999:
                awake[i] = 0.0
                ended = 1.0
        if ended > 0.5:
            list_awake(C, count, order, number, island, awake, turns, live)
        turning = where(live[TREES] > 0.5, where(counts[4] < limits[2], 1.0, 0.0), 0.0)


@routine
def slack_errors(C: Matrix, count: Whole, exact: Number, live: Vector, off: Vector) -> float:
    """How far slacks of exact friction are from what is asked for, in each island; the most of all."""
    most = 0.0
    if exact > 0.5:
        for i in range(whole(live[ISLANDS])):
            off[i] = 0.0
        for c in range(count):
            row = C[c]
            error, i = abs(asked(row, 0) - row[SLACK]), whole(row[ISLAND])
            most = where(error > most, error, most)
            if error > off[i]:
                off[i] = error
    return most


@routine
def wake_some(C: Matrix, count: Whole, live: Vector, awake: Vector, off: Vector, needed: Vector, tolerance: Number, every: Number) -> None:
    """Islands whose slacks are far off, or all; and what their next convex problem needs. off: how far they are."""
    for i in range(whole(live[ISLANDS])):
        awake[i] = where(off[i] < ENOUGH * tolerance, every, 1.0)
        needed[i] = max(BALANCED * tolerance, min(INEXACT * off[i], ROUGH))
    for c in range(count):
        C[c, ASLEEP] = 1.0 - awake[whole(C[c, ISLAND])]
