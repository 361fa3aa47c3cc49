"""SO(3) x R^3 is the group of its 7x7 matrices, and its differentials are those of its exponential."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.linalg import expm

from lie.tracing import SMALL, by_trace, same_in_batches
from random_examples import examples
from redmax.lie import convert_twist, se3, so3xr3

vectors = arrays(float, 6, elements=st.floats(-1.5, 1.5, allow_subnormal=False))


@examples(12, 100)
@given(vectors, vectors)
def test_products_inverses_and_exponentials_are_those_of_the_matrices(X, Y):
    A, B = so3xr3.exp(X), so3xr3.exp(Y)
    assert_allclose(so3xr3.matrix(A), expm(so3xr3.bracket(X)), atol=1e-14)
    assert_allclose(so3xr3.matrix(so3xr3.multiply(A, B)), so3xr3.matrix(A) @ so3xr3.matrix(B), atol=1e-14)
    assert_allclose(so3xr3.multiply(A, so3xr3.inverse(A)), np.eye(4), atol=1e-15)
    assert_allclose(so3xr3.log(A), X, atol=1e-13)


@examples(12, 100)
@given(vectors, vectors)
def test_adjoints_conjugate_and_brackets_commute(X, Y):
    A, a, b = so3xr3.matrix(so3xr3.exp(X)), so3xr3.bracket(X), so3xr3.bracket(Y)
    assert_allclose(so3xr3.bracket(so3xr3.Ad(so3xr3.exp(X)) @ Y), A @ b @ np.linalg.inv(A), atol=1e-13)
    assert_allclose(so3xr3.bracket(so3xr3.ad(X) @ Y), a @ b - b @ a, atol=1e-15)
    assert_allclose(so3xr3.Ad(so3xr3.exp(X)), expm(so3xr3.ad(X)), atol=1e-14)


@pytest.mark.parametrize("angle", SMALL)
def test_differentials_give_the_mixed_and_the_hybrid_twist(angle):
    X, rate = np.append(angle * np.array([0.6, -0.64, 0.48]), [0.3, -2.0, 0.7]), np.array([0.2, 0.5, -0.9, 1.0, 0.4, -0.3])
    E, Edot = so3xr3.exp(X), by_trace(so3xr3.exp, X, rate)
    body = np.append(*np.split(se3.unbracket(np.linalg.solve(E, Edot)), 2))
    assert_allclose(so3xr3.dexp_right(X) @ rate, convert_twist(body, E, "body", "mixed"), atol=1e-14)
    assert_allclose(so3xr3.dexp_left(X) @ rate, convert_twist(body, E, "body", "hybrid"), atol=1e-14)
    assert_allclose(so3xr3.dexp_right_inverse(X) @ so3xr3.dexp_right(X), np.eye(6), atol=1e-13)
    assert_allclose(so3xr3.dexp_left_inverse(X) @ so3xr3.dexp_left(X), np.eye(6), atol=1e-13)
    log_rate = by_trace(lambda x: so3xr3.log(so3xr3.exp(x)), X, rate)
    assert_allclose(log_rate, rate, atol=1e-12)


@pytest.mark.parametrize("name", ["exp", "ad", "bracket", "dexp_left", "dexp_right", "dexp_left_inverse", "dexp_right_inverse"])
def test_batches_and_traces_of_vectors(name):
    f, X = getattr(so3xr3, name), np.random.default_rng(1).normal(size=(2, 3, 6))
    same_in_batches(f, X, 1)
    assert_allclose(by_trace(f, X[0, 0]), f(X[0, 0]), atol=1e-15)


@pytest.mark.parametrize("name", ["inverse", "log", "Ad", "matrix"])
def test_batches_and_traces_of_elements(name):
    f, X = getattr(so3xr3, name), np.random.default_rng(2).normal(size=(2, 3, 6))
    same_in_batches(f, so3xr3.exp(X), 2)
    assert_allclose(by_trace(lambda x: f(so3xr3.exp(x)), X[0, 0]), f(so3xr3.exp(X[0, 0])), atol=1e-14)
