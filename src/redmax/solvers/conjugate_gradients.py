"""Preconditioned conjugate gradients for A x = b, A symmetric positive definite, given by its products (Hestenes and Stiefel 1952).

Convergence is measured in the preconditioner's norm: sqrt(r' P r) <= tolerance sqrt(b' P b), where P is about A^-1. This is the relative
error of x in A's norm, up to how good P is, and adds no forces to torques. The residual r is updated, not recomputed, so that it reaches
any tolerance, though b - A x cannot fall below rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import SceneError, SimulationError

TOLERANCE = 1e-12
Product = Callable[[np.ndarray], np.ndarray]
Dot = Callable[[np.ndarray, np.ndarray], Any]


@dataclass(frozen=True, eq=False)
class Solution:
    """x: (n,);  iterations: products with A;  residual: sqrt(r' P r) / sqrt(b' P b) at the end."""

    x: np.ndarray
    iterations: int
    residual: float


def conjugate_gradients(
    A: Product,
    b: np.ndarray,
    precondition: Product | None = None,
    tolerance: float = TOLERANCE,
    iterations: int | None = None,
    start: np.ndarray | None = None,
    dot: Dot = np.dot,
) -> Solution:
    """The solution of A x = b.

    A, precondition: functions of a vector (n,) that return A x and about A^-1 x; tolerance: see above
    iterations: at most so many (by default 10 n + 50, as rounding costs some beyond the n of exact arithmetic)
    start: where to begin, zero unless given; dot: the product of two vectors
    Raises SimulationError where it does not converge, or finds that A or the preconditioner is not positive definite.
    """
    if not tolerance > 0:
        raise SceneError(f"tolerance must be a positive number. Got {brief(tolerance)}.")
    P = precondition or np.copy
    limit = 10 * len(b) + 50 if iterations is None else iterations
    x, r = (np.zeros(len(b)), np.array(b, float)) if start is None else (start.copy(), b - A(start))
    p = np.array(P(r))  # a function may return the same buffer each time
    rz = square(r, p, "preconditioner", dot)
    whole = rz if start is None else square(b, P(b), "preconditioner", dot)
    for done in range(limit + 1):
        if rz <= tolerance**2 * whole:
            return Solution(x, done, float(np.sqrt(rz / whole)) if whole > 0 else 0.0)
        if done < limit:
            Ap = A(p)
            alpha = rz / square(p, Ap, "matrix", dot)
            x += alpha * p
            r -= alpha * Ap
            z = P(r)
            before, rz = rz, square(r, z, "preconditioner", dot)
            p *= rz / before
            p += z
    left = float(np.sqrt(rz / whole))
    raise SimulationError(
        f"Conjugate gradients stopped after {limit} iterations at a relative residual of {left:.3g}, expected {tolerance:.3g}. "
        "Allow more iterations, give a better preconditioner, or solve directly."
    )


def square(v: np.ndarray, Av: np.ndarray, what: str, dot: Dot) -> float:
    """v' A v of a positive definite A: zero for v = 0 alone."""
    found = float(dot(v, Av))
    if found > 0 or not v.any():
        return found
    raise SimulationError(f"Conjugate gradients need a positive definite {what}. Got v' A v = {found:.3g} for some v. Solve directly.")
