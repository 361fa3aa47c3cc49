"""The Cayley map of both groups is that of the matrices, and its differentials are exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from lie.tracing import SMALL, by_trace, same_in_batches
from random_examples import examples
from redmax.lie import cayley, se3, so3

GROUPS = {"so3": (cayley.so3, so3, 3), "se3": (cayley.se3, se3, 6)}
twists = arrays(float, 6, elements=st.floats(-3.0, 3.0, allow_subnormal=False))
groups = pytest.mark.parametrize(("module", "group", "n"), GROUPS.values(), ids=GROUPS)


@groups
@examples(12, 100)
@given(V=twists)
def test_it_is_the_map_of_the_matrices(module, group, n, V):
    X = group.bracket(V[:n])
    one = np.eye(len(X))
    assert_allclose(module.cay(V[:n]), np.linalg.solve(one - X / 2, one + X / 2), atol=1e-13)
    assert_allclose(module.inverse(module.cay(V[:n])), V[:n], atol=1e-12)
    assert_allclose(module.cay(V[:n]) @ module.cay(-V[:n]), one, atol=1e-13)


@groups
@pytest.mark.parametrize("angle", [*SMALL, 50.0])
def test_differentials(module, group, n, angle):
    V = np.append(angle * np.array([0.6, -0.64, 0.48]), [0.3, -2.0, 0.7])[:n]
    rate = np.array([0.2, 0.5, -0.9, 1.0, 0.4, -0.3])[:n]
    C, Cdot = module.cay(V), by_trace(module.cay, V, rate)
    inverse = np.linalg.inv(C)
    assert_allclose(module.dcay_left(V) @ rate, group.unbracket(Cdot @ inverse), atol=1e-13)
    assert_allclose(module.dcay_right(V) @ rate, group.unbracket(inverse @ Cdot), atol=1e-13)
    size = 1e-15 * (1 + angle**2)
    assert_allclose(module.dcay_left_inverse(V) @ module.dcay_left(V), np.eye(n), atol=30 * size)
    assert_allclose(module.dcay_right_inverse(V) @ module.dcay_right(V), np.eye(n), atol=30 * size)
    assert_allclose(by_trace(lambda x: module.inverse(module.cay(x)), V, rate), rate, atol=1e3 * size)


@groups
def test_it_agrees_with_exp_to_second_order(module, group, n):
    V = np.array([0.5, -0.3, 0.8, 1.0, 0.2, -0.7])[:n]
    errors = [np.abs(module.cay(h * V) - group.exp(h * V)).max() for h in (1e-2, 5e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.05)


def test_the_angle_and_the_parameters_of_rodrigues():
    c = np.array([0.3, -0.4, 1.2])  # tan(angle / 2) n
    angle = 2 * np.arctan(np.linalg.norm(c))
    assert_allclose(cayley.so3.cay(2 * c), so3.exp(angle * c / np.linalg.norm(c)), atol=1e-15)


@groups
@pytest.mark.parametrize("name", ["cay", "dcay_left", "dcay_right", "dcay_left_inverse", "dcay_right_inverse"])
def test_batches_and_traces(module, group, n, name):
    f, X = getattr(module, name), np.random.default_rng(1).normal(size=(2, 3, n))
    same_in_batches(f, X, 1)
    assert_allclose(by_trace(f, X[0, 0]), f(X[0, 0]), atol=1e-15)
    same_in_batches(module.inverse, module.cay(X), 2)
