"""Rows whose multipliers live between bounds, against all choices of which are held, and at which bound the others are."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from random_examples import examples
from redmax.solvers.box_complementarity import in_box
from solvers.test_rows import given as vector
from solvers.test_rows import matrix, vectors


def solved(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, free: int) -> np.ndarray:
    m = len(b)
    x, left, y, z, scale, held, bound, order, rank, wrong, turns = vectors(m + 3, 11)
    in_box.function(
        matrix(A), matrix(np.zeros((m, m))), vector(b), x, left, y, z, scale, held, bound, vector(lower), vector(upper), order, rank, wrong,
        turns, free, m,
    )  # fmt: skip
    return np.asarray(x.memory[:m])


def enumerated(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, free: int) -> np.ndarray:
    """The x of the first choice that meets all conditions."""
    m = len(b)
    for choice in product((0, 1, 2), repeat=m - free):
        side = np.array([0] * free + list(choice))
        x, held = np.select([side == 1, side == 2], [lower, upper], 0.0), side == 0
        x[held] = np.linalg.solve(A[np.ix_(held, held)], (b - A @ x)[held])
        w, small = A @ x - b, 1e-9 * (1 + np.abs(x).max())
        inside = (x[free:] >= lower[free:] - small).all() and (x[free:] <= upper[free:] + small).all()
        if inside and (w[side == 1] >= -small).all() and (w[side == 2] <= small).all():
            return x
    raise AssertionError("no choice is a solution")


@given(st.integers(0, 10**6))
@examples(60, 600)
def test_as_all_choices_have_it(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 6))
    free, G = int(rng.integers(0, m + 1)), rng.normal(size=(m, m + 2)) * 10.0 ** rng.uniform(-1, 1, (m, 1))
    A, b = G @ G.T, rng.normal(size=m)
    lower, upper = -np.abs(rng.normal(size=m)), np.abs(rng.normal(size=m)) * rng.choice([0.0, 1.0, 10.0], m)
    lower[rng.random(m) < 0.2] = 0.0
    x, expected = solved(A, b, lower, upper, free), enumerated(A, b, lower, upper, free)
    assert np.abs(x - expected).max() < 1e-7 * (1 + np.abs(expected).max())


@given(st.integers(0, 10**6))
@examples(40, 400)
def test_rows_that_repeat_others_share_what_is_asked(seed):
    """More rows than ways to move: x is within its bounds and complementary to w, though no longer the only one."""
    rng = np.random.default_rng(seed)
    m, n = 5, int(rng.integers(1, 4))
    G = rng.normal(size=(m, n))
    G[1] = 2.0 * G[0]
    A, b = G @ G.T, G @ rng.normal(size=n)
    lower, upper = -rng.uniform(0.05, 2.0, m), rng.uniform(0.05, 2.0, m)
    x = solved(A, b, lower, upper, 0)
    w, small = A @ x - b, 1e-7 * np.abs(A).max()
    assert (x >= lower).all()
    assert (x <= upper).all()
    assert (np.where(x > lower + 1e-7, w, 0.0) <= small).all()
    assert (np.where(x < upper - 1e-7, w, 0.0) >= -small).all()
