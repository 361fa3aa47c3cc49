"""Smooth bends between two straight lines: the quintic Bezier curves that Millard et al. 2013 make their curves of.

A bend leads from one point to another, with a slope given at each. Its control points lie on the two tangents, two of them at a
fraction of the way to where the tangents cross, so that the curvature is zero at both ends and bends join with two continuous derivatives.

x and y are polynomials of a parameter u, and f(x) would need x(u) = x solved at every call. Instead each bend is tabulated once: the
quintic polynomials that have the value, slope and second derivative of the bend at places u = i / n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from redmax.muscles.curves.piecewise import PiecewisePolynomial

STEPS = 48  # polynomials for each bend; the error falls with the sixth power


class Place(NamedTuple):
    """A point that the curve goes through, and its slope there."""

    x: float
    y: float
    slope: float


def bend(start: Place, end: Place, curviness: float) -> np.ndarray:
    """Control points (6, 2). curviness: 0 (nearly straight) to 1 (nearly a corner)."""
    x = (end.y - start.y - end.x * end.slope + start.x * start.slope) / (start.slope - end.slope)  # where the tangents cross
    corner = np.array([x, end.y + end.slope * (x - end.x)])
    a, b = np.array(start[:2]), np.array(end[:2])
    c = 0.1 + 0.8 * curviness  # at 0 and 1 the bend would be degenerate
    near_a, near_b = a + c * (corner - a), b + c * (corner - b)
    return np.array([a, near_a, near_a, near_b, near_b, b])


def polynomials(points: np.ndarray) -> tuple[Polynomial, Polynomial]:
    """x(u) and y(u), u in [0, 1], of the Bezier curve with these control points (6, 2)."""
    u = Polynomial([0.0, 1.0])
    basis = [k * u**i * (1 - u) ** (5 - i) for i, k in enumerate((1, 5, 10, 10, 5, 1))]
    x, y = (sum((b * p for b, p in zip(basis, column)), Polynomial([0.0])) for column in points.T)
    return x, y


def through_bends(places: Sequence[Place], curviness: Sequence[float]) -> PiecewisePolynomial:
    """The curve through all places, a bend from each to the next one; outside it goes on along its end tangents."""
    bends = [nodes(bend(a, b, c)) for (a, b), c in zip(pairwise(places), curviness)]
    at = np.vstack([*(b[:-1] for b in bends), bends[-1][-1:]])
    for i, place in enumerate(places):  # exactly, and without curvature
        at[STEPS * i] = *place, 0.0
    return PiecewisePolynomial.continued(at[:, 0], [quintic(a, b) for a, b in pairwise(at)], places[-1][1:])


def nodes(points: np.ndarray) -> np.ndarray:
    """(STEPS + 1, 4): x, y, dy/dx, d2y/dx2 along a bend."""
    u = np.linspace(0, 1, STEPS + 1)
    x, y = polynomials(points)
    x1, x2, y1, y2 = x.deriv()(u), x.deriv(2)(u), y.deriv()(u), y.deriv(2)(u)
    return np.column_stack([x(u), y(u), y1 / x1, (y2 * x1 - y1 * x2) / x1**3])


def quintic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The coefficients (6,) in powers of x - a.x of the quintic with value, slope and second derivative of both nodes."""
    h = b[0] - a[0]
    low = np.array([a[1], a[2], a[3] / 2])
    miss = Polynomial(low)
    over = np.array([b[1] - miss(h), (b[2] - miss.deriv()(h)) * h, (b[3] - a[3]) * h * h])
    high = np.array([[10.0, -4.0, 0.5], [-15.0, 7.0, -1.0], [6.0, -3.0, 0.5]]) @ over
    return np.concatenate([low, high / h ** np.array([3, 4, 5])])
