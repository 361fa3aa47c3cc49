"""What articulated bodies pass on: where the columns of S are axes, exactly what elimination finds for any others."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.dynamics.common.articulated import axes_of, release
from redmax.lie import Inertia

AXES = ([2], [5], [0, 1, 2], [3, 4, 5], [3, 4, 2], [0, 1, 2, 3, 4, 5], [])


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("added", [0.0, 0.7])
def test_known_rows_are_those_of_the_formulas(axes: list[int], added: float) -> None:
    """Against M - M S (S'MS + P)^-1 S'M written with NumPy; with nothing added, zeros and ones are exact."""
    rng, n = np.random.default_rng(len(axes)), len(axes)
    A = rng.normal(size=(6, 6))
    M, S, P = A @ A.T + np.eye(6), np.eye(6)[:, axes], added * np.eye(n)
    B, tau, right = rng.normal(size=6), rng.normal(size=n), rng.normal(size=(n, 2))
    Psi = np.linalg.inv(S.T @ M @ S + P)
    free = release(Inertia.from_matrix(M), S, P, tau - S.T @ B, "joint")
    several = release(Inertia.from_matrix(M), S, P, right, "joint")
    assert np.allclose(free.U_Psi.astype(float), M @ S @ Psi, atol=1e-13)
    assert np.allclose(free.Pi.matrix().astype(float), M - M @ S @ Psi @ S.T @ M, atol=1e-12)
    assert np.allclose(free.solved.astype(float), Psi @ (tau - S.T @ B), atol=1e-13)
    assert np.allclose(several.solved.astype(float), Psi @ right, atol=1e-13)
    assert np.allclose(free.passed(B, tau).astype(float), B + M @ S @ Psi @ (tau - S.T @ B), atol=1e-12)
    if not added:
        assert (free.Pi.matrix()[axes] == 0).all()
        assert (free.U_Psi[axes] == np.eye(n)).all()
        assert (free.passed(B, tau)[axes] == tau).all()


def test_columns_that_are_no_axes_are_seen() -> None:
    e = np.eye(6)
    assert axes_of(e[:, [4, 0]]) == [4, 0]
    assert axes_of(np.column_stack([e[:, 0], e[:, 0]])) is None
    assert axes_of(np.column_stack([e[:, 0], 2 * e[:, 1]])) is None
    assert axes_of(np.column_stack([e[:, 0], e[:, 1] + e[:, 2]])) is None
