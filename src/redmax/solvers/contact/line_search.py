"""How far to go along a step of Newton's method: 1, or where the slope of what is minimised is zero before.

The slope rises along the way, so that a root between is found by regula falsi (Illinois).
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole
from redmax.solvers.contact.constrained import slip_power, soft_power
from redmax.solvers.contact.moments import more_power
from redmax.solvers.contact.terms import power

TOO_FAR, NEAR = 0.1, 0.05  # of the slope at the start: one at the end that asks for a search, and one that ends it
MOST_TRIES = 12.0


@routine
def power_of_all(
    C: Matrix, count: Whole, every: Whole, way: Number, moments: Whole, Rbox: Vector, Rl: Vector, soft: Vector, slips: Vector,
    turns: Vector, free: Whole, rows: Whole, limited: Whole,
) -> float:  # fmt: skip
    """f . DU of all contacts, with f at V + way W; and of rows with limited forces, and of those that give way."""
    total = power(C, count, way)
    if moments > 0:
        total += more_power(C, count, every, way)
    if limited > 0:
        total += slip_power(Rbox, Rl, soft, way, free, rows)
    if rows > 0:
        total += soft_power(Rbox, soft, slips, turns, way, free, rows, limited)
    return total


@routine
def way_along(
    C: Matrix, count: Whole, every: Whole, A: Number, B: Number, begin: Number, end: Number, moments: Whole, Rbox: Vector, Rl: Vector,
    soft: Vector, slips: Vector, turns: Vector, free: Whole, rows: Whole, limited: Whole,
) -> float:  # fmt: skip
    """Where the slope way A + B - f . du is zero; begin, end: what it is at 0 and 1."""
    way, low, high, at_low, at_high, tries, going = 1.0, 0.0, 1.0, begin, end, 0.0, 1.0
    while going > 0.0:
        way = high - at_high * (high - low) / (at_high - at_low)
        slope = way * A + B - power_of_all(C, count, every, way, moments, Rbox, Rl, soft, slips, turns, free, rows, limited)
        tries += 1.0
        going = where(abs(slope) < NEAR * abs(begin), 0.0, where(tries < MOST_TRIES, 1.0, 0.0))
        above = where(slope > 0.0, 1.0, 0.0)
        again = where(tries > 1.5, 0.5, 1.0)
        at_low = where(above > 0.0, again * at_low, slope)
        at_high = where(above > 0.0, slope, again * at_high)
        low = where(above > 0.0, low, way)
        high = where(above > 0.0, way, high)
    return way
