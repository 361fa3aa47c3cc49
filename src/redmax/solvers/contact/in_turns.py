"""Two methods of before for contact: one problem for all forces, of cones with sides (RedMax notes Eq. 1.88, in terms of velocities), and
normal forces and friction in turns, staggered projections (Alg. 7; Kaufman et al. 2008). Both for comparison: see docs, Contact.

    minimise over V:  1/2 (V - V_free)' H (V - V_free) + sum over contacts of psi(y) / r,     y = f0 - r (J V + bias),   f = grad psi(y)

    ALL        f nearest to y in the cone                              psi = |f|^2 / 2
    NORMALS    f_n = max(y_n, 0),  f_t as it is                        psi = f_n^2 / 2 + f_t . y_t
    TANGENTS   f_t nearest to y_t within mu f_n, f_n as it is          psi = f_n y_n + |y_t|^2 / 2 - |y_t - f_t|^2 / 2

Turns end with NORMALS, once f_a = J_n' f_n of two turns differ by less than a part of it, both measured by M^-1; f_t is kept between steps.
Where no solution of all turns meets both, they may go on for ever: the step ends after so many.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, whole
from redmax.solvers.contact import tree_blocks
from redmax.solvers.contact.along_tree import carry, factor_inward, load_inward, outward, product, to_coordinates
from redmax.solvers.contact.columns import (
    BIAS,
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
    WORK,
    U,
    Y,
)
from redmax.solvers.contact.line_search import TOO_FAR
from redmax.solvers.contact.newton import balance, begin_newton, copy_bodies
from redmax.solvers.contact.sided import on_polygon, on_pyramid
from redmax.solvers.contact.terms import add_body_terms, add_wrenches, changes, end_at, move_on, moved

ALL, NORMALS, TANGENTS = 0.0, 1.0, 2.0  # what is projected
NEAR = 1e-2  # of the tolerance, below which a change of velocities ends Newton's method
STEPS, LEAST = 200.0, 1e-9  # of Newton's method in one problem; the smallest part of one


@routine
def nearest(row: Vector, what: Number, n: Number, a: Number, b: Number, side: Vector, f: Vector, sides: Whole) -> Any:
    """f[0:3] and its derivative f[3:9], of y = (n, a, b)."""
    state = 1.0
    if what < 0.5:
        state = on_pyramid(row[FRICTION], n, a, b, side, f, sides)
    elif what < 1.5:
        pressing = where(n > 0.0, 1.0, 0.0)
        f[0] = pressing * n
        f[1] = row[IMPULSE + 1]
        f[2] = row[IMPULSE + 2]
        f[3] = pressing
        for k in range(4, 9):
            f[k] = 0.0
    else:
        f[0] = row[IMPULSE]
        state = on_polygon(row[FRICTION] * row[IMPULSE], a, b, side, f, sides)
    return state


@routine
def project_as(C: Matrix, count: Whole, what: Number, side: Vector, sides: Whole) -> None:
    """y, f and D of all contacts at u."""
    for c in range(count):
        row = C[c]
        for k in range(3):
            row[Y + k] = row[CARRIED + k] - row[STIFF] * (row[U + k] + row[BIAS + k])
        row[STATE] = nearest(row, what, row[Y], row[Y + 1], row[Y + 2], side, row[WORK:], sides)
        for k in range(3):
            row[IMPULSE + k] = row[WORK + k]
        for k in range(6):
            row[SLOPE + k] = row[WORK + 3 + k]


@routine
def power_as(C: Matrix, count: Whole, what: Number, way: Number, side: Vector, sides: Whole) -> float:
    """f . DU of all contacts, with f at V + way W."""
    total = 0.0
    for c in range(count):
        row = C[c]
        k = way * row[STIFF]
        nearest(row, what, row[Y] - k * row[DU], row[Y + 1] - k * row[DU + 1], row[Y + 2] - k * row[DU + 2], side, row[WORK:], sides)
        total += row[WORK] * row[DU] + row[WORK + 1] * row[DU + 1] + row[WORK + 2] * row[DU + 2]
    return total


@routine
def missed(C: Matrix, count: Whole, V: Matrix, turns: Whole, side: Vector, sides: Whole, world: Whole) -> float:
    """The largest |f - P(f - m (u + bias + R (f - f0)))| / m, m the local mass, of velocities V; in turns P is of normals, and of tangents
    within mu f_n. It leaves u at V in DU, and states."""
    most = 0.0
    for c in range(count):
        row = C[c]
        m, soft, square = row[MASS], 1.0 / row[STIFF], 0.0
        moved(row, V, world, row[DU:])
        for k in range(3):
            row[DU + k] += row[FREE + k]
            row[Y + k] = row[IMPULSE + k] - m * (row[DU + k] + row[BIAS + k] + (row[IMPULSE + k] - row[CARRIED + k]) * soft)
        if turns > 0:
            row[STATE] = nearest(row, TANGENTS, row[Y], row[Y + 1], row[Y + 2], side, row[WORK:], sides)
            row[WORK] = where(row[Y] > 0.0, row[Y], 0.0)
        else:
            row[STATE] = nearest(row, ALL, row[Y], row[Y + 1], row[Y + 2], side, row[WORK:], sides)
        for k in range(3):
            square += (row[IMPULSE + k] - row[WORK + k]) * (row[IMPULSE + k] - row[WORK + k])
        most = max(most, sqrt(square) / m)
        row[STATE] = where(row[IMPULSE] > 0.0, row[STATE], 0.0)
        row[SLACK] = 0.0
    return most


@routine
def push_normals(C: Matrix, count: Whole, X: Matrix, last: Number, w: Matrix, world: Whole) -> None:
    """w = J_n' (f_n - last X): of the normal impulses, or of what they differ by from the last ones."""
    for b in range(world + 1):
        w[b, 0:8] = 0.0
    for c in range(count):
        row = C[c]
        f = row[IMPULSE] - last * X[0, c]
        b = whole(row[BODY_B])
        w[b, 0:8] += f * row[J_B : J_B + 8]
        if row[BODY_A] < float(world) - 0.5:
            a = whole(row[BODY_A])
            w[a, 0:8] += f * row[J_A : J_A + 8]


