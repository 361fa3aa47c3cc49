"""The rotation of a 3x3 matrix: optimal wherever it is unique, a rotation everywhere, with the right derivative."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deformables.evaluated import central_differences
from deformables.samples import STRETCHES, strained
from redmax.deformables.polar import cosine_of_third, differentiable, rotation
from redmax.trace import Graph, evaluate_numeric, jacobian

entries = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-8, -1e-160]), st.floats(-10.0, 10.0))


def by_svd(F):
    """The rotation nearest to F, from the singular vectors with the sign given to the smallest (Kabsch)."""
    U, _, Vt = np.linalg.svd(F)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt


def found(F):
    return np.array(rotation(np.asarray(F, float).tolist())[0], float)


@pytest.mark.parametrize("stretches", [*STRETCHES, (10.0, 1.0, 0.1), (1e3, 1.0, 1e-3), (1e-3, 1e-4, 1e-5)])
def test_it_is_the_rotation_of_the_singular_value_decomposition(stretches):
    rng = np.random.default_rng(1)
    for _ in range(50):
        F = strained(rng, stretches)
        assert np.abs(found(F) - by_svd(F)).max() < 1e-10


@given(st.lists(entries, min_size=9, max_size=9))
@example([0.0] * 9)
@example([1.0] * 9)
@example([1.0, 0, 0, 0, 1, 0, 0, 0, -1])
@example([-1.0, 0, 0, 0, -1, 0, 0, 0, -1])
@example([0.0, 0, 0, 3, 0, 0, 0, 0, 0])
@example([0.0, 2, 0, 2, 0, 0, 0, 0, 2])
def test_it_is_a_rotation_whatever_the_matrix(values):
    R = found(np.reshape(values, (3, 3)))
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-12
    assert np.linalg.det(R) > 0


@given(st.lists(st.floats(-2.0, 2.0), min_size=9, max_size=9))
def test_no_rotation_is_nearer(values):
    """tr(R'F) is the sum of the signed singular values, unless F is within rounding of a state where R is not unique."""
    F = np.reshape(values, (3, 3))
    s = np.linalg.svd(F)[1]
    s[2] *= np.sign(np.linalg.det(F))
    if (s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0]) > 1e-5 * s[0] ** 3:
        assert np.trace(found(F).T @ F) > s.sum() - 1e-9 * s[0]


@pytest.mark.parametrize("seed", range(10))
def test_a_mirrored_element_gets_one_of_its_nearest_rotations(seed):
    """F orthogonal with det F = -1: many rotations are equally near, with tr(R'F) = 1; none of rounding errors."""
    rng = np.random.default_rng(seed)
    for size in (1.0, 1e-3, 30.0):
        F = size * strained(rng, (1.0, 1.0, -1.0))
        assert np.trace(found(F).T @ F) == pytest.approx(size, rel=1e-12)


def test_cosine_of_a_third_of_an_angle():
    angle = np.linspace(0.0, np.pi, 201)
    assert np.abs(cosine_of_third(np.cos(angle)) - np.cos(angle / 3)).max() < 1e-8  # near pi no better: cos(angle) is rounded


@cache
def traced_rotation():
    graph = Graph()
    inputs = graph.inputs("F", 9)
    R, A = differentiable(np.array(inputs, object).reshape(3, 3).tolist())
    return np.array(R, object), jacobian(np.array(R, object), inputs), np.array(A, object)


@pytest.mark.parametrize("stretches", STRETCHES)
def test_its_derivative_and_that_it_removes_rounding(stretches):
    rng = np.random.default_rng(2)
    R, dR, A = traced_rotation()
    for _ in range(5):
        F = strained(rng, stretches)

        def leaf(_, i, F=F):
            return F.ravel()[i]

        assert np.abs(np.reshape(evaluate_numeric(list(R.ravel()), leaf), (3, 3)) - by_svd(F)).max() < 1e-13
        stretch = np.reshape(evaluate_numeric(list(A.ravel()), leaf), (3, 3)).astype(float)
        assert np.abs(stretch - stretch.T).max() < 1e-11
        exact = np.reshape(evaluate_numeric(list(dR.ravel()), leaf), (3, 3, 9))
        measured = central_differences(by_svd, F, 1e-3 * abs(stretches[1] + stretches[2]))
        assert np.abs(exact - measured).max() < 1e-8 * np.abs(measured).max()
