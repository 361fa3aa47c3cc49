"""Newton's method on the velocities of a step with contact, and the outer iteration of exact friction around it.

    minimise over V:  1/2 (V - V_free)' H (V - V_free) + sum over contacts of |P_K(y)|^2 / 2 r,     y = f0 - r (J V + bias + slack n)

Its gradient is H (V - V_free) - J' f, its Hessian H + J' r D J. The line search is exact where the full step goes too far: the slope along
the way rises, so that a root between is found by regula falsi (Illinois). Where all contacts are with what does not move, a step is one
sweep along the trees, else the blocks between trees are eliminated. The step ends when impulses f, with velocities by exact momentum
balance, meet Coulomb's law to a tolerance; else on the velocities of the last convex problem. What rests is tried first with the impulses
of the step before, which need no step at all.

x are the changes of rates, V = J x those of twists, both against what they would be without contact.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, whole
from redmax.solvers.contact import tree_blocks, tree_order, tree_rows
from redmax.solvers.contact.along_tree import carry, factor_inward, load_inward, outward, product, to_coordinates
from redmax.solvers.contact.constrained import along_columns, block_columns, hold_rows, note_soft
from redmax.solvers.contact.coupled import add_between, add_within, balance_coupled, coupled_product
from redmax.solvers.contact.line_search import TOO_FAR, power_of_all, way_along
from redmax.solvers.contact.moments import (
    add_coupled_terms,
    add_coupled_wrenches,
    assemble_coupled,
    project_moments,
    residual_with_moments,
)
from redmax.solvers.contact.newton_of_sixes import (
    BALANCED,
    LEAST,
    ROUGH,
    begin_newton_of_sixes,
    slack_errors,
    solve_convex,
    wake,
    wake_some,
)
from redmax.solvers.contact.slack import next_slack, slack_error
from redmax.solvers.contact.terms import (
    add_body_terms,
    add_wrenches,
    at_rest,
    begin_at,
    changes,
    end_at,
    linearise,
    move_on,
    project,
    residual,
    settle,
)

CALM, REST = 1e-7, 1e-4  # of the tolerance: what impulses of the step before may leave when they are tried first, and then
SURELY, CLOSER = 2.0, 0.1  # of the tolerance: slacks that are farther off leave more than it; to what one convex problem alone is solved
ENDING, INEXACT, FIRST = 1.0, 3.0, 0.1  # of the tolerance, of the last residual, and m/s: what inner changes come down to


@routine
def copy_bodies(M: Matrix, B: Matrix, w: Matrix, bodies: Whole) -> None:
    """I = M, w = 0."""
    for b in range(bodies):
        for i in range(6):
            B[6 * b + i, 0:8] = M[6 * b + i, 0:8]
        w[b, 0:8] = 0.0
    w[bodies, 0:8] = 0.0


@routine
def balance(
    C: Matrix, count: Whole, w: Matrix, s: Matrix, tau: Vector, G: Matrix, L: Matrix, p: Vector, z: Vector, y: Vector, W: Matrix,
    first: Wholes, parent: Wholes, bodies: Whole,
) -> None:  # fmt: skip
    """y and W that impulses bring by exact momentum balance."""
    for b in range(bodies):
        w[b, 0:8] = 0.0
    add_wrenches(C, count, w, 0.0, bodies)
    load_inward(w, s, tau, G, L, p, z, first, parent, bodies)
    outward(s, G, L, p, z, y, W, first, parent, bodies)


@routine
def solve_in_full(
    turned: Vector, Rbox: Vector, K: Vector, one: Wholes, two: Wholes, forth: Wholes, back: Wholes, C: Matrix, counts: Vector,
    limits: Vector, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix, B: Matrix, w: Matrix, G: Matrix,
    L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix, X: Matrix, Y: Matrix,
    A: Matrix, gamma: Vector, known: Vector, sums: Vector, Q: Matrix, H: Vector, P: Vector, Z: Vector, N: Matrix, before: Matrix,
    at: Matrix,
    later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector,
    starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, R: Matrix, RY: Matrix, RS: Matrix, RY0: Matrix, RS0: Matrix,
    RF: Matrix, Rb: Vector, Rright: Vector, Rl: Vector, Rz: Vector, Rscale: Vector, Ractive: Vector, Rorder: Vector, Rrank: Vector,
    Rwrong: Vector, Rtogether: Vector, Rsoft: Vector, turns: Vector, live: Vector, island: Vector, awake: Vector,
    off: Vector, needed: Vector, pivots: Vector, first: Wholes, parent: Wholes, tree: Wholes, tree_start: Wholes,
    tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, coordinates: Whole, trees: Whole, wide: Whole, room: Whole,
    parts: Whole, rows: Whole, free: Whole, moments: Whole, limited: Whole, pairs: Whole, sixes: Whole,
) -> None:  # fmt: skip
    """x and V, and the impulses. counts: contacts, those between trees, then what is told: residual, convex problems, Newton steps.

    turned: how many contacts have moments, whose rows are behind those of all; moments: 0 where none can have any
    Rbox: what rows of constraints are between; limited: 0 where none has a limited force
    K: what forces add between trees `one` and `two` (coupled.py); pairs: how many of these there are
    turns to pivots: of islands (newton_of_sixes.py); sixes: 1 where all trees have six coordinates, and none of the above is there
    limits: tolerance, most convex problems, most Newton steps, whether friction is exact. y, W: the next x and V of Newton's method
    """
    count, between = whole(counts[0]), counts[1]
    every = count
    if moments > 0:
        every = count + whole(turned[0])
    tolerance, exact = limits[0] * where(limits[3] > 0.5, 1.0, CLOSER), limits[3]
    if pairs > 0:
        between = 1.0
    else:
        copy_bodies(M, B, w, bodies)
        factor_inward(B, s, E, G0, L0, p0, first, parent, bodies)
        if rows > 0:
            along_columns(R, RY0, RS0, Rsoft, w, s, G0, L0, p0, z, W, first, parent, bodies, rows, coordinates)
    V[bodies, 0:8] = 0.0
    W[bodies, 0:8] = 0.0
    known[0] = 0.0
    known[1] = 0.0
    counts[3] = 0.0
    counts[4] = 0.0
    last, going = 1.0, 1.0
    resting, begun, closer = 0.0, 0.0, 1.0
    if moments == 0 and limited == 0 and pairs == 0:
        resting = at_rest(C, count)
    while going > 0.0:
        if sixes > 0:
            if resting < 0.5:
                if begun < 0.5:
                    begin_newton_of_sixes(
                        C, count, M, E, s, T, x, B, G, Q, H, N, before, at, later, order, place, degree, number, sizes, widths, starts,
                        used, up, begin, of, island, live, first, parent, tree, tree_start, tree_width, tree_place, always, bodies, trees,
                        room, parts
                    )  # fmt: skip
                    wake(awake, needed, live, max(BALANCED * tolerance, exact * ROUGH))
                    begun = 1.0
                solve_convex(
                    C, counts, limits, M, E, s, x, V, y, W, p, Q, H, P, Z, at, later, order, place, degree, number, places, starts, sums,
                    turns, live, island, awake, off, needed, pivots, first, parent, bodies, coordinates
                )  # fmt: skip
                last = slack_errors(C, count, exact, live, off)
                counts[3] += 1.0
        elif resting < 0.5:
            if begun < 0.5:
                begin_newton(
                    C, count, every, M, E, s, T, x, V, B, G, Q, H, N, before, at, later, order, place, degree, number, sizes, widths,
                    starts, used, up, begin, of, first, parent, tree, tree_start, tree_width, tree_place, always, one, two, bodies, trees,
                    wide, room, parts, between, pairs
                )  # fmt: skip
                if pairs > 0:
                    add_within(H, K, sizes, widths, places, one, two, forth, pairs)
                begun = 1.0
            need = max(ENDING * tolerance, exact * min(INEXACT * last, FIRST))
            turning = 1.0
            while turning > 0.0:
                project(C, count)
                linearise(C, count)
                if moments > 0:
                    project_moments(C, count, every)
                copy_bodies(M, B, w, bodies)
                add_wrenches(C, every, w, 1.0, bodies)
                if moments > 0:
                    add_coupled_wrenches(C, count, every, w, bodies)
                if between > 0.5:
                    to_coordinates(w, s, y, first, parent, bodies)
                    tree_blocks.assemble(
                        C, every, Q, H, P, Z, at, later, order, place, degree, number, sizes, widths, places, used, wide
                    )  # fmt: skip
                    if moments > 0:
                        assemble_coupled(C, count, every, Q, P, Z, at, place, sizes, widths, wide)
                    if pairs > 0:
                        add_between(P, K, at, place, sizes, widths, one, two, forth, back, pairs)
                    tree_blocks.factor_trees(P, p, at, later, order, place, degree, number, sizes, widths, starts, Z)
                    tree_blocks.solve_trees(P, p, y, at, later, order, degree, number, sizes, widths, starts)
                    if rows > 0:
                        block_columns(
                            R, RY, RS, Rsoft, P, p, at, later, order, degree, number, sizes, widths, starts, rows, coordinates
                        )  # fmt: skip
                    else:
                        carry(s, y, W, first, parent, bodies)
                else:
                    add_body_terms(C, every, B)
                    if moments > 0:
                        add_coupled_terms(C, count, every, B)
                    factor_inward(B, s, E, G, L, p, first, parent, bodies)
                    load_inward(w, s, tau, G, L, p, z, first, parent, bodies)
                    outward(s, G, L, p, z, y, W, first, parent, bodies)
                    if rows > 0:
                        along_columns(R, RY, RS, Rsoft, w, s, G, L, p, z, W, first, parent, bodies, rows, coordinates)
                if rows > 0:
                    hold_rows(
                        R, RY, RS, RF, Rb, Rright, Rl, Rz, Rscale, Ractive, Rorder, Rrank, Rwrong, Rtogether, Rbox, y, free,
                        rows, coordinates, limited
                    )  # fmt: skip
                    carry(s, y, W, first, parent, bodies)
                for k in range(coordinates):
                    y[k] -= x[k]
                for b in range(bodies):
                    W[b, 0:8] -= V[b, 0:8]
                change = changes(C, every, W, bodies, sums)
                way = 1.0
                if change > 0.1 * tolerance and (rows == 0 or counts[4] > 0.5):  # the first step leads onto the rows
                    if rows > 0:
                        note_soft(R, Rb, Rbox, Rright, Rz, x, y, free, rows, coordinates, limited)
                    after = power_of_all(C, count, every, 1.0, moments, Rbox, Rl, Rsoft, Rright, Rz, free, rows, limited)
                    end = sums[0] - sums[1] - after  # as H (x + y) = J' (f - r D DU) where nothing else holds
                    if rows > 0 or moments > 0 or end > TOO_FAR * sums[1]:
                        a, b_ = 0.0, 0.0
                        if pairs > 0:
                            a = coupled_product(H, K, y, y, sizes, tree_start, tree_width, tree_place, one, two, forth, trees, pairs)
                            b_ = coupled_product(H, K, y, x, sizes, tree_start, tree_width, tree_place, one, two, forth, trees, pairs)
                        else:
                            a, b_ = product(M, E, W, y, W, y, first, bodies), product(M, E, W, y, V, x, first, bodies)
                        slope = b_ - power_of_all(C, count, every, 0.0, moments, Rbox, Rl, Rsoft, Rright, Rz, free, rows, limited)
                        end = a + b_ - after
                        if end > TOO_FAR * abs(slope):
                            way = way_along(C, count, every, a, b_, slope, end, moments, Rbox, Rl, Rsoft, Rright, Rz, free, rows, limited)
                for k in range(coordinates):
                    x[k] += way * y[k]
                for b in range(bodies):
                    V[b, 0:8] += way * W[b, 0:8]
                move_on(C, every, way)
                counts[4] += 1.0
                small = where(change < need, where(way > 0.999, 1.0, 0.0), 0.0)
                turning = where(small > 0.0, 0.0, where(counts[4] < limits[2], 1.0, 0.0))
            project(C, count)
            if moments > 0:
                project_moments(C, count, every)
            last = exact * slack_error(C, count, moments)
            counts[3] += 1.0
        ended = where(counts[3] < limits[1], where(counts[4] < limits[2], 0.0, 1.0), 1.0)
        met, balanced = 0.0, 0.0
        if resting > 0.5 or last < SURELY * tolerance or ended > 0.5:
            if pairs > 0:
                balance_coupled(
                    C, every, w, s, y, H, K, P, p, Q, Z, at, later, order, place, degree, number, sizes, widths, places, starts, used,
                    first, parent, one, two, forth, back, bodies, wide, pairs
                )  # fmt: skip
                carry(s, y, W, first, parent, bodies)
                if rows > 0:
                    block_columns(R, RY0, RS0, Rsoft, P, p, at, later, order, degree, number, sizes, widths, starts, rows, coordinates)
            else:
                balance(C, every, w, s, tau, G0, L0, p0, z, y, W, first, parent, bodies)
            if rows > 0:
                hold_rows(
                    R, RY0, RS0, RF, Rb, Rright, Rl, Rz, Rscale, Ractive, Rorder, Rrank, Rwrong, Rtogether, Rbox, y, free,
                    rows, coordinates, limited
                )  # fmt: skip
                carry(s, y, W, first, parent, bodies)
            most = residual(C, count, W, exact, bodies, moments)
            if moments > 0:
                most = max(most, residual_with_moments(C, count, every, W, exact, bodies))
            last = sqrt(most)
            balanced = 1.0
            counts[2] = last
            met = where(last < where(resting > 0.5, limits[0] * where(resting > 1.5, REST, CALM), tolerance), 1.0, 0.0)
        if met > 0.0:
            end_at(C, count)
            if resting > 0.5:
                settle(C, count)
            for k in range(coordinates):
                x[k] = y[k]
            for b in range(bodies):
                V[b, 0:8] = W[b, 0:8]
        going = where(met > 0.0, 0.0, where(ended > 0.5, 0.0, max(exact, resting)))
        if sixes > 0 and resting + met + ended < 0.5:
            if exact > 0.5:
                wake_some(C, count, live, awake, off, needed, tolerance, balanced)
            else:  # momentum is not balanced well enough
                going, closer = where(closer > LEAST, 1.0, 0.0), 0.1 * closer
                wake(awake, needed, live, closer * tolerance)
        if going > 0.0 and resting < 0.5 and exact > 0.5:
            next_slack(C, count, X, Y, A, gamma, known, moments)
        last = where(resting > 0.5, 1.0, last)
        if sixes > 0 and going + met < 0.5:
            carry(s, x, V, first, parent, bodies)
        resting = 0.0


@routine
def begin_newton(
    C: Matrix, count: Whole, every: Whole, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix, B: Matrix, G: Matrix,
    Q: Matrix, H: Vector, N: Matrix,
    before: Matrix, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector,
    starts: Vector, used: Vector, up: Vector, begin: Vector, of: Vector, first: Wholes, parent: Wholes, tree: Wholes, tree_start: Wholes,
    tree_width: Wholes, tree_place: Wholes, always: Wholes, one: Wholes, two: Wholes, bodies: Whole, trees: Whole, wide: Whole,
    room: Whole, parts: Whole, between: Number, pairs: Whole,
) -> None:  # fmt: skip
    """What all steps of Newton's method share."""
    if between > 0.5:
        tree_rows.reduce_rows(C, every, T, up, begin, of, starts, Q, wide, parts)
        tree_order.order_trees(
            C, count, N, before, at, later, order, place, degree, number, sizes, widths, used, always, one, two, room, trees, pairs
        )  # fmt: skip
        tree_rows.tree_inertia(M, B, s, E, G, H, first, parent, tree, tree_start, tree_width, tree_place, bodies)
    carry(s, x, V, first, parent, bodies)
    begin_at(C, every, V, bodies)
