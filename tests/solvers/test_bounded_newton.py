"""Quadratic problems within intervals and discs: solutions meet the conditions of optimality, also where rows repeat others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from redmax.backends.base import make_runner
from redmax.program.fields import Fields
from redmax.program.plan import Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.routines.call import Call, Data
from redmax.solvers.bounded_newton import minimise_within

N, RANK, WORLDS = 16, 10, 24


def solve(kind: list[int], H: np.ndarray, g: np.ndarray, low: np.ndarray, high: np.ndarray, backend: str = "llvm") -> np.ndarray:
    data = Data("H", N, N), Data("K", N, N), *[Data(name, N) for name in ("g", "b", "c", "grad", "x", "d", "y", "low", "high")]
    rest = Data("ways", N, 5), Data("count", 1), Data("turns", 1)
    call = Call(minimise_within, lambda at: [(*data, *rest, kind, N)], (*data, *rest))
    program = Program("problem", (call,), Fields(), ("H", "g", "b", "low", "high"), ("b",))
    out = np.empty((1, len(g), N))
    inputs = [H.reshape(len(g), -1).copy(), g, np.zeros_like(g), low, high]
    make_runner(Planner(program, Tree(()), [], []).plan(), backend, "float64").run(inputs, [out], worlds=len(g))
    return out[0]


@pytest.fixture
def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A (worlds, n, rank) with H = A A', p with g = A p, and bounds, some of them zero."""
    rng = np.random.default_rng(0)
    A, p = rng.normal(size=(WORLDS, N, RANK)), 3 * rng.normal(size=(WORLDS, RANK))
    return A, p, rng.uniform(size=(WORLDS, N)) * (rng.uniform(size=(WORLDS, N)) > 0.1)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_boxes_agree_with_bounded_least_squares(problem, backend):
    A, p, high = problem
    b = solve([0] * N, A @ A.transpose(0, 2, 1), np.einsum("wnr,wr->wn", A, p), -high, high, backend)
    for k in range(WORLDS):
        size = np.maximum(high[k], 1e-300)
        found = lsq_linear(A[k].T * size, p[k], (-1, 1), method="bvls", tol=1e-15, max_iter=1000).x * size
        assert np.allclose(A[k].T @ b[k], A[k].T @ found, atol=1e-10)


def test_discs_meet_the_conditions_of_optimality(problem):
    A, p, high = problem
    high[:, 1::2] = high[:, ::2]
    H, g = A @ A.transpose(0, 2, 1), np.einsum("wnr,wr->wn", A, p)
    b = solve([1, 2] * (N // 2), H, g, -high, high)
    moved = (b - (np.einsum("wij,wj->wi", H, b) - g) / 20).reshape(WORLDS, -1, 2)
    far = np.linalg.norm(moved, axis=-1)
    back = moved * np.minimum(1, high[:, ::2] / far)[..., None]
    assert np.allclose(back.reshape(WORLDS, N), b, atol=1e-9)


def test_what_only_pushes_is_nonnegative_least_squares(problem):
    A, p, _ = problem
    b = solve([0] * N, A @ A.transpose(0, 2, 1), np.einsum("wnr,wr->wn", A, p), np.zeros((WORLDS, N)), np.full((WORLDS, N), 1e30))
    for k in range(WORLDS):
        found = lsq_linear(A[k].T, p[k], (0, np.inf), method="bvls", tol=1e-15, max_iter=1000).x
        assert np.allclose(A[k].T @ b[k], A[k].T @ found, atol=1e-8)
