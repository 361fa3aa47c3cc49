"""Forward mode == reverse mode == sympy, to third order, for every elementary function."""

from __future__ import annotations

from itertools import combinations_with_replacement

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax.math as rm
from redmax.trace import Graph, evaluate_numeric, gradient, jacobian, jvp, substitute, vjp

AT = {"x": 0.37, "y": -0.61}
SAMPLES = {  # and what sympy reads
    "add": (lambda x, y: x + 2 * y + 1, "x + 2 * y + 1"),
    "sub": (lambda x, y: (x - y) * (1 - x), "(x - y) * (1 - x)"),
    "mul": (lambda x, y: x * y * x, "x * y * x"),
    "div": (lambda x, y: x / (2 + y), "x / (2 + y)"),
    "neg": (lambda x, y: -(x * y) * x, "-(x**2) * y"),
    "sqrt": (lambda x, y: rm.sqrt(2 + x * y), "sqrt(2 + x * y)"),
    "sin": (lambda x, y: rm.sin(x * y + x), "sin(x * y + x)"),
    "cos": (lambda x, y: rm.cos(x * y + x), "cos(x * y + x)"),
    "tan": (lambda x, y: rm.tan(x * y + x), "tan(x * y + x)"),
    "asin": (lambda x, y: rm.asin(x * y), "asin(x * y)"),
    "acos": (lambda x, y: rm.acos(x * y), "acos(x * y)"),
    "atan": (lambda x, y: rm.atan(x - 2 * y), "atan(x - 2 * y)"),
    "atan2": (lambda x, y: rm.atan2(x * y, x + y), "atan2(x * y, x + y)"),
    "atan2 of a constant": (lambda x, y: rm.atan2(2.0, x * y), "atan2(2, x * y)"),
    "exp": (lambda x, y: rm.exp(x * y), "exp(x * y)"),
    "log": (lambda x, y: rm.log(1 + x * x * y * y), "log(1 + x**2 * y**2)"),
    "sinh": (lambda x, y: rm.sinh(x * y + y), "sinh(x * y + y)"),
    "cosh": (lambda x, y: rm.cosh(x * y + y), "cosh(x * y + y)"),
    "tanh": (lambda x, y: rm.tanh(x * y + y), "tanh(x * y + y)"),
    "cube": (lambda x, y: (x * y + 1) ** 3, "(x * y + 1) ** 3"),
    "inverse square": (lambda x, y: (x - y) ** -2, "(x - y) ** -2"),
    "half power": (lambda x, y: (x - y) ** -0.5, "(x - y) ** Rational(-1, 2)"),
    "real power": (lambda x, y: (x - y) ** 2.3, "(x - y) ** Rational(23, 10)"),
    "power of a constant": (lambda x, y: 1.7 ** (x * y), "Rational(17, 10) ** (x * y)"),
    "power of both": (lambda x, y: (x - y) ** (x + 1), "(x - y) ** (x + 1)"),
    "abs": (lambda x, y: abs(x * y) * x, "-x * y * x"),
    "remainder": (lambda x, y: (x - 5 * y) % 1.5 * x, "(x - 5 * y - 3) * x"),
    "where": (lambda x, y: rm.where(x < y, rm.sin(x), rm.exp(x * y)), "exp(x * y)"),
    "minimum": (lambda x, y: rm.minimum(x * x, y) * x, "y * x"),
    "maximum": (lambda x, y: rm.maximum(x * x, y) * y, "x**2 * y"),
    "hypot": (np.hypot, "sqrt(x**2 + y**2)"),
}
ORDERS = [d for n in (0, 1, 2, 3) for d in combinations_with_replacement("xy", n)]


def number(e, at=AT) -> float:
    return float(evaluate_numeric([e], lambda base, _: at[base])[0])


