"""Newton's method of worlds side by side, and the outer iteration around it, as solvers/contact/newton.py has them for one world.

Nobody is masked: all lanes go through all turns until the last of them is done. What a world does again that is done is what it did before,
since its velocities and slacks stay: steps of Newton's method are of length 0 there, and slacks are kept.
"""

from __future__ import annotations

from typing import Any

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, some
from redmax.solvers.contact.newton import ENDING, FIRST, INEXACT, MOST_TRIES, NEAR, TOO_FAR
from redmax.solvers.contact.slack import DEPTH
from redmax.solvers.contact.slots.slack import forget_first, next_slack
from redmax.solvers.contact.slots.terms import ahead, power, press, residual
from redmax.solvers.contact.slots.trees import begin_bodies, carry, inward, load, outward, products

FINITE = 1e300  # what is larger, or no number, ends the search of its world


@routine
def way_along(C: Matrix, slots: Whole, begin: Number, end: Number, A: Number, B: Number, asked: Number) -> Any:
    """How far to go: 1, or where the slope way A + B - f . du is zero before, in worlds where it is asked for."""
    way = 1.0
    searching = where(end > TOO_FAR * abs(begin), asked, 0.0)
    if some(searching > 0.0):
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
    L0: Matrix, p0: Vector, z: Vector, y: Vector, W: Matrix, found: Vector, X: Matrix, Y: Matrix, A: Matrix, gamma: Vector, M: Places,
    s: Places, E: Places, body: Wholes, first: Wholes, parent: Wholes, before: Wholes, bodies: Whole, coordinates: Whole, slots: Whole,
) -> None:  # fmt: skip
    """found: the changes of rates; counts: contacts, none between trees, then what is told: residual, convex problems, Newton steps."""
    tolerance, exact, touching = limits[0], limits[3], where(counts[0] > 0.5, 1.0, 0.0)
    last, going, problems, steps, kept = 1.0, touching, 0.0, 0.0, 0
    for k in range(coordinates):
        found[k] = 0.0
    if some(touching > 0.0):
        begin_bodies(M, B, w, bodies)
        inward(B, s, E, G0, L0, p0, first, parent, bodies)
        carry(s, x, V, first, before, bodies)
    while some(going > 0.0):
        need = max(ENDING * tolerance, min(INEXACT * last, FIRST))
        turning = going
        while some(turning > 0.0):
            begin_bodies(M, B, w, bodies)
            press(C, V, B, w, body, slots, 1)
            inward(B, s, E, G, L, p, first, parent, bodies)
            load(w, s, G, L, p, z, first, parent, bodies)
            outward(s, G, L, p, z, y, W, first, before, bodies)
            for k in range(coordinates):
                y[k] -= x[k]
            for b in range(bodies):
                for i in range(6):
                    W[b, i] -= V[b, i]
            change, at_begin, at_end = ahead(C, W, body, slots)
            a, b_ = products(M, E, V, x, W, y, first, bodies)
            asked = where(change > 0.1 * tolerance, turning, 0.0)
            way = way_along(C, slots, b_ - at_begin, a + b_ - at_end, a, b_, asked)
            steps += turning
            length = where(turning > 0.0, way, 0.0)
            for k in range(coordinates):
                x[k] += length * y[k]
            for b in range(bodies):
                for i in range(6):
                    V[b, i] += length * W[b, i]
            more = where(change < need, where(way > 0.999, 0.0, 1.0), where(change < FINITE, 1.0, 0.0))
            turning = where(turning > 0.0, where(steps < limits[2], more, 0.0), 0.0)
        for b in range(bodies):
            for i in range(6):
                w[b, i] = 0.0
        press(C, V, B, w, body, slots, 0)
        load(w, s, G0, L0, p0, z, first, parent, bodies)
        outward(s, G0, L0, p0, z, y, W, first, before, bodies)
        last = sqrt(residual(C, W, exact, body, slots))
        problems += going
        for k in range(coordinates):
            found[k] = where(last < tolerance, y[k], x[k])
        more = where(problems < limits[1], where(steps < limits[2], exact, 0.0), 0.0)
        going = where(going > 0.0, where(last < tolerance, 0.0, where(last < FINITE, more, 0.0)), 0.0)
        if some(going > 0.0):
            if kept > DEPTH:
                forget_first(C, X, Y, slots)
                kept = DEPTH
            next_slack(C, X, Y, A, gamma, kept, slots, going)
            kept += 1
    counts[2] = where(touching > 0.0, last, 0.0)
    counts[3] = problems
    counts[4] = steps
