"""Newton's method of worlds side by side, and the outer iteration around it, as solvers/contact/newton.py has them for one world.

Each world is in a convex problem of its own; all lanes go through steps of Newton's method until the last of them has met what ends it, and
then look at momentum together. What a world does meanwhile that has is of no account: its steps are of length 0, and impulses, slacks and
what was found are kept. So who is beside whom makes no difference to anybody's numbers.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, some
from redmax.solvers.contact.line_search import MOST_TRIES, NEAR, TOO_FAR
from redmax.solvers.contact.newton import CALM, CLOSER, ENDING, FIRST, INEXACT, REST, SURELY
from redmax.solvers.contact.slots.rest import at_rest, end_at
from redmax.solvers.contact.slots.slack import NONE, next_slack
from redmax.solvers.contact.slots.sweeps import (
    arrive_at,
    balance,
    balance_at_rest,
    begin,
    carry,
    factor_masses,
    products,
    sweep_inward,
    sweep_outward,
)
from redmax.solvers.contact.slots.terms import foresee_part, mark, power

FINITE = 1e300  # what is larger, or no number, ends the search of its world


@routine
def way_along(C: Matrix, slots: Whole, begin: Number, end: Number, A: Number, B: Number, asked: Number) -> Any:
    """How far to go: 1, or where the slope way A + B - f . du is zero before, in worlds where it is asked for."""
    way = 1.0
    searching = where(end > TOO_FAR * abs(begin), asked, 0.0)
    low, high, at_low, at_high, tries = 0.0, 1.0, begin, end, 0.0
    while some(searching > 0.0):
        way = where(searching > 0.0, high - at_high * (high - low) / (at_high - at_low), way)
        slope = way * A + B - power(C, slots, way)
        tries += 1.0
        near = where(abs(slope) < NEAR * abs(begin), 0.0, where(tries < MOST_TRIES, 1.0, 0.0))
        searching = where(searching > 0.0, near, 0.0)
        again = where(tries > 1.5, 0.5, 1.0)
        at_low = where(slope > 0.0, again * at_low, slope)
        at_high = where(slope > 0.0, slope, again * at_high)
        low = where(slope > 0.0, low, way)
        high = where(slope > 0.0, way, high)
    return way


@routine
def solve_slots(
    C: Matrix, counts: Vector, limits: Vector, x: Vector, V: Matrix, B: Matrix, w: Matrix, G: Matrix, L: Matrix, p: Vector, G0: Matrix,
    L0: Matrix, p0: Vector, z: Vector, y: Vector, W: Matrix, v: Vector, found: Vector, X: Matrix, Y: Matrix, Z: Matrix, K: Matrix,
    A: Matrix, gamma: Vector, M: Places, s: Places, E: Places, start: Wholes, first: Wholes, parent: Wholes, before: Wholes, opens: Wholes,
    leaf: Wholes, bodies: Whole, coordinates: Whole, slots: Whole,
) -> None:  # fmt: skip
    """found: the changes of rates; counts: contacts, none between trees, then what is told: residual, convex problems, Newton steps."""
    tolerance, exact, going = limits[0] * where(limits[3] > 0.5, 1.0, CLOSER), limits[3], where(counts[0] > 0.5, 1.0, 0.0)
    last, told, problems, steps, newest, tried, turn = 1.0, 0.0, 0.0, 0.0, NONE, 0.0, 0
    for k in range(coordinates):
        found[k] = 0.0
    if some(going > 0.0):
        factor_masses(B, G0, L0, p0, M, s, E, first, parent, opens, leaf, bodies)
        carry(s, x, V, first, before, bodies)
        still = at_rest(C, slots)
        resting = where(going > 0.0, still, 0.0)
        if some(resting > 0.0):
            far = sqrt(balance_at_rest(C, w, V, W, v, y, G0, L0, p0, z, s, first, parent, before, opens, leaf, start, bodies, exact))
            resting = where(far < limits[0] * where(resting > 1.5, REST, CALM), resting, 0.0)
            for k in range(coordinates):
                found[k] = where(resting > 0.0, y[k], 0.0)
            told = where(resting > 0.0, far, 0.0)
            going = where(resting > 0.0, 0.0, going)
        if some(going > 0.0):
            mark(C, slots, going)
            begin(C, V, y, W, first, start, bodies)
    while some(going > 0.0):
        turning, length = going, 0.0
        while some(turning > 0.0):
            sweep_inward(C, V, x, W, y, length, B, w, G, L, p, z, M, s, E, first, parent, opens, leaf, start, bodies)
            change, work, curve, after, error = sweep_outward(C, V, x, W, y, v, G, L, p, z, s, first, before, start, bodies, turning)
            way = 1.0
            asked = where(work - curve - after > TOO_FAR * curve, turning, 0.0)  # as H (x + y) = J' (f - r D DU)
            asked = where(change > 0.1 * tolerance, asked, 0.0)
            if some(asked > 0.0):
                a, b = products(M, E, V, x, W, y, first, bodies)
                way = way_along(C, slots, b - work, a + b - after, a, b, asked)
            steps += turning
            length = where(turning > 0.0, way, 0.0)
            need = max(ENDING * tolerance, exact * min(INEXACT * last, FIRST))
            more = where(change < need, where(way > 0.999, 0.0, 1.0), where(change < FINITE, 1.0, 0.0))
            ends = where(turning > 0.0, where(steps < limits[2], 1.0 - more, 1.0), 0.0)
            if some(ends > 0.0):
                part = where(way == 1.0, 0.0, ends)
                if some(part > 0.0):
                    error = where(part > 0.0, foresee_part(C, slots, way, part), error)
                last = where(ends > 0.0, exact * error, last)
                problems += ends
                ended = where(problems < limits[1], where(steps < limits[2], where(last < FINITE, 0.0, 1.0), 1.0), 1.0)
                decided = where(ends > 0.0, where(last < SURELY * tolerance, 1.0, ended), 0.0)
                turning -= decided
                on = ends - decided
                if some(on > 0.0):
                    newest, tried = next_slack(C, X, Y, Z, K, A, gamma, newest, tried, turn, slots, on)
                    turn += 1
        arrive_at(C, V, x, W, y, length, first, slots, bodies)
        far = sqrt(balance(C, w, W, y, G0, L0, p0, z, s, first, parent, before, opens, leaf, start, bodies, exact))
        met = where(far < tolerance, going, 0.0)
        last = where(going > 0.0, far, last)
        told = where(going > 0.0, far, told)
        for k in range(coordinates):
            found[k] = where(going > 0.0, where(met > 0.0, y[k], x[k]), found[k])
        end_at(C, slots, going, met)
        over = where(problems < limits[1], where(steps < limits[2], where(last < FINITE, 0.0, 1.0), 1.0), 1.0)
        going = where(met > 0.0, 0.0, where(over > 0.0, 0.0, exact * going))
        if some(going > 0.0):
            mark(C, slots, going)
            newest, tried = next_slack(C, X, Y, Z, K, A, gamma, newest, tried, turn, slots, going)
            turn += 1
    counts[2] = told
    counts[3] = problems
    counts[4] = steps
