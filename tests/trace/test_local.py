"""Partial derivatives at a place: of numbers, arrays of them, traced scalars and expressions, also within each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redmax.math import array, cos, derivatives, exp, sin
from redmax.trace import Graph, evaluate_numeric, jvp
from redmax.trace.local import pushforward

ORDERS = [(), (0,), (1,), (0, 0), (0, 1), (1, 1), (0, 1, 1)]


def f(x, y):
    return array([sin(x) * exp(2.0 * y), x * x * y, 3.0])


def by_hand(x, y):
    s, c, e = np.sin(x), np.cos(x), np.exp(2 * y)
    return [
        [s * e, x * x * y, 3.0], [c * e, 2 * x * y, 0], [2 * s * e, x * x, 0], [-s * e, 2 * y, 0], [2 * c * e, 2 * x, 0],
        [4 * s * e, 0, 0], [4 * c * e, 0, 0],
    ]  # fmt: skip


def number(values, **inputs) -> np.ndarray:
    found = evaluate_numeric(list(np.asarray(values, object).ravel()), lambda base, i: inputs[base][i])
    return np.array([float(v) for v in found])


def test_at_numbers():
    for found, expected in zip(derivatives(f, (0.7, -0.3), ORDERS), by_hand(0.7, -0.3)):
        assert found.shape == (3,)
        assert_allclose(found, expected, rtol=1e-14)


def test_at_arrays_of_numbers():
    x, y = np.linspace(0, 1, 5), np.linspace(-1, 1, 5)
    for found, k in zip(derivatives(f, (x, y), ORDERS), range(len(ORDERS))):
        assert_allclose(found, [by_hand(a, b)[k] for a, b in zip(x, y)], rtol=1e-14, atol=1e-15)
    mixed = derivatives(f, (x, 0.5), [(0, 1)])[0]
    assert_allclose(mixed, [by_hand(a, 0.5)[4] for a in x], rtol=1e-14)


def test_at_expressions_by_the_functions_own_variables():
    """d/dx f at x = -q, where sin(-q) is simplified away before it could be found again."""
    graph = Graph()
    q = graph.input("q", 0)
    for found, expected in zip(derivatives(f, (-q, q * q), ORDERS), by_hand(-0.7, 0.49)):
        assert_allclose(number(found, q=[0.7]), expected, rtol=1e-13)


def test_numbers_that_the_function_holds_may_be_traced():
    graph = Graph()
    k = graph.input("k", 0)
    slope = derivatives(lambda x: array([k * x * x]), (3.0,), [(0,)])[0]
    assert_allclose(number(slope, k=[0.5]), [3.0])
    x = graph.input("x", 0)
    assert_allclose(number(derivatives(lambda x: array([k * x * x]), (x,), [(0,)])[0], k=[0.5], x=[3.0]), [3.0])


def test_derivatives_within_derivatives():
    """The curvature of a curve from its tangent, itself a derivative; numbers and traced alike."""

    def tangent(s):
        return derivatives(lambda t: array([cos(t), sin(2.0 * t)]), (s,), [(0,)])[0]

    expected = [-np.cos(0.4), -4 * np.sin(0.8)]
    assert_allclose(derivatives(tangent, (0.4,), [(0,)])[0], expected, rtol=1e-14)
    s = Graph().input("s", 0)
    traced = derivatives(tangent, (s,), [(0,)])[0]
    assert_allclose(number(traced, s=[0.4]), expected, rtol=1e-14)
    assert_allclose(number(jvp(list(traced), {s: 1.0}), s=[0.4]), [np.sin(0.4), -8 * np.cos(0.8)], rtol=1e-14)


def test_pushforward():
    value, rate = pushforward(f, (0.7, -0.3), (2.0, 5.0))
    first = by_hand(0.7, -0.3)
    assert_allclose(value, first[0], rtol=1e-14)
    assert_allclose(rate, 2.0 * np.array(first[1]) + 5.0 * np.array(first[2]), rtol=1e-14)


def test_shapes_of_any_kind():
    assert derivatives(lambda x: x * x, (3.0,), [(), (0,)])[1] == pytest.approx(6.0)
    assert derivatives(lambda x: array([[x, x * x], [1.0, x]]), (3.0,), [(0,)])[0].shape == (2, 2)
