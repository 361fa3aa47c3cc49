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
from redmax.solvers.contact.slots.slack import next_slack
from redmax.solvers.contact.slots.sweeps import balance_outward, carry, factor_masses, sweep_inward, sweep_outward
from redmax.solvers.contact.slots.terms import power

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
    L0: Matrix, p0: Vector, z: Vector, y: Vector, W: Matrix, v: Vector, found: Vector, X: Matrix, Y: Matrix, Z: Matrix,
    K: Matrix, A: Matrix, gamma: Vector,
    M: Places, s: Places, E: Places, start: Wholes, first: Wholes, parent: Wholes, before: Wholes, opens: Wholes, leaf: Wholes,
    bodies: Whole, coordinates: Whole, slots: Whole,
) -> None:  # fmt: skip
    """found: the changes of rates; counts: contacts, none between trees, then what is told: residual, convex problems, Newton steps."""
    tolerance, exact, touching = limits[0], limits[3], where(counts[0] > 0.5, 1.0, 0.0)
    last, going, problems, steps, kept = 1.0, touching, 0.0, 0.0, 0
    for k in range(coordinates):
        found[k] = 0.0
    if some(touching > 0.0):
        factor_masses(B, G0, L0, p0, M, s, E, first, parent, opens, leaf, bodies)
        carry(C, s, x, V, y, W, first, before, start, bodies)
    while some(going > 0.0):
        need = max(ENDING * tolerance, exact * min(INEXACT * last, FIRST))
        turning, length = going, 0.0
        while some(turning > 0.0):
            sweep_inward(C, V, x, W, y, length, B, w, G, L, p, z, M, s, E, first, parent, opens, leaf, start, bodies, 1)
            change, at_begin, at_end, a, b = sweep_outward(C, V, x, W, y, v, G, L, p, z, M, s, E, first, before, start, bodies)
            asked = where(change > 0.1 * tolerance, turning, 0.0)
            way = way_along(C, slots, b - at_begin, a + b - at_end, a, b, asked)
            steps += turning
            length = where(turning > 0.0, way, 0.0)
            more = where(change < need, where(way > 0.999, 0.0, 1.0), where(change < FINITE, 1.0, 0.0))
            turning = where(turning > 0.0, where(steps < limits[2], more, 0.0), 0.0)
        sweep_inward(C, V, x, W, y, length, B, w, G0, L0, p0, z, M, s, E, first, parent, opens, leaf, start, bodies, 0)
        last = sqrt(balance_outward(C, W, y, G0, L0, p0, z, s, first, before, start, bodies, exact))
        problems += going
        for k in range(coordinates):
            found[k] = where(last < tolerance, y[k], x[k])
        more = where(problems < limits[1], where(steps < limits[2], exact, 0.0), 0.0)
        going = where(going > 0.0, where(last < tolerance, 0.0, where(last < FINITE, more, 0.0)), 0.0)
        if some(going > 0.0):
            next_slack(C, X, Y, Z, K, A, gamma, kept, slots, going)
            kept += 1
    counts[2] = where(touching > 0.0, last, 0.0)
    counts[3] = problems
    counts[4] = steps
