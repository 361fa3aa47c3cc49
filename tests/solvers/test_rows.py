"""Rows that repeat others, and rows that only push: against singular values, and against the conditions that define the solution."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.program.routines.views import Matrix, Vector
from redmax.solvers.complementarity import complementary
from redmax.solvers.semidefinite import eliminate_largest, least_norm, scale_rows, solve_ranked


def matrix(a: np.ndarray) -> Matrix:
    return Matrix(np.array(a, float).ravel(), 0, a.shape[1])


def vectors(m: int, count: int) -> list[Vector]:
    return [Vector(np.zeros(m + 1), 0) for _ in range(count)]


def given(values: np.ndarray) -> Vector:
    return Vector(np.append(values, 0.0), 0)


def inverse_mass(rng: np.random.Generator, symmetric: bool) -> np.ndarray:
    Q, K = rng.normal(size=(2, 12, 12))
    return np.linalg.inv(Q @ Q.T + np.eye(12) + (0.0 if symmetric else 0.5) * (K - K.T))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_rows_that_repeat_others(seed, symmetric):
    """The rank, a solution, and of all solutions the one without what moves nothing."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 9))
    rank = int(rng.integers(1, m + 1))
    G = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, 12)) * 10.0 ** rng.uniform(-2, 2, (m, 1))
    if m > 1 and seed % 4 == 0:
        G[rng.integers(m)] = 0.0
    A = G @ inverse_mass(rng, symmetric) @ G.T
    b = A @ rng.normal(size=m)
    F, C, N = (matrix(np.zeros((m, m))) for _ in range(3))
    scale, order, z, x, found = vectors(m, 5)
    scale_rows.function(matrix(A), F, scale, given(np.ones(m)), order, m)
    eliminate_largest.function(F, order, found, m)
    solve_ranked.function(F, order, found, scale, given(b), x, z, m)
    least_norm.function(F, order, found, scale, x, C, N, z, m)
    size = np.maximum(np.linalg.norm(G, axis=1, keepdims=True), 1e-300)
    assert found.memory[0] == np.linalg.matrix_rank(G / size, tol=1e-9)
    assert np.abs(A @ x.memory[:m] - b).max() < 1e-8 * max(np.abs(b).max(), 1e-30)
    _, values, V = np.linalg.svd(G.T)
    still = V[int((values > 1e-11 * values[0]).sum()) :]
    assert np.abs(still @ x.memory[:m]).max(initial=0.0) < 1e-6 * np.abs(x.memory[:m]).max()


@pytest.mark.parametrize("seed", range(60))
def test_rows_that_only_push(seed):
    """x >= 0, w = A x - b >= 0, x w = 0; free rows keep w = 0. Some ask for the same as others, but not for as much."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 12))
    free, n = int(rng.integers(0, m + 1)), int(rng.integers(m, m + 8))
    G = rng.normal(size=(m, n))
    if m - free > 2 and seed % 3 == 0:
        G[-1] = rng.uniform(0.5, 2.0) * G[-2]
    A, b = G @ G.T, rng.normal(size=m)
    x, z, scale, active, order, rank, wrong, together = vectors(m, 8)
    complementary.function(
        matrix(A), matrix(np.zeros((m, m))), given(b), x, z, scale, active, order, rank, wrong, together, free, m
    )  # fmt: skip
    x, w = x.memory[:m], A @ x.memory[:m] - b
    size = 1e-6 * (1.0 + np.abs(x).max()) * np.abs(A).max()
    assert np.abs(w[:free]).max(initial=0.0) < size
    assert min(x[free:].min(initial=0.0), w[free:].min(initial=0.0)) > -size
    assert np.abs(x[free:] * w[free:]).max(initial=0.0) < size