@routine
def solve_in_turns(
    C: Matrix, counts: Vector, limits: Vector, side: Vector, ends: Vector, M: Matrix, E: Matrix, s: Matrix, T: Matrix, x: Vector, V: Matrix,
    B: Matrix, w: Matrix, G: Matrix, L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix,
    X: Matrix, sums: Vector, Q: Matrix, H: Vector, P: Vector, Z: Vector, N: Matrix, before: Matrix, at: Matrix, later: Matrix,
    order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector, starts: Vector,
    used: Vector, up: Vector, begin: Vector, of: Vector, first: Wholes, parent: Wholes, tree: Wholes, tree_start: Wholes,
    tree_width: Wholes, tree_place: Wholes, always: Wholes, bodies: Whole, coordinates: Whole, trees: Whole, wide: Whole, room: Whole,
    parts: Whole, sides: Whole, turns: Whole,
) -> None:  # fmt: skip
    """x and V, and the impulses, as solve_in_full (newton.py) has them. counts: what is told, at last how many problems there were.

    side: as of sided.py; ends: of turns, the part below which the square of a change of f_a ends them, and how many there are at most
    turns: 0 for one problem
    """
    count, between, tolerance = whole(counts[0]), counts[1], limits[0]
    copy_bodies(M, B, w, bodies)
    factor_inward(B, s, E, G0, L0, p0, first, parent, bodies)
    V[bodies, 0:8] = 0.0
    W[bodies, 0:8] = 0.0
    begin_newton(
        C, count, count, M, E, s, T, x, V, B, G, Q, H, N, before, at, later, order, place, degree, number, sizes, widths, starts, used, up,
        begin, of, first, parent, tree, tree_start, tree_width, tree_place, always, first, first, bodies, trees, wide, room, parts, between,
        0
    )  # fmt: skip
    what, problems, taken, going = float(turns), 0.0, 0.0, 1.0
    for c in range(count):
        X[0, c] = 0.0
    while going > 0.0:
        steps, turning = 0.0, 1.0
        while turning > 0.0:
            project_as(C, count, what, side, sides)
            copy_bodies(M, B, w, bodies)
            add_wrenches(C, count, w, 1.0, bodies)
            if between > 0.5:
                to_coordinates(w, s, y, first, parent, bodies)
                tree_blocks.assemble(C, count, Q, H, P, Z, at, later, order, place, degree, number, sizes, widths, places, used, wide)
                tree_blocks.factor_trees(P, p, at, later, order, place, degree, number, sizes, widths, starts, Z)
                tree_blocks.solve_trees(P, p, y, at, later, order, degree, number, sizes, widths, starts)
                carry(s, y, W, first, parent, bodies)
            else:
                add_body_terms(C, count, B)
                factor_inward(B, s, E, G, L, p, first, parent, bodies)
                load_inward(w, s, tau, G, L, p, z, first, parent, bodies)
                outward(s, G, L, p, z, y, W, first, parent, bodies)
            for k in range(coordinates):
                y[k] -= x[k]
            for b in range(bodies):
                W[b, 0:8] -= V[b, 0:8]
            change, way = changes(C, count, W, bodies, sums), 1.0
            a, b_ = product(M, E, W, y, W, y, first, bodies), product(M, E, W, y, V, x, first, bodies)
            begins = b_ - power_as(C, count, what, 0.0, side, sides)
            ends_at = a + b_ - power_as(C, count, what, 1.0, side, sides)
            if change > NEAR * tolerance and ends_at > TOO_FAR * abs(begins):
                shorter = 1.0
                while shorter > 0.0:  # what is minimised no longer rises where it stops
                    way *= 0.5
                    rises = where(way * a + b_ - power_as(C, count, what, way, side, sides) > 0.0, 1.0, 0.0)
                    shorter = where(way > LEAST, rises, 0.0)
            for k in range(coordinates):
                x[k] += way * y[k]
            for b in range(bodies):
                V[b, 0:8] += way * W[b, 0:8]
            move_on(C, count, way)
            steps += 1.0
            small = where(change < NEAR * tolerance, where(way > 0.999, 1.0, 0.0), 0.0)
            turning = where(small > 0.5, 0.0, where(steps < STEPS, 1.0, 0.0))
        project_as(C, count, what, side, sides)
        taken += steps
        problems += 1.0
        going = where(turns > 0, 1.0, 0.0)
        if what > 0.5 and what < 1.5:
            push_normals(C, count, X, 1.0, w, bodies)
            load_inward(w, s, tau, G0, L0, p0, z, first, parent, bodies)
            outward(s, G0, L0, p0, z, y, W, first, parent, bodies)
            off = product(M, E, W, y, W, y, first, bodies)
            push_normals(C, count, X, 0.0, w, bodies)
            load_inward(w, s, tau, G0, L0, p0, z, first, parent, bodies)
            outward(s, G0, L0, p0, z, y, W, first, parent, bodies)
            all_of_it = product(M, E, W, y, W, y, first, bodies)
            going = where(off > ends[0] * all_of_it, where(problems < 2.0 * ends[1] - 1.5, 1.0, 0.0), 0.0)
            for c in range(count):
                X[0, c] = C[c, IMPULSE]
        what = where(what < 0.5, what, 3.0 - what)
    balance(C, count, w, s, tau, G0, L0, p0, z, y, W, first, parent, bodies)
    counts[2] = missed(C, count, W, turns, side, sides, bodies)
    counts[3] = problems
    counts[4] = taken
    end_at(C, count)
    for k in range(coordinates):
        x[k] = y[k]
    for b in range(bodies):
        V[b, 0:8] = W[b, 0:8]
