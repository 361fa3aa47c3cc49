"""Products of 3-vectors and 3x3 matrices, written out entry by entry over lists.

Entries are numbers, arrays over batch axes, or traced scalars; a structural 0.0 or 1.0 among traced ones costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from redmax.math import array
from redmax.trace.vector import vector_of
from redmax.types import Array, Vector

Matrix: TypeAlias = Sequence[Sequence[Any]]


def split(v: Array | Sequence[Any]) -> list[Any]:
    """The entries along the last axis, each of the shape of the leading axes."""
    v = np.asarray(v)
    return v.tolist() if v.ndim == 1 else [v[..., i] for i in range(v.shape[-1])]


def rows(M: Array | Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The entries of the last two axes, as a list of rows."""
    M = np.asarray(M)
    return M.tolist() if M.ndim == 2 else [[M[..., i, j] for j in range(M.shape[-1])] for i in range(M.shape[-2])]


def dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(a: Vector, b: Vector) -> list[Any]:
    return [x + y for x, y in zip(a, b)]


def twist_product(V: Any, W: Any) -> np.ndarray:
    """ad(V) W = (w x a; v x a + w x b) with V = (w; v), W = (a; b)."""
    w, v, a, b = list(V[:3]), list(V[3:]), list(W[:3]), list(W[3:])
    return vector_of([*cross(w, a), *plus(cross(v, a), cross(w, b))])


def skew(p: Vector) -> list[list[Any]]:
    """[p], with [p] x = p cross x. (0.0 - x, not -x: a structural zero stays 0.0.)"""
    x, y, z = p
    return [[0.0, 0.0 - z, y], [z, 0.0, 0.0 - x], [0.0 - y, x, 0.0]]


def transpose(M: Matrix) -> list[list[Any]]:
    return [list(row) for row in zip(*M)]


def times(M: Matrix, x: Vector) -> list[Any]:
    return [dot(row, x) for row in M]


def product(A: Matrix, B: Matrix) -> list[list[Any]]:
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def sandwich(R: Matrix, B: Matrix) -> list[list[Any]]:
    """R B R^T."""
    return [[dot(row, r) for r in R] for row in product(R, B)]


def symmetric(entry: Callable[[int, int], Any]) -> list[list[Any]]:
    """The symmetric matrix whose upper triangle is entry(i, j); the lower one refers to the same objects."""
    M: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i, 3):
            M[i][j] = M[j][i] = entry(i, j)
    return M


def by_columns(f: Callable[[list[Any]], list[Any]], V: Any) -> np.ndarray:
    """f of a 6-vector, or of every column of a (6, k)."""
    V = np.asarray(V)
    if V.ndim == 1:
        return array(f(split(V)))
    return array(transpose([f(column) for column in transpose(rows(V))])) if V.shape[1] else np.zeros((6, 0))
