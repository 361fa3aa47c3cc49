"""Functions of the groups on traced scalars, evaluated: what the tests of values and derivatives share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.trace import Graph, evaluate_numeric, jvp

SMALL = [0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0]  # angles (rad)


def by_trace(f: Callable[[Any], Any], x: np.ndarray, rate: np.ndarray | None = None) -> np.ndarray:
    """f(x) through its trace; with a rate, the rate of it."""
    symbols = np.empty(len(x), object)
    symbols[:] = Graph().inputs("x", len(x))
    found = np.asarray(f(symbols), object)
    flat: list[Any] = list(found.ravel())
    if rate is not None:
        flat = jvp(flat, dict(zip(symbols, rate, strict=True)))
    return np.array([float(v) for v in evaluate_numeric(flat, lambda _, i: x[i])]).reshape(found.shape)


def same_in_batches(f: Callable[[Any], Any], given: np.ndarray, axes: int) -> None:
    """f of a batch is f of its members."""
    whole = np.asarray(f(given))
    for index in np.ndindex(given.shape[: given.ndim - axes]):
        np.testing.assert_allclose(whole[index], f(given[index]), rtol=0, atol=1e-15)
