"""The inertia of a body, or of an articulated subtree: a symmetric 6x6 as its blocks [[A, B], [B^T, C]] of 3x3.

A and C are symmetric; only their upper triangles are computed, and the lower ones refer to the same entries: 21 values,
not 36. Entries are floats or traced scalars, without batch axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.lie.three import (
    Matrix,
    by_columns,
    dot,
    plus,
    product,
    rows,
    sandwich,
    skew,
    split,
    symmetric,
    times,
    transpose,
)
from redmax.math import array
from redmax.types import Array, Value, Vector

if TYPE_CHECKING:
    from redmax.lie.adjoint import Adjoint

UPPER = [(i, j) for i in range(3) for j in range(i, 3)]


class Inertia:
    """A symmetric 6x6 that takes twists (angular; linear) to momenta; only the upper triangles of A and C are read."""

    __slots__ = ("A", "B", "C")
    __array_ufunc__ = None  # an array on the left leaves the operator to this class

    def __init__(self, A: Matrix, B: Matrix, C: Matrix) -> None:
        self.A = symmetric(lambda i, j: A[i][j])
        self.B = [list(row) for row in B]
        self.C = symmetric(lambda i, j: C[i][j])

    @classmethod
    def rigid(cls, mass: Value, h: Vector, A: Array | Sequence[Sequence[Value]]) -> Inertia:
        """A rigid body: mass, first moment h = mass * centre (3,), inertia A (3, 3) about the frame's origin."""
        return cls(rows(A), skew(split(h)), symmetric(lambda i, j: mass if i == j else 0.0))

    @classmethod
    def from_matrix(cls, M: Array) -> Inertia:
        """From a symmetric (6, 6)."""
        m = rows(M)
        return cls([row[:3] for row in m[:3]], [row[3:] for row in m[:3]], [row[3:] for row in m[3:]])

    @classmethod
    def from_flat(cls, values: Sequence[Any] | np.ndarray) -> Inertia:
        """From 21 values: the upper triangle of A by rows, B by rows, the upper triangle of C by rows."""
        v = list(values)
        A, C = symmetric(lambda i, j: v[UPPER.index((i, j))]), symmetric(lambda i, j: v[15 + UPPER.index((i, j))])
        return cls(A, [v[6:9], v[9:12], v[12:15]], C)

    def flat(self) -> list[Any]:
        """The 21 values that `from_flat` takes."""
        A, C = ([S[i][j] for i, j in UPPER] for S in (self.A, self.C))
        return [*A, *self.B[0], *self.B[1], *self.B[2], *C]

    def map(self, f: Callable[[Any], Any]) -> Inertia:
        """The inertia with f of each of the 21 values."""
        return Inertia.from_flat([f(x) for x in self.flat()])

    def matrix(self) -> np.ndarray:
        """The full (6, 6)."""
        upper = [a + b for a, b in zip(self.A, self.B)]
        lower = [b + c for b, c in zip(transpose(self.B), self.C)]
        return array(upper + lower)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia.from_flat([x + y for x, y in zip(self.flat(), other.flat())])

    def __matmul__(self, V: Any) -> np.ndarray:
        """M V of a twist (6,), or of the columns of a (6, k)."""
        return by_columns(self.times, V)

    def times(self, V: Sequence[Any]) -> list[Any]:
        w, v = V[:3], V[3:]
        return plus(times(self.A, w), times(self.B, v)) + plus(times(transpose(self.B), w), times(self.C, v))

    def congruence(self, X: Adjoint) -> Inertia:
        """X^T M X: the inertia of a child in the parent's frame. Blocks are rotated by R, then shifted by p."""
        A, B, C = self.A, self.B, self.C
        for R in reversed(X.rotations):
            A, B, C = rotate(R, A), sandwich(R, B), rotate(R, C)
        P = skew(X.p)
        shifted = [plus(b, pc) for b, pc in zip(B, product(P, C))]
        BP = product(B, P)
        return Inertia(symmetric(lambda i, j: A[i][j] - BP[i][j] + dot(P[i], shifted[j])), shifted, C)

    def minus_outer(self, U: Array, UD: Array) -> Inertia:
        """M - UD U^T, symmetric, of (6, k): what is left beyond a joint's freedom (RedMax supplement Alg. 6)."""
        u, ud = rows(U), rows(UD)

        def entry(value: Any, i: int, j: int) -> Any:
            for a, b in zip(ud[i], u[j]):
                value = value - a * b
            return value

        A = symmetric(lambda i, j: entry(self.A[i][j], i, j))
        B = [[entry(self.B[i][j], i, 3 + j) for j in range(3)] for i in range(3)]
        return Inertia(A, B, symmetric(lambda i, j: entry(self.C[i][j], 3 + i, 3 + j)))

    def __repr__(self) -> str:
        return f"Inertia(\n{self.matrix()!r})"


def rotate(R: Matrix, A: Matrix) -> list[list[Any]]:
    """R A R^T of a symmetric A."""
    RA = product(R, A)
    return symmetric(lambda i, j: dot(RA[i], R[j]))
