"""Multipliers with bounds beside the unknowns of Newton's method: those that are held take part, and the others are at one of their bounds.

    lambda d = P(lambda d - off),      P: onto lower d .. upper d

is off = 0 within the bounds, off > 0 at the lower and off < 0 at the upper one, for any d > 0; d as in multiplier_steps.py. The rows that
P does not move are held (Hintermueller, Ito and Kunisch, SIAM J. Optim. 13, 2002, have it for such bounds).
"""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.solvers.multiplier_steps import note
from redmax.solvers.newton import HUGE

BORDER = 1e-10  # of what a row adds up
BEYOND = 1e-7  # of the limits of a force, that it may be off its place between them


@routine
def add_squares_limited(
    off: Vector, x: Vector, d: Vector, lower: Vector, upper: Vector, n: Whole, number: Whole, square: Vector, worst: Vector, beyond: Vector
) -> None:
    """|lambda d - P(lambda d - off)|^2; d = 1 until it is known. beyond: of short steps that is little, and yet another force."""
    for k in range(n):
        c = where(d[k] > 0.0, d[k], 1.0)
        y = x[k] * c - off[k]
        y = where(y < lower[k] * c, lower[k] * c, where(y > upper[k] * c, upper[k] * c, y))
        r = x[k] * c - y
        note(r, number, square, worst)
        beyond[0] = where(abs(r) > BEYOND * (abs(lower[k]) + abs(upper[k])) * c, 1.0, beyond[0])


@routine
def choose_held(
    off: Vector, x: Vector, d: Vector, lower: Vector, upper: Vector, was: Vector, active: Vector, bound: Vector, n: Whole, size: Vector
) -> None:
    """Which rows are held, and where the others are; |r| of other choices is no measure of this one.

    A row on the border stays as it was: of rows that repeat each other one would take the place of the other for ever.
    """
    for k in range(n):
        c = where(d[k] > 0.0, d[k], 1.0)
        y = x[k] * c - off[k]
        small = BORDER * (abs(x[k] * c) + abs(off[k]))
        below = y - lower[k] * c - where(abs(was[k] - 2.0) < 0.5, small, -small)
        above = y - upper[k] * c + where(abs(was[k] - 3.0) < 0.5, small, -small)
        side = where(below < 0.0, 2.0, where(above > 0.0, 3.0, 1.0))
        size[0] = where(abs(side - was[k]) < 0.5, size[0], HUGE)
        was[k] = side
        active[k] = where(side < 1.5, 1.0, 0.0)
        bound[k] = where(side > 2.5, upper[k], where(side > 1.5, lower[k], 0.0))


@routine
def ask_beside(A: Matrix, bound: Vector, x: Vector, right: Vector, m: Whole) -> None:
    """What is asked for beside rows at their bounds, whose lambda is known."""
    for k in range(m):
        right[k] -= dot(A[k, 0:m], bound[0:m])
    x[0:m] += bound[0:m]
