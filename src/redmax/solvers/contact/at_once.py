"""Coulomb's law at once: Newton's method on exact friction, for the few steps in which the outer iteration on slacks does not end.

With slack = mu |v_t| of the velocities themselves, impulses f(u) are those of Coulomb's law, f_n = max(y_n, 0) and f_t the nearest to y_t
within mu f_n, and only H V = J' f(u) is left, whose matrix is not symmetric: the slack of a contact that slides changes with u by l. What
that adds is of one number each contact, so that the symmetric factors of Newton's method do (Woodbury), and its equations are solved by
conjugate residuals (Eisenstat, Elman and Schultz 1983), which are as many as contacts slide, at most:

    A dV + J' r D n ds = J' f - H V,   ds = l . J dV,   l = share mu / k (mu, -d),   k = 1 + (1 - share) mu^2,   slack = share mu |v_t|

With torsional and rolling friction three laws make one slack, still one number each contact (leads.py). A step is halved until V is nearer
to H^-1 J' f, in the metric of H. That may end where nothing leads on, so that it is tried from several places: where the outer iteration
ended; without contact; along contacts that grow stiffer, along slacks that grow from none, the convex problem, to all, and along friction
that grows from none, as far as Newton's method follows. With moments, whose three laws have more kinks to be caught in, also along these
alone; and then from places around, spread over what the outer iteration ended with, of which most lead on.
"""

from __future__ import annotations

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact import tree_blocks
from redmax.solvers.contact.along_tree import carry, factor_inward, load_inward, outward, product, to_coordinates
from redmax.solvers.contact.columns import DU, FREE, FRICTION, LENGTHS, SLACK, STIFF, TWIN, U
from redmax.solvers.contact.leads import add_slacks, fit_slacks, leads, led
from redmax.solvers.contact.moments import (
    add_coupled_terms,
    add_coupled_wrenches,
    assemble_coupled,
    project_moments,
    residual_with_moments,
)
from redmax.solvers.contact.newton import balance, copy_bodies
from redmax.solvers.contact.terms import add_body_terms, add_wrenches, begin_at, end_at, linearise, moved, project, residual

DIRECTIONS = 24  # conjugate residuals that are kept
SUM, LEFT, SLACKS, STIFFS, FRICTIONS, TORSIONS, ROLLS, WAYS = range(8)  # rows of contacts: ds, what is left of it, what was; ways
LINES = WAYS + 2 * DIRECTIONS
BEGIN, HERE, AHEAD, REACHED, PLACES = 0, 1, 2, 3, 4  # rows of coordinates: as it was; of Newton's method, and its step; along a path
SOLVED = 1e-12  # of the square of what the equations begin with
STEPS, LEAST, LESS = 25.0, 1e-3, 1e-4  # of Newton's method from one place; the smallest part of a step, and what it must bring
FIRST_STEPS, FIRST_LEAST = 100.0, 1e-9  # where a path begins
FROM_END, FROM_NONE, STIFFER, SLACKER, ROUGHER, TURNING, ANYWHERE = range(7)  # where it is tried from
NOWHERE, GOLDEN = ANYWHERE + 30, 0.618033988749895  # places are spread as multiples of the latter are, between whole numbers
SOFT = 0.1  # the root of how stiff contacts are in the beginning
NOT_YET, ALL, SHORTEST = -1.0, 200.0, 1e-4  # of a path: before it begins; steps of Newton's method, and its smallest part


@routine
def next_way(K: Matrix, C: Matrix, count: Whole, every: Whole, W: Matrix, k: Whole, world: Whole, moments: Whole) -> None:
    """A way whose product is normal to those of all before: ds goes along it, as far as is best."""
    p, q = K[WAYS + 2 * k], K[WAYS + 2 * k + 1]
    for c in range(every):
        moved(C[c], W, world, C[c][DU:])
    for c in range(count):
        q[c] = p[c] + led(C, c, DU, moments)
    for j in range(k):
        m = dot(q[0:count], K[WAYS + 2 * j + 1, 0:count])
        q[0:count] -= m * K[WAYS + 2 * j + 1, 0:count]
        p[0:count] -= m * K[WAYS + 2 * j, 0:count]
    size = 1.0 / sqrt(max(dot(q[0:count], q[0:count]), 1e-300))
    q[0:count] *= size
    p[0:count] *= size
    m = dot(q[0:count], K[LEFT, 0:count])
    K[SUM, 0:count] += m * p[0:count]
    K[LEFT, 0:count] -= m * q[0:count]


