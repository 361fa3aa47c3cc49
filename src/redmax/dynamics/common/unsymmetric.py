"""Small systems that need not be symmetric, eliminated while tracing (L U without pivoting)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.trace import is_traced


def solve_unsymmetric(D: np.ndarray, rhs: np.ndarray, nothing: Any) -> np.ndarray:
    """D^-1 rhs, for D (k, k) and rhs (k, m), over floats or traced scalars; nothing: the result where D is singular by its structure."""
    k = len(D)
    rows = np.concatenate([np.array(D, object), np.array(rhs, object)], axis=1)
    reciprocal: list[Any] = []
    for i in range(k):
        pivot = rows[i, i]
        if not is_traced(pivot) and pivot == 0:
            return np.full(np.shape(rhs), nothing, object)
        reciprocal.append(1.0 / pivot)
        for below in range(i + 1, k):
            rows[below, i:] = rows[below, i:] - (rows[below, i] * reciprocal[i]) * rows[i, i:]
    x = rows[:, k:]
    for i in reversed(range(k)):
        for right in range(i + 1, k):
            x[i] = x[i] - rows[i, right] * x[right]
        x[i] = x[i] * reciprocal[i]
    return x
