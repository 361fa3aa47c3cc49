"""Piecewise cubics from conditions on their values and derivatives (RedMax notes Eq. 1.40-1.41).

The conditions are one linear system for the coefficients of all pieces. It is solved in rational numbers: a value that is asked to be
zero is zero, where rounding would leave a muscle a little force outside its range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import perm

from redmax.components.checks import finite
from redmax.errors import SceneError, wrong
from redmax.muscles.curves.piecewise import PiecewisePolynomial

CUBIC = 4  # coefficients of a piece
OWNER = "curves.cubic"


@dataclass(frozen=True)
class Condition:
    """The sum of sign * f_piece^(derivative)(x) over `terms` (sign, piece) is `value`."""

    terms: tuple[tuple[int, int], ...]
    derivative: int
    x: float
    value: float


def through(piece: int, x: float, value: float, derivative: int = 0) -> Condition:
    """f_piece(x) = value, or that of its first or second derivative; pieces count from 0."""
    return Condition(((1, piece),), derivative, x, value)


def joined(piece: int, x: float) -> tuple[Condition, Condition]:
    """At x a piece meets the next one with the same value and slope."""
    return Condition(((1, piece), (-1, piece + 1)), 0, x, 0.0), Condition(((1, piece), (-1, piece + 1)), 1, x, 0.0)


def cubic(knots: Sequence[float], conditions: Sequence[Condition]) -> PiecewisePolynomial:
    """The curve of len(knots) - 1 cubics that meets the conditions, four for each piece; outside it goes on along its end tangents."""
    places = finite(OWNER, "knots", knots, ((-1,),), "two or more ascending numbers").tolist()
    if len(places) < 2 or any(a >= b for a, b in pairwise(places)):
        raise wrong(OWNER, "knots", knots, "two or more ascending numbers")
    pieces = len(places) - 1
    if len(conditions) != CUBIC * pieces:
        raise SceneError(
            f"{OWNER}: got {len(conditions)} conditions for {pieces} pieces, expected {CUBIC * pieces}: four for each.",
            owner=OWNER,
            argument="conditions",
        )
    origins = [Fraction(x) for x in places]
    solution = solved([row(c, origins, pieces) for c in conditions], [Fraction(c.value) for c in conditions])
    coefficients = [solution[CUBIC * i : CUBIC * (i + 1)] for i in range(pieces)]
    h, (c0, c1, c2, c3) = origins[-1] - origins[-2], coefficients[-1]
    end = float(c0 + c1 * h + c2 * h**2 + c3 * h**3), float(c1 + 2 * c2 * h + 3 * c3 * h**2)
    return PiecewisePolynomial.continued(places, [[float(c) for c in piece] for piece in coefficients], end)


def row(condition: Condition, origins: list[Fraction], pieces: int) -> list[Fraction]:
    """The factors of the coefficients of all pieces, in powers of the distance from the knot where each piece begins."""
    factors = [Fraction(0)] * (CUBIC * pieces)
    for sign, piece in condition.terms:
        if not 0 <= piece < pieces:
            raise SceneError(f"{OWNER}: a condition is on piece {piece}, expected 0 to {pieces - 1}.", owner=OWNER, argument="conditions")
        s = Fraction(condition.x) - origins[piece]
        for k in range(condition.derivative, CUBIC):
            factors[CUBIC * piece + k] = sign * perm(k, condition.derivative) * s ** (k - condition.derivative)
    return factors


def solved(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction]:
    """x with A x = b, by elimination in exact numbers."""
    rows = [[*a, value] for a, value in zip(A, b)]
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            raise SceneError(
                f"{OWNER}: the conditions do not determine the curve: some repeat or contradict others.", owner=OWNER, argument="conditions"
            )
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [r[-1] for r in rows]