@routine
def stiffen(C: Matrix, count: Whole, K: Matrix, given: Number, rough: Number, turns: Number, moments: Whole) -> None:
    """r = given^2 r0, mu = rough mu0, and of moments turns times theirs."""
    for c in range(count):
        row = C[c]
        row[STIFF] = given * given * K[STIFFS, c]
        row[FRICTION] = rough * K[FRICTIONS, c]
        if moments > 0 and row[TWIN] > -0.5:
            t = C[whole(row[TWIN])]
            t[STIFF] = row[STIFF]
            t[LENGTHS] = turns * K[TORSIONS, c]
            t[LENGTHS + 1] = turns * K[ROLLS, c]


@routine
def impulses(C: Matrix, count: Whole, every: Whole, share: Number, moments: Whole) -> None:
    """f by the law, of u."""
    fit_slacks(C, count, share, moments)
    project(C, count)
    if moments > 0:
        project_moments(C, count, every)


@routine
def newton_step(
    C: Matrix, count: Whole, every: Whole, between: Number, share: Number, K: Matrix, M: Matrix, E: Matrix, s: Matrix, B: Matrix,
    w: Matrix, G: Matrix, L: Matrix, p: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix, Q: Matrix, H: Vector, P: Vector, Z: Vector,
    at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, sizes: Vector, widths: Vector, places: Vector,
    starts: Vector, used: Vector, first: Wholes, parent: Wholes, bodies: Whole, wide: Whole, moments: Whole,
) -> None:  # fmt: skip
    """y, to which a step of Newton's method leads from where impulses are known."""
    linearise(C, count)
    if moments > 0:
        project_moments(C, count, every)  # whose slopes are in the place of those
    copy_bodies(M, B, w, bodies)
    if between > 0.5:
        tree_blocks.assemble(C, every, Q, H, P, Z, at, later, order, place, degree, number, sizes, widths, places, used, wide)
        if moments > 0:
            assemble_coupled(C, count, every, Q, P, Z, at, place, sizes, widths, wide)
        tree_blocks.factor_trees(P, p, at, later, order, place, degree, number, sizes, widths, starts, Z)
    else:
        add_body_terms(C, every, B)
        if moments > 0:
            add_coupled_terms(C, count, every, B)
        factor_inward(B, s, E, G, L, p, first, parent, bodies)
    leads(C, count, share, moments)  # where factors had their room
    k, begin, going = -1.0, 0.0, 1.0
    K[SUM, 0:count] = 0.0
    while going > 0.0:  # first without ds, then its ways, then with it
        for b in range(bodies + 1):
            w[b, 0:8] = 0.0
        if k > -0.5 and going < 1.5:
            add_slacks(C, count, K[WAYS + 2 * whole(k)], 1.0, w, bodies, moments)
        else:
            add_wrenches(C, every, w, 1.0, bodies)
            if moments > 0:
                add_coupled_wrenches(C, count, every, w, bodies)
            add_slacks(C, count, K[SUM], -1.0, w, bodies, moments)
        if between > 0.5:
            to_coordinates(w, s, y, first, parent, bodies)
            tree_blocks.solve_trees(P, p, y, at, later, order, degree, number, sizes, widths, starts)
            carry(s, y, W, first, parent, bodies)
        else:
            load_inward(w, s, tau, G, L, p, z, first, parent, bodies)
            outward(s, G, L, p, z, y, W, first, parent, bodies)
        if going > 1.5:
            going = 0.0
        else:
            if k < -0.5:
                for c in range(every):
                    moved(C[c], W, bodies, C[c][DU:])
                for c in range(count):
                    K[LEFT, c] = led(C, c, DU, moments) - led(C, c, U, moments) + led(C, c, FREE, moments)
                begin = dot(K[LEFT, 0:count], K[LEFT, 0:count])
            else:
                next_way(K, C, count, every, W, whole(k), bodies, moments)
            k += 1.0
            ended = where(dot(K[LEFT, 0:count], K[LEFT, 0:count]) > SOLVED * begin, where(k < float(DIRECTIONS), 0.0, 1.0), 1.0)
            going = 1.0 + ended
            if ended < 0.5:
                K[WAYS + 2 * whole(k), 0:count] = K[LEFT, 0:count]


