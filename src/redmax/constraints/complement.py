"""An orthonormal complement of the twists of a joint, traced: N (6, 6 - n) with N' S = 0 and N' N = 1, by Householder's reflections.

    H_k = 1 - v v' / (a (a + |x_p|)),   v = x + sign(x_p) a e_p,   a = |x|,      x: what is left of column k of S
    N = H_1 ... H_n applied to the unit vectors that are no pivots p

Pivots are chosen while it is traced: a constant entry rather than one that changes, so that a joint along an axis has unit vectors as N.
Where x_p passes through zero, the reflection is another one, and N jumps to an equally good one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.math import sqrt, where
from redmax.trace import Scalar


def complement(S: Any) -> np.ndarray:
    """N of S (6, n), or of any other number of rows; entries traced or numbers."""
    A = np.array(S, object)
    (size, n), reflections = A.shape, []
    free = list(range(size))
    for k in range(n):
        pivot = max(free, key=lambda i: weight(A[i, k]))
        v, scale = reflection([A[i, k] for i in free], free.index(pivot))
        reflections.append((list(free), v, scale))
        for c in range(k + 1, n):
            A[free, c] = reflected(A[free, c], v, scale)
        free.remove(pivot)
    N = np.zeros((size, len(free)), object)
    N[:] = 0.0
    for c, i in enumerate(free):
        N[i, c] = 1.0
    for rows, v, scale in reversed(reflections):
        for c in range(N.shape[1]):
            N[rows, c] = reflected(N[rows, c], v, scale)
    return N


def weight(x: Any) -> float:
    """How good an entry is as a pivot: a constant by its size, one that changes less than any constant that is not tiny."""
    if isinstance(x, Scalar):
        return abs(float(x.args[0])) if x.op == "const" else 1e-3
    return abs(float(x))


def reflection(x: list[Any], pivot: int) -> tuple[list[Any], Any]:
    """v and the factor of v v'."""
    a = sqrt(sum((e * e for e in x), 0.0))
    along = x[pivot]
    sign = where(along >= 0.0, 1.0, -1.0)
    v = [e + sign * a if i == pivot else e for i, e in enumerate(x)]
    return v, 1.0 / (a * (a + sign * along))


def reflected(x: Any, v: list[Any], scale: Any) -> np.ndarray:
    """H x."""
    part = scale * sum((a * b for a, b in zip(v, x, strict=True)), 0.0)
    return np.array([*[b - part * a for a, b in zip(v, x, strict=True)], None], object)[:-1]
