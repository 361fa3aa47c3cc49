"""The coordinates at which a joint comes nearest to a pose, by Newton's method: those whose error has no part along S.

    e = log(Q(q)^-1 E),    S^T e = 0
    (S^T (1 - ad(e)/2) S - d(S^T e)/dq) dq = S^T e,      d(S^T e)/dq at constant e

What is left out of d log, ad(e)^2/12, leaves as much of the step to the next. Far away, S^T S dq = S^T e comes nearer more reliably.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from redmax.lie.three import cross, twist_product
from redmax.math import frozen, maximum, sqrt, where
from redmax.trace import jvp, reachable
from redmax.trace.vector import vector_of

ARCSINE = (1.0, 1 / 6, 3 / 40, 15 / 336, 105 / 3456, 945 / 42240, 10395 / 599040, 135135 / 9676800)
COTANGENT = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160)
NEAR = 0.1  # error (rad and length) from which on Newton's method is quicker


def small_log(R: Any, p: Any) -> Any:
    """log of a pose by series, without what large angles take: to rounding for turns of up to 0.4 rad, to some hundredths of a half turn.

    With v = n sin(t/2): w = 2 v (1 + v^2/6 + ...), and (1 - t/2 cot(t/2)) / t^2 = 1/12 + t^2/720 + ..."""
    four = maximum(1.0 + R[0, 0] + R[1, 1] + R[2, 2], 1e-6)  # times the square of cos(t/2)
    v = vector_of([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) * (0.5 / sqrt(four))
    w = 2.0 * series(ARCSINE, sum(x * x for x in v)) * v
    once = vector_of(cross(list(w), list(p)))
    twice = vector_of(cross(list(w), list(once)))
    return np.concatenate([w, p - 0.5 * once + series(COTANGENT, sum(x * x for x in w)) * twice])


def series(coefficients: Sequence[float], x: Any) -> Any:
    """c0 + c1 x + c2 x^2 + ..."""
    total: Any = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = c + x * total
    return total


def depends(S: Any, q: Iterable[Any]) -> bool:
    """Whether S is not the same for all coordinates."""
    inputs = {id(x) for x in q}
    return any(id(x) in inputs for x in reachable(S.ravel()))


def nearer(S: Any, e: Any, ways: Sequence[Mapping[Any, Any]]) -> Any:
    """dq of one step. ways: for each velocity, how the coordinates change that S is traced from"""
    if not depends(S, [x for way in ways for x in way]):
        return newton_step(S, e)
    along_S = list(S.T @ vector_of([frozen(x) for x in e]))
    return newton_step(S, e, np.array([jvp(along_S, way) for way in ways], object).T)


def newton_step(S: Any, e: Any, bend: Any = 0.0) -> Any:
    """dq, without pivoting: the matrix is S^T S, but for parts as small as the error. bend: d(S^T e)/dq"""
    near = where(sum(x * x for x in e) < NEAR**2, 1.0, 0.0)
    A = S.T @ S - near * (0.5 * S.T @ np.array([twist_product(e, column) for column in S.T], object).T + bend)
    return eliminated(A, S.T @ e)


def along(S: Any, V: Any) -> Any:
    """S+ V: the rates of the part of a twist along S."""
    return eliminated(S.T @ S, S.T @ V)


def eliminated(A: Any, x: Any) -> Any:
    """A^-1 x, in the place of both, without pivoting."""
    for k in range(len(x)):
        for i in range(k + 1, len(x)):
            factor = A[i, k] / A[k, k]
            A[i, k:], x[i] = A[i, k:] - factor * A[k, k:], x[i] - factor * x[k]
    for k in reversed(range(len(x))):
        x[k] = (x[k] - sum((A[k, i] * x[i] for i in range(k + 1, len(x))), 0.0)) / A[k, k]
    return x
