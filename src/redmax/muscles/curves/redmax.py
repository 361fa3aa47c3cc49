"""The piecewise-cubic curves of the RedMax notes Sec. 1.9.4, from their conditions. All have continuous slopes.

Eq. 1.41 with 1.7 for both ends of the passive curve, whose solution is Eq. 1.42; Eq. 1.43, whose solution is Eq. 1.44; and the
conditions Eq. 1.45 of the force-velocity curve. Outside their knots they go on along their end tangents, which means:
no passive force below 1 and a line of slope 2 / 0.7 beyond 1.7; no active force outside [0.4, 1.81]; nothing left of it when the
fibres shorten as fast as they can, and 1.4 from 1 on.
"""

from __future__ import annotations

from functools import cache

from redmax.muscles.curves.cubic import cubic, joined, through
from redmax.muscles.curves.piecewise import PiecewisePolynomial


@cache
def passive_length() -> PiecewisePolynomial:
    """f_P of the normalised fibre length (Eq. 1.41)."""
    return cubic(
        (1.0, 1.3, 1.7),
        [
            through(0, 1.0, 0.0),
            through(0, 1.3, 0.126110265892917),
            through(1, 1.7, 1.0),
            through(0, 1.0, 0.0, derivative=1),
            through(0, 1.3, 1.07051016402631, derivative=1),
            through(1, 1.7, 2.85714285714286, derivative=1),
            *joined(0, 1.3),
        ],
    )


@cache
def active_length() -> PiecewisePolynomial:
    """f_L of the normalised fibre length (Eq. 1.43)."""
    return cubic(
        (0.4, 0.7, 1.2, 1.81),
        [
            through(0, 0.4, 0.0),
            through(0, 0.4, 0.0, derivative=1),
            through(1, 1.0, 1.0),
            through(1, 1.0, 0.0, derivative=1),
            through(2, 1.81, 0.0),
            through(2, 1.81, 0.0, derivative=1),
            *joined(0, 0.7),
            *joined(1, 1.2),
            through(0, 0.7, 0.767020368396388),
            through(1, 1.2, 0.89),
        ],
    )


@cache
def velocity() -> PiecewisePolynomial:
    """f_V of the normalised velocity, positive when lengthening (Eq. 1.45)."""
    return cubic(
        (-1.0, -0.05, 0.05, 1.0),
        [
            *(through(0, -1.0, 0.0, derivative=k) for k in range(3)),
            *(through(2, 1.0, 1.4 if k == 0 else 0.0, derivative=k) for k in range(3)),
            *joined(0, -0.05),
            *joined(1, 0.05),
            through(1, 0.0, 1.0),
            through(1, 0.0, 5.0, derivative=1),
        ],
    )
