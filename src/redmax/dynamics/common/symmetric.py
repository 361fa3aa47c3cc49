"""Small symmetric positive definite systems, eliminated while tracing (L D L^T without pivoting)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.errors import NoInertia, called
from redmax.trace import is_traced


def solve_symmetric(D: np.ndarray, rhs: np.ndarray, name: str) -> np.ndarray:
    """D^-1 rhs, for D (k, k) symmetric positive definite and rhs (k, m), over floats or traced scalars; name: the joint."""
    k = len(D)
    L, reciprocal = factorise(D, name)
    x = np.array(rhs, object)
    for i in range(k):
        for t in range(i):
            x[i] = x[i] - L[i, t] * x[t]
    for i in range(k):
        x[i] = x[i] * reciprocal[i]
    for i in reversed(range(k)):
        for t in range(i + 1, k):
            x[i] = x[i] - L[t, i] * x[t]
    return x


def factorise(D: np.ndarray, name: str) -> tuple[np.ndarray, list[Any]]:
    """L (unit lower triangular), and the reciprocals of the diagonal D."""
    k = len(D)
    L, W = np.zeros((k, k), object), np.zeros((k, k), object)  # W = L D, which elimination meets first
    reciprocal: list[Any] = []
    for j in range(k):
        pivot = D[j, j]
        for t in range(j):
            pivot = pivot - W[j, t] * L[j, t]
        if not is_traced(pivot) and pivot == 0:
            raise NoInertia(called("A degree of freedom of joint", name))
        reciprocal.append(1.0 / pivot)
        for i in range(j + 1, k):
            entry = D[i, j]
            for t in range(j):
                entry = entry - W[i, t] * L[j, t]
            W[i, j], L[i, j] = entry, entry * reciprocal[j]
    return L, reciprocal
