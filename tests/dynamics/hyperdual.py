"""Exact first and mixed second derivatives by hyper-dual numbers: a + b e1 + c e2 + d e1 e2 with e1^2 = e2^2 = 0.

Oracles differentiate with these and not with the library's traces. Parts are extended-precision arrays over directions, so one
evaluation gives dE/dq_i, dE/dt and d2E/dq_i dt for every coordinate i, with no step to choose.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

REAL = np.longdouble


@cache
def terms(columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The products that a product of two numbers is the sum of: where their factors lie in each, and where each sum begins.

    A number is kept as one array (a, c, b of each column, d of each column): a and c are the same in all columns.
    """
    sums = [[(0, 0)], [(0, 1), (1, 0)]]
    b, d = range(2, 2 + columns), range(2 + columns, 2 + 2 * columns)
    sums += [[(0, i), (i, 0)] for i in b]
    sums += [[(0, j), (i, 1), (1, i), (j, 0)] for i, j in zip(b, d)]
    left, right = np.array([pair for s in sums for pair in s]).T
    return left, right, np.cumsum([0, *[len(s) for s in sums[:-1]]])


class HyperDual:
    """One number; NumPy's sin, cos, sqrt, exp on object arrays find the methods below.

    What is zero stays a plain 0.0, so that the many zeros of rotations and poses cost nothing.
    """

    __slots__ = ("v",)

    def __init__(self, v: np.ndarray) -> None:
        self.v = v

    @property
    def a(self) -> Any:
        return self.v[0]

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        """a, b of each column, c, d of each column."""
        b, d = self.v[2:].reshape(2, -1)
        return self.v[0], b, self.v[1], d

    def __add__(self, other: Any) -> Any:
        if isinstance(other, HyperDual):
            return HyperDual(self.v + other.v)
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy goes entry by entry
        if other == 0:
            return self
        v = self.v.copy()
        v[0] += other
        return HyperDual(v)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, HyperDual):
            left, right, begins = terms(len(self.v) // 2 - 1)
            return HyperDual(np.add.reduceat(self.v.take(left) * other.v.take(right), begins))
        if isinstance(other, np.ndarray):
            return NotImplemented
        return HyperDual(self.v * other) if other != 0 else 0.0

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> HyperDual:
        return HyperDual(-self.v)

    def __sub__(self, other: Any) -> Any:
        return HyperDual(self.v - other.v) if isinstance(other, HyperDual) else self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        return self * (other.reciprocal() if isinstance(other, HyperDual) else 1 / REAL(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self.reciprocal() * other

    def of(self, f: Any, f1: Any, f2: Any) -> HyperDual:
        """A function with value f and derivatives f1, f2 at the real part."""
        _, b, c, d = self.parts
        return HyperDual(np.concatenate([(f, f1 * c), f1 * b, f1 * d + (f2 * c) * b]))

    def reciprocal(self) -> HyperDual:
        r = 1 / self.v[0]
        return self.of(r, -r * r, 2 * r * r * r)

    def sin(self) -> HyperDual:
        sin, cos = np.sin(self.v[0]), np.cos(self.v[0])
        return self.of(sin, cos, -sin)

    def cos(self) -> HyperDual:
        sin, cos = np.sin(self.v[0]), np.cos(self.v[0])
        return self.of(cos, -sin, -cos)

    def exp(self) -> HyperDual:
        e = np.exp(self.v[0])
        return self.of(e, e, e)

    def sqrt(self) -> HyperDual:
        root = np.sqrt(self.v[0])
        return self.of(root, 0.5 / root, -0.25 / (root * self.v[0]))


def seeded(q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """Coordinates (n,): e1 along each of them in its own column, e2 along qdot."""
    n = len(q)
    out = np.empty(n, object)
    for i in range(n):
        out[i] = HyperDual(np.concatenate([(q[i], qdot[i]), np.arange(n) == i, np.zeros(n)]).astype(REAL))
    return out


def parts(E: Any, columns: int, first: int = 0) -> np.ndarray:
    """A matrix of hyper-dual numbers as an array (part, column, row, column); their columns are `first`, `first` + 1, ... of these."""
    E = np.asarray(E, object)
    out = np.zeros((4, columns, *E.shape), REAL)
    for index, x in np.ndenumerate(E):
        if isinstance(x, HyperDual):
            a, b, c, d = x.parts
            out[(0, slice(None), *index)], out[(2, slice(None), *index)] = a, c
            own = slice(first, first + len(b))
            out[(1, own, *index)], out[(3, own, *index)] = b, d
        else:
            out[(0, slice(None), *index)] = x
    return out


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The product of two matrices given by their parts."""
    mixed = A[0] @ B[3] + A[1] @ B[2] + A[2] @ B[1] + A[3] @ B[0]
    return np.stack([A[0] @ B[0], A[0] @ B[1] + A[1] @ B[0], A[0] @ B[2] + A[2] @ B[0], mixed])


def inverse(E: np.ndarray) -> np.ndarray:
    """Of poses (..., 4, 4)."""
    out = np.zeros_like(E)
    out[..., :3, :3] = np.swapaxes(E[..., :3, :3], -1, -2)
    out[..., :3, 3] = -np.einsum("...ji,...j->...i", E[..., :3, :3], E[..., :3, 3])
    out[..., 3, 3] = 1
    return out


def unbracket(X: np.ndarray) -> np.ndarray:
    """(angular; linear) (..., 6) of matrices (..., 4, 4) in se(3)."""
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], X[..., 0, 3], X[..., 1, 3], X[..., 2, 3]], axis=-1)


def jacobian_and_rate(E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J and Jdot (6, columns) of a pose given by its parts: J_i = unbracket(E^-1 dE/dq_i), and its time derivative along qdot."""
    back = inverse(E[0])
    along, turning, mixed = back @ E[1], back @ E[2], back @ E[3]
    return unbracket(along).T, unbracket(mixed - turning @ along).T


def motion_of(transform: Callable[[np.ndarray], Any], q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A joint's pose (4, 4), S and Sdot (6, n) from its definition alone."""
    n = len(q)
    E = parts(transform(seeded(q, qdot)), max(n, 1))
    S, Sdot = jacobian_and_rate(E)
    return E[0, 0].astype(float), S[:, :n].astype(float), Sdot[:, :n].astype(float)
