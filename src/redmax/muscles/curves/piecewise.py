"""A function of one variable made of polynomials: on each piece f(x) = c0 + c1 s + c2 s^2 + ..., s = x - (where the piece begins).

The piece is found by a search in the knots and its coefficients are read from a table, so that tracing costs the same for two pieces
and for two hundred, and derivatives of any order are those of the piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from redmax.math import locate
from redmax.trace import Table


@dataclass(frozen=True, repr=False)
class PiecewisePolynomial:
    """breaks: the knots, and one more beyond each end;  rows: (pieces + 2, 1 + degree + 1) origin and coefficients from c0 on.

    The first and last row are those below and above all knots.
    """

    breaks: Table
    rows: Table

    @classmethod
    def continued(cls, knots: ArrayLike, coefficients: ArrayLike, end: tuple[float, float]) -> Self:
        """Pieces between the knots (n + 1,), coefficients (n, degree + 1) from c0 on; outside the curve goes on along its end tangents.

        end: value and slope at the last knot, which the last piece meets only up to rounding.
        """
        knots, c = np.asarray(knots, float), np.asarray(coefficients, float)
        ends = np.zeros((2, c.shape[1]))
        ends[0, :2] = c[0, :2]
        ends[1, :2] = end
        return cls.pieces(knots, np.vstack([ends[:1], c, ends[1:]]))

    @classmethod
    def pieces(cls, knots: np.ndarray, coefficients: np.ndarray) -> Self:
        """coefficients: (n + 2, degree + 1), below, between and above the knots (n + 1,); the first row is in powers of x - knots[0]."""
        origins = np.concatenate([knots[:1], knots])
        return cls(Table([knots[0] - 1, *knots, knots[-1] + 1]), Table(np.column_stack([origins, coefficients])))

    @property
    def knots(self) -> np.ndarray:
        return self.breaks.array[1:-1]

    @property
    def coefficients(self) -> np.ndarray:
        """(n, degree + 1) of the pieces between the knots, in powers of the distance from the knot where each begins."""
        return self.rows.array[1:-1, 1:]

    def __call__(self, x: Any) -> Any:
        """f(x) for a float, an array of them, or traced scalars."""
        origin, *c = np.moveaxis(self.rows[locate(self.breaks, x)], -1, 0)
        s = x - origin
        value = c[-1]
        for lower in c[-2::-1]:
            value = value * s + lower
        return value

    def antiderivative(self) -> PiecewisePolynomial:
        """The exact integral of f from the first knot on, also outside the knots."""
        c = self.rows.array[:, 1:]
        integrated = np.column_stack([np.zeros(len(c)), c / np.arange(1, c.shape[1] + 1)])
        across = [np.polynomial.Polynomial(row)(h) for row, h in zip(integrated[1:-1], np.diff(self.knots))]
        integrated[2:, 0] = np.cumsum(across)
        return PiecewisePolynomial.pieces(self.knots, integrated)

    def __repr__(self) -> str:
        degree = self.rows.shape[1] - 2
        return f"PiecewisePolynomial of degree {degree}, {len(self.knots) - 1} pieces from {self.knots[0]:g} to {self.knots[-1]:g}"