@pytest.mark.parametrize("name", SAMPLES)
def test_forward_is_reverse_is_sympy(name):
    import sympy as sp  # by whoever runs this test alone: it takes a second

    f, text = SAMPLES[name]
    symbols = {v: sp.Symbol(v, real=True) for v in AT}
    exact = sp.sympify(text, symbols)
    graph = Graph()
    inputs = {"x": graph.input("x", 0), "y": graph.input("y", 0)}
    for order in ORDERS:
        derivative = sp.diff(exact, *[symbols[v] for v in order]) if order else exact
        reference = float(derivative.subs({symbols[v]: x for v, x in AT.items()}).evalf(30))
        forward = reverse = f(*inputs.values())
        for v in order:
            (forward,) = jvp([forward], {inputs[v]: 1.0})
            (reverse,) = vjp([reverse], [1.0], [inputs[v]])
        assert number(forward) == pytest.approx(reference, rel=2e-14, abs=2e-14)
        assert number(reverse) == pytest.approx(reference, rel=2e-14, abs=2e-14)


def stumpff_series(k: int, x: float, derivative: int) -> float:
    """The derivatives of sum (-x)^j / (2j + k)!, term by term."""
    with mp.workdps(40):
        terms = ((-1) ** j * mp.ff(j, derivative) / mp.fac(2 * j + k) * mp.mpf(x) ** (j - derivative) for j in range(derivative, 41))
        return float(mp.fsum(terms))


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("at", [0.0, 1e-300, 1e-12, 0.4, 9.0, 30.0])
def test_stumpff_functions_at_zero_and_elsewhere(k, at):
    x = Graph().input("x", 0)
    forward = reverse = rm.stumpff(k, x)
    for derivative in range(4):
        exact = stumpff_series(k, at, derivative)
        assert number(forward, {"x": at}) == pytest.approx(exact, rel=1e-13, abs=2e-15)
        assert number(reverse, {"x": at}) == pytest.approx(exact, rel=1e-13, abs=2e-15)
        (forward,), (reverse,) = jvp([forward], {x: 1.0}), gradient(reverse, [x])


def test_a_directional_derivative_mixes_the_partial_ones():
    x, y = Graph().inputs("q", 2)
    f = rm.sin(x) * y
    (along,) = jvp([f], {x: 3.0, y: rm.cos(x)})
    at = [0.3, 0.8]
    value = evaluate_numeric([along], lambda _, i: at[i])[0]
    assert value == pytest.approx(np.cos(0.3) * 0.8 * 3 + np.sin(0.3) * np.cos(0.3), rel=1e-15)


def test_seeds_may_lie_inside_a_trace():
    x = Graph().input("x", 0)
    inner = rm.sin(x)
    assert jvp([inner * x], {inner: 1.0})[0] is x
    assert vjp([inner * x], [1.0], [inner])[0] is x


@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3))
def test_the_jacobian_by_columns_is_the_jacobian_by_rows(at):
    graph = Graph()
    x = graph.inputs("x", 3)
    outputs = np.array([[x[0] * rm.sin(x[1]), rm.exp(x[2]) / (2.0 + x[0])], [4.0, x[1] ** 3 - x[2]]], object)
    J = jacobian(outputs, x)
    assert J.shape == (2, 2, 3)
    rows = [gradient(o, x) for o in outputs.ravel()]
    difference = [a - b for a, b in zip(J.ravel(), [g for row in rows for g in row])]
    assert np.abs(np.array(evaluate_numeric(difference, lambda _, i: at[i]), float)).max() < 1e-15
    assert J[1, 0].tolist() == [0.0, 0.0, 0.0]


def test_a_trace_over_a_batch_and_over_another_trace():
    graph = Graph()
    x, y = graph.inputs("x", 2)
    f = rm.where(x < y, rm.sin(x) * y, x / y) + rm.stumpff(2, x) + rm.floor(y)
    batch = np.random.default_rng(0).normal(size=(2, 7))
    together = evaluate_numeric([f], lambda _, i: batch[i])[0]
    one_by_one = [evaluate_numeric([f], lambda _, i, column=column: column[i])[0] for column in batch.T]
    np.testing.assert_allclose(together, np.array(one_by_one, float), rtol=1e-15)
    other = Graph()
    (again,) = substitute([f], lambda _, i: other.inputs("x", 2)[i])
    assert again.graph is other
    assert repr(again) == repr(f)
    (fixed,) = substitute([f], lambda _, i: [0.5, 2.0][i])
    assert fixed == pytest.approx(float(evaluate_numeric([f], lambda _, i: [0.5, 2.0][i])[0]), rel=1e-15)