@routine
def solve_law_at_once(
    turned: Vector, C: Matrix, counts: Vector, limits: Vector, K: Matrix, F: Matrix, M: Matrix, E: Matrix, s: Matrix, x: Vector,
    V: Matrix, B: Matrix, w: Matrix, G: Matrix, L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector,
    W: Matrix, Q: Matrix, H: Vector, P: Vector, Z: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector,
    number: Vector, sizes: Vector, widths: Vector, places: Vector, starts: Vector, used: Vector, first: Wholes, parent: Wholes,
    bodies: Whole, n: Whole, wide: Whole, moments: Whole,
) -> None:  # fmt: skip
    """Behind Newton's method (newton.py), where that has not met the law; if this does not either, all is as it was.

    K: LINES of as many numbers as there can be contacts; F: PLACES of as many as there are coordinates; turned, moments: as in newton.py
    """
    count = whole(counts[0])
    every, last = count, float(TURNING)
    if moments > 0:
        every = count + whole(turned[0])
        last = float(NOWHERE)
    going = where(counts[0] > 0.5, where(counts[2] < limits[0], 0.0, limits[3]), 0.0)
    if going > 0.0:
        for c in range(count):
            K[SLACKS, c] = C[c, SLACK]
            K[STIFFS, c] = C[c, STIFF]
            K[FRICTIONS, c] = C[c, FRICTION]
            if moments > 0 and C[c, TWIN] > -0.5:
                K[TORSIONS, c] = C[whole(C[c, TWIN]), LENGTHS]
                K[ROLLS, c] = C[whole(C[c, TWIN]), LENGTHS + 1]
        F[BEGIN, 0:n] = x[0:n]
    tried, steps, since = FROM_END, 0.0, 0.0  # where from; steps of Newton's method there, and of all along a path
    gone, goal, part = NOT_YET, 1.0, 1.0  # of a path: where it is solved, where it is tried, and how far that is
    way, before = 0.0, 0.0  # of a step, 0 before the first; the square of how far V was from H^-1 J' f
    while going > 0.0:
        share = where(abs(tried - SLACKER) < 0.5, goal, 1.0)
        firm = where(abs(tried - STIFFER) < 0.5, SOFT + (1.0 - SOFT) * goal, 1.0)
        rough = where(abs(tried - ROUGHER) < 0.5, goal, 1.0)
        stiffen(C, count, K, firm, rough, where(tried > ROUGHER - 0.5, goal, 1.0), moments)
        carry(s, x, V, first, parent, bodies)
        begin_at(C, every, V, bodies)
        impulses(C, count, every, share, moments)
        balance(C, every, w, s, tau, G0, L0, p0, z, y, W, first, parent, bodies)
        most = residual(C, count, W, share, bodies, moments)
        if moments > 0:
            most = max(most, residual_with_moments(C, count, every, W, share, bodies))
        good = where(most < limits[0] * limits[0], 1.0, 0.0)
        patient = where(goal > 0.0, 0.0, 1.0)
        if moments > 0:
            patient = where(abs(tried - FROM_NONE) < 0.5, 1.0, where(tried > TURNING + 0.5, 1.0, patient))
        lost = 0.0
        if good > 0.5 and goal > 1.0 - 1e-9:
            end_at(C, count)
            x[0:n] = y[0:n]
            for b in range(bodies):
                V[b, 0:8] = W[b, 0:8]
            counts[2] = sqrt(most)
            going = 0.0
        elif good < 0.5:
            for k in range(n):
                y[k] -= x[k]
            for b in range(bodies):
                W[b, 0:8] -= V[b, 0:8]
            off = product(M, E, W, y, W, y, first, bodies)
            if way < 1e-9 or off < (1.0 - LESS * way) * before:
                lost = where(steps < where(patient > 0.5, FIRST_STEPS, STEPS), 0.0, 1.0)
                if lost < 0.5:
                    newton_step(
                        C, count, every, counts[1], share, K, M, E, s, B, w, G, L, p, z, tau, y, W, Q, H, P, Z, at, later, order, place,
                        degree, number, sizes, widths, places, starts, used, first, parent, bodies, wide, moments
                    )  # fmt: skip
                    before = off
                    F[HERE, 0:n] = x[0:n]
                    F[AHEAD, 0:n] = y[0:n] - x[0:n]
                    steps += 1.0
                    since += 1.0
                    counts[4] += 1.0
                    way = 1.0
            else:
                way *= 0.5
                lost = where(way > where(patient > 0.5, FIRST_LEAST, LEAST), 0.0, 1.0)
            x[0:n] = F[HERE, 0:n] + way * F[AHEAD, 0:n]
        if going > 0.0 and good + lost > 0.5:
            counts[3] += 1.0
            if good > 0.5:
                part = where(gone < 0.0, where(tried > STIFFER + 0.5, 1.0, 0.5), 2.0 * part)
                gone = goal
                F[REACHED, 0:n] = x[0:n]
            else:
                part = 0.25 * (goal - gone)
            if gone < 0.0 or part < SHORTEST or since > ALL:  # from elsewhere
                tried += 1.0
                gone = NOT_YET
                goal = where(tried < STIFFER - 0.5, 1.0, where(tried > TURNING + 0.5, 1.0, 0.0))
                since = 0.0
                F[REACHED, 0:n] = 0.0
                if moments > 0 and tried > TURNING + 0.5:
                    for k in range(n):
                        a = GOLDEN * (float(k) + 1.0) * (tried + 1.0)
                        F[REACHED, k] = 4.0 * (a - float(whole(a)) - 0.5) * F[BEGIN, k]
                going = where(tried < last - 0.5, 1.0, 0.0)
            else:
                goal = min(1.0, gone + part)
            x[0:n] = F[REACHED, 0:n]
            steps = 0.0
            way = 0.0
            if going < 0.5:
                x[0:n] = F[BEGIN, 0:n]
                stiffen(C, count, K, 1.0, 1.0, 1.0, moments)
                for c in range(count):
                    C[c, SLACK] = K[SLACKS, c]
                carry(s, x, V, first, parent, bodies)
                begin_at(C, every, V, bodies)
                project(C, count)
                if moments > 0:
                    project_moments(C, count, every)


@routine
def solve_at_once(
    C: Matrix, counts: Vector, limits: Vector, K: Matrix, F: Matrix, M: Matrix, E: Matrix, s: Matrix, x: Vector, V: Matrix, B: Matrix,
    w: Matrix, G: Matrix, L: Matrix, p: Vector, G0: Matrix, L0: Matrix, p0: Vector, z: Vector, tau: Vector, y: Vector, W: Matrix,
    Q: Matrix, H: Vector, P: Vector, Z: Vector, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector,
    sizes: Vector, widths: Vector, places: Vector, starts: Vector, used: Vector, first: Wholes, parent: Wholes, bodies: Whole, n: Whole,
    wide: Whole,
) -> None:  # fmt: skip
    """Where no contact has moments."""
    solve_law_at_once(
        tau, C, counts, limits, K, F, M, E, s, x, V, B, w, G, L, p, G0, L0, p0, z, tau, y, W, Q, H, P, Z, at, later, order, place, degree,
        number, sizes, widths, places, starts, used, first, parent, bodies, n, wide, 0,
    )  # fmt: skip
