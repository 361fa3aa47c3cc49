"""The adjoint X = Ad(E^-1) of a pose E = (R, p), kept as its factors.

With E the frame of a child in its parent's, X takes a twist from the parent to the child, and its transpose takes a
wrench back (RedMax supplement Alg. 6):

    X V   = (R^T w; R^T (v + w x p))
    X^T F = (R n + p x R f; R f)

A 6x6 product would cost more and hide the zeros. Entries are floats or traced scalars, without batch axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.lie import se3
from redmax.lie.inertia import Inertia
from redmax.lie.three import Matrix, by_columns, cross, plus, product, rows, split, times, transpose
from redmax.math import array
from redmax.types import Array


class Adjoint:
    """Ad(E^-1) of E = (R, p).

    `X2 @ X1` goes through both frames, E = E1 E2, and keeps the rotations R1 and R2 apart: two sparse ones cost less
    than their product. Where that is not so (a dense R1), take `to_child(E1 @ E2)`.
    """

    __slots__ = ("p", "rotations")
    __array_ufunc__ = None  # an array on the left leaves the operator to this class

    def __init__(self, R: Any, p: Any) -> None:
        self.rotations: list[Matrix] = [rows(R)]
        self.p = split(p)

    @classmethod
    def of_factors(cls, rotations: list[Matrix], p: list[Any]) -> Adjoint:
        """From lists of entries; R is the product of the rotations."""
        X = cls.__new__(cls)
        X.rotations, X.p = rotations, p
        return X

    @property
    def R(self) -> np.ndarray:
        """The rotation (3, 3) of E."""
        R = self.rotations[0]
        for next in self.rotations[1:]:
            R = product(R, next)
        return array([list(row) for row in R])

    @property
    def T(self) -> Transpose:
        return Transpose(self)

    def matrix(self) -> np.ndarray:
        """The full (6, 6)."""
        return se3.Ad(se3.inverse(se3.pose(self.R, self.p)))

    def map(self, f: Callable[[Any], Any]) -> Adjoint:
        """The adjoint with f of each entry of R (of each of its factors) and p."""
        return Adjoint.of_factors([[[f(x) for x in row] for row in R] for R in self.rotations], [f(x) for x in self.p])

    def __matmul__(self, V: Any) -> Any:
        """X V of a twist (6,) or of the columns of a (6, k); X2 X1 of another adjoint."""
        if isinstance(V, Adjoint):
            return Adjoint.of_factors(V.rotations + self.rotations, plus(V.p, V.rotate(self.p)))
        return by_columns(self.to_child, V)

    def __rmatmul__(self, M: Any) -> np.ndarray:
        """M X of a (k, 6)."""
        return by_columns(self.to_parent, np.asarray(M).T).T

    def to_child(self, V: list[Any]) -> list[Any]:
        w, v = V[:3], V[3:]
        v = plus(v, cross(w, self.p))
        for R in self.rotations:
            Rt = transpose(R)
            w, v = times(Rt, w), times(Rt, v)
        return w + v

    def to_parent(self, F: list[Any]) -> list[Any]:
        n, f = self.rotate(F[:3]), self.rotate(F[3:])
        return plus(n, cross(self.p, f)) + f

    def rotate(self, x: list[Any]) -> list[Any]:
        """R x."""
        for R in reversed(self.rotations):
            x = times(R, x)
        return x

    def __repr__(self) -> str:
        return f"Adjoint(\n{self.R!r},\n{self.p!r})"


class Transpose:
    """X^T: wrenches of the child to the parent's frame; `X.T @ M @ X` of an inertia."""

    __slots__ = ("T",)
    __array_ufunc__ = None

    def __init__(self, X: Adjoint) -> None:
        self.T = X

    def __matmul__(self, F: Any) -> Any:
        return HalfCongruence(self.T, F) if isinstance(F, Inertia) else by_columns(self.T.to_parent, F)

    def matrix(self) -> np.ndarray:
        return self.T.matrix().T


class HalfCongruence:
    """X^T M, waiting for its X."""

    __slots__ = ("M", "X")

    def __init__(self, X: Adjoint, M: Inertia) -> None:
        self.X, self.M = X, M

    def __matmul__(self, X: Any) -> Any:
        return self.M.congruence(X) if X is self.X else (self.X.T @ self.M.matrix()) @ X


def to_child(E: Array) -> Adjoint:
    """Ad(E^-1) of a pose (4, 4): twists of the parent to the frame E of the child."""
    return Adjoint(se3.rotation(E), se3.translation(E))
