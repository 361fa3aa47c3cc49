"""Exact first and mixed second derivatives by hyper-dual numbers: a + b e1 + c e2 + d e1 e2 with e1^2 = e2^2 = 0.

Oracles differentiate with these and not with the library's traces. Parts are extended-precision arrays over directions, so one
evaluation gives dE/dq_i, dE/dt and d2E/dq_i dt for every coordinate i, with no step to choose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

REAL = np.longdouble


class HyperDual:
    """One number; NumPy's sin, cos, sqrt, exp on object arrays find the methods below."""

    __slots__ = ("a", "b", "c", "d")

    def __init__(self, a: Any, b: Any = 0.0, c: Any = 0.0, d: Any = 0.0) -> None:
        self.a, self.b, self.c, self.d = (np.asarray(x, REAL) for x in (a, b, c, d))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy goes entry by entry
        o = lift(other)
        return HyperDual(self.a + o.a, self.b + o.b, self.c + o.c, self.d + o.d)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = lift(other)
        mixed = self.a * o.d + self.b * o.c + self.c * o.b + self.d * o.a
        return HyperDual(self.a * o.a, self.a * o.b + self.b * o.a, self.a * o.c + self.c * o.a, mixed)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> HyperDual:
        return self * -1.0

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> HyperDual:
        return self * lift(other).reciprocal()

    def __rtruediv__(self, other: Any) -> HyperDual:
        return lift(other) * self.reciprocal()

    def of(self, f: Any, f1: Any, f2: Any) -> HyperDual:
        """A function with value f and derivatives f1, f2 at the real part."""
        return HyperDual(f, f1 * self.b, f1 * self.c, f1 * self.d + f2 * self.b * self.c)

    def reciprocal(self) -> HyperDual:
        r = 1 / self.a
        return self.of(r, -r * r, 2 * r * r * r)

    def sin(self) -> HyperDual:
        return self.of(np.sin(self.a), np.cos(self.a), -np.sin(self.a))

    def cos(self) -> HyperDual:
        return self.of(np.cos(self.a), -np.sin(self.a), -np.cos(self.a))

    def exp(self) -> HyperDual:
        return self.of(np.exp(self.a), np.exp(self.a), np.exp(self.a))

    def sqrt(self) -> HyperDual:
        root = np.sqrt(self.a)
        return self.of(root, 0.5 / root, -0.25 / (root * self.a))


def lift(x: Any) -> HyperDual:
    return x if isinstance(x, HyperDual) else HyperDual(x)


def seeded(q: np.ndarray, qdot: np.ndarray, first: int = 0, columns: int | None = None) -> np.ndarray:
    """Coordinates (n,) that are number `first`, `first` + 1, ... of `columns`: e1 along each column, e2 along qdot."""
    columns = len(q) if columns is None else columns
    out = np.empty(len(q), object)
    none = np.zeros(columns)
    for i in range(len(q)):
        out[i] = HyperDual(none + q[i], np.arange(columns) == first + i, none + qdot[i], none)
    return out


def parts(E: np.ndarray, columns: int) -> np.ndarray:
    """A matrix of hyper-dual numbers as an array (part, column, row, column)."""
    E = np.asarray(E, object)
    out = np.zeros((4, columns, *E.shape), REAL)
    for index, x in np.ndenumerate(E):
        h = lift(x)
        for part, value in enumerate((h.a, h.b, h.c, h.d)):
            out[(part, slice(None), *index)] = value
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
