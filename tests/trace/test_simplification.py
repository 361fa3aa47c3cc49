"""Simplifying keeps the value: random expressions, traced and evaluated, against the same without a trace."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import redmax.math as rm
from redmax.trace import Graph, Scalar, algebra, evaluate_numeric, jvp
from redmax.trace.evaluate import evaluate

LEAVES = 3
leaves = st.sampled_from([("x", 0), ("x", 1), ("x", 2), ("c", 0.0), ("c", 1.0), ("c", -1.0), ("c", 2.0), ("c", -0.5)])
RATIONAL = ["add", "sub", "mul", "div", "neg", "square", "inverse"]
FUNCTIONS = ["sin", "cos", "tanh", "atan", "root", "exp", "atan2", "abs", "cosine of atan2", "sine of atan2", "select"]


def trees(operations: list[str]) -> st.SearchStrategy[Any]:
    return st.recursive(leaves, lambda inner: st.tuples(st.sampled_from(operations), inner, inner), max_leaves=12)


def rational(name: str, a: Any, b: Any) -> Any:
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "div":
            return a / b
        case "neg":
            return -a
        case "square":
            return a**2
        case _:
            return 1.0 / a if isinstance(a, Scalar) else 1 / a


def build(tree: Any, leaf: Any, apply: Any) -> Any:
    if tree[0] in ("x", "c"):
        return leaf(*tree)
    return apply(tree[0], build(tree[1], leaf, apply), build(tree[2], leaf, apply))


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "inv": lambda a: 1 / a,
}
EXACT = {op: lambda *args, f=f: f(*map(Fraction, args)) for op, f in OPERATIONS.items()}


def dyadic(x: float) -> bool:
    """A constant that floats fold exactly."""
    return abs(x) < 2**40 and Fraction(x).denominator < 2**40


@given(trees(RATIONAL), st.lists(st.fractions(-3, 3, max_denominator=7), min_size=3, max_size=3))
def test_rational_expressions_keep_their_exact_value(tree, values):
    try:
        expected = build(tree, lambda kind, v: values[v] if kind == "x" else Fraction(v), rational)
    except (ZeroDivisionError, OverflowError):
        assume(False)
    graph = Graph()
    x = graph.inputs("x", LEAVES)
    try:
        traced = build(tree, lambda kind, v: x[v] if kind == "x" else v, rational)
    except (ZeroDivisionError, OverflowError):
        assume(False)
    assume(not any(e.op == "const" and not dyadic(e.args[0]) for e in graph.nodes))
    assume(isinstance(traced, Scalar) or dyadic(traced))
    (value,) = evaluate([traced], lambda _, i: values[i], EXACT)
    assert Fraction(value) == expected


def function(name: str, a: Any, b: Any, lib: Any) -> Any:
    match name:
        case "root":
            return lib.sqrt(a * a + 1)
        case "exp":
            return lib.exp(lib.tanh(a))
        case "atan2":
            return lib.atan2(a, b * b + 1)
        case "cosine of atan2":
            return lib.cos(lib.atan2(a, b * b + 1))
        case "sine of atan2":
            return lib.sin(lib.atan2(a, b * b + 1))
        case "abs":
            return abs(a)
        case "select":
            return lib.where(a < b, a, b)
        case _:
            return getattr(lib, name)(a)


class Precise:
    """mpmath under the names of redmax.math."""

    sin, cos, tanh, atan, exp, sqrt, atan2 = mp.sin, mp.cos, mp.tanh, mp.atan, mp.exp, mp.sqrt, mp.atan2

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        return a if condition else b


PRECISE = {
    **OPERATIONS,
    **{name: getattr(mp, name) for name in ("sin", "cos", "tanh", "atan", "exp", "sqrt", "atan2")},
    "abs": abs,
    "lt": lambda a, b: a < b,
    "not": lambda a: not a,
    "select": Precise.where,
}


@given(
    trees(["add", "sub", "mul", *FUNCTIONS]),
    st.lists(st.floats(-2.0, 2.0, allow_subnormal=False), min_size=3, max_size=3),
)
def test_functions_keep_their_value(tree, values):
    def apply(name, a, b, lib):
        return rational(name, a, b) if name in RATIONAL else function(name, a, b, lib)

    size = mp.mpf(1)

    def precise(name, a, b):
        nonlocal size
        result = apply(name, a, b, Precise)
        size = max(size, abs(result))
        return result

    with mp.workdps(40):
        expected = build(tree, lambda kind, v: mp.mpf(values[v]) if kind == "x" else mp.mpf(v), precise)
        graph = Graph()
        x = graph.inputs("x", LEAVES)
        traced = build(tree, lambda kind, v: x[v] if kind == "x" else v, lambda name, a, b: apply(name, a, b, rm))
        (value,) = evaluate([traced], lambda _, i: mp.mpf(values[i]), PRECISE)
        assert abs(value - expected) < 1e-11 * size**2


def test_the_rules_that_pay():
    x, y, z = Graph().inputs("x", 3)
    assert x - x == 0.0
    assert x / x == 1.0
    assert x * (1 / x) == 1.0
    assert ((z / y) * y) is z
    assert (z * y) * (1 / y) is z
    assert x + 0.0 is x
    assert x * 1.0 is x
    assert type(x * 0.0) is float
    assert 0.0 - (0.0 - x) is x
    assert (x + y) - y is x
    assert (x - y) + y is x
    assert rm.sin(x) ** 2 + rm.cos(x) ** 2 == 1.0
    assert rm.sqrt(x) * rm.sqrt(x) is x
    assert rm.cos(-x) is rm.cos(x)
    assert rm.sin(-x) + rm.sin(x) == 0.0
    assert x**0 == 1.0
    assert x**-1 is 1 / x
    assert x**0.5 is rm.sqrt(x)


@pytest.mark.parametrize(
    "make",
    [lambda x: (1.0 - x) + x, lambda x: x + (1.0 - x), lambda x: (x + 1.0) - x, lambda x: jvp([3.0 * x], {x: 1.0})[0]],
)
def test_a_constant_result_is_a_float(make):
    assert type(make(Graph().input("x", 0))) is float


def test_constants_of_a_derivative_fold():
    x, y = Graph().inputs("x", 2)
    (slope,) = jvp([3.0 * x * y], {x: 2.0})
    assert slope is 6.0 * y
    assert jvp([slope], {y: 0.5}) == [3.0]
    assert jvp([rm.where(x < 0.0, x * x, 1.0)], {y: 1.0}) == [0.0]


def test_masks_become_selects():
    x, y = Graph().inputs("x", 2)
    mask = rm.where(x < 0.0, 1.0, 0.0)
    assert mask * y is rm.where(x < 0.0, y, 0.0)
    assert rm.where(x < 0.0, y, 0.0) + rm.where(x < 0.0, 0.0, x) is rm.where(x < 0.0, y, x)
    assert jvp([rm.where(x < 0.0, x * y, x)], {x: 1.0})[0] is rm.where(x < 0.0, y, 1.0)


def test_sine_and_cosine_of_atan2_are_defined_where_it_is():
    """atan2(0, 0) is 0: its cosine is 1 and its sine 0, and so say the functions of numbers."""
    graph = Graph()
    y, x = graph.inputs("x", 2)
    angle = algebra.binary("atan2", y, x)
    both = [algebra.apply("cos", angle), algebra.apply("sin", angle)]
    for at in ((0.0, 0.0), (0.0, 2.0), (3.0, 0.0), (-3.0, -4.0)):
        with np.errstate(all="ignore"):  # what is not selected
            found = evaluate_numeric([*both, *jvp(both, {y: 0.0, x: 1.0})], lambda _, i, at=at: np.float64(at[i]))
        exact = np.arctan2(*at)
        assert np.allclose(found[:2], [np.cos(exact), np.sin(exact)], rtol=0, atol=1e-15)
        assert np.isfinite(found).all()
