"""where, comparisons, floor, tables, locate and frozen: equal to NumPy's, and with the derivatives they should have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax.math as rm
from redmax.errors import TraceError
from redmax.trace import Graph, Table, evaluate_numeric, gradient, jvp, locate

numbers = st.one_of(st.floats(-3.0, 3.0), st.sampled_from([0.0, 1.0, -1.0]))


def number(e, *at) -> float:
    return float(evaluate_numeric([e], lambda _, i: at[i])[0])


CONDITIONS = [
    lambda x, y: x < y,
    lambda x, y: x <= y,
    lambda x, y: x > y,
    lambda x, y: x >= y,
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: (x < y) & (y < 1.0),
    lambda x, y: (x < y) | (y < 1.0),
    lambda x, y: ~(x < y) & (x != 1.0),
    rm.less,
    lambda x, y: rm.logical_and(x < 1.0, rm.logical_not(y < x)),
    lambda x, y: rm.logical_or(x < -1.0, rm.logical_not(y < x)),
]


@given(numbers, numbers)
def test_conditions_are_those_of_numpy(a, b):
    x, y = Graph().inputs("x", 2)
    for condition in CONDITIONS:
        expected = np.where(condition(np.array([a]), np.array([b])), a, b - 1.0)[0]
        assert number(rm.where(condition(x, y), x, y - 1.0), a, b) == expected


@given(numbers, numbers)
def test_minimum_maximum_floor_and_remainder(a, b):
    x, y = Graph().inputs("x", 2)
    assert number(rm.minimum(x, y), a, b) == min(a, b)
    assert number(rm.maximum(x, y), a, b) == max(a, b)
    assert number(rm.floor(x + 0.0 * y), a, b) == np.floor(a)
    assert number(rm.absolute(x), a) == abs(a)
    assert number(x % 0.75, a) == pytest.approx(np.mod(a, 0.75), abs=1e-15)


def test_the_derivative_of_where_comes_from_the_chosen_branch_only():
    x = Graph().input("x", 0)
    safe = rm.where(x < 0.5, x * x, 1.0)
    f = rm.where(x < 0.5, 3.0 * x, rm.sqrt(safe))
    (forward,) = jvp([rm.where(x < 0.5, 3.0 * x, rm.sqrt(x - 0.5))], {x: 1.0})
    with np.errstate(invalid="ignore", divide="ignore"):  # the other branch is NaN, and stays unseen
        assert number(forward, 0.2) == 3.0
        assert number(forward, 0.5) == np.inf
    assert number(gradient(f, [x])[0], 0.2) == 3.0


def test_floor_and_comparisons_have_no_slope():
    x = Graph().input("x", 0)
    assert jvp([rm.floor(x)], {x: 1.0}) == [0.0]
    assert jvp([x < 1.0], {x: 1.0}) == [0.0]
    assert jvp([locate([0.0, 1.0, 2.0], x)], {x: 1.0}) == [0.0]
    assert jvp([Table([1.0, 2.0])[x]], {x: 1.0}) == [0.0]


def test_frozen_keeps_the_value_and_stops_differentiation():
    x = Graph().input("x", 0)
    f = rm.frozen(x * x) * x
    assert number(f, 3.0) == 27.0
    assert number(jvp([f], {x: 1.0})[0], 3.0) == 9.0
    assert number(gradient(f, [x])[0], 3.0) == 9.0
    assert rm.frozen(2.0) == 2.0
    assert rm.frozen(rm.frozen(x)) is rm.frozen(x)


@given(st.floats(-2.0, 9.0))
def test_a_table_rounds_its_index_down_and_stays_inside(i):
    values = [3.0, -1.0, 4.0, 1.5, 9.0]
    expected = values[int(np.clip(np.floor(i), 0, 4))]
    table = Table(values)
    assert len(table) == 5
    assert table[i] == expected
    assert number(table[Graph().input("i", 0)], i) == expected
    assert table[np.array([i, 0.0])].tolist() == [expected, 3.0]


@given(
    st.lists(st.integers(-5, 5).map(lambda n: n / 2), min_size=2, max_size=12),
    st.one_of(st.floats(-4.0, 4.0), st.sampled_from([-2.5, 0.0, 1.0])),
)
def test_locate_finds_the_piece(knots, x):
    knots = sorted(knots)
    expected = int(np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2))
    assert locate(knots, x) == expected
    assert number(locate(knots, Graph().input("x", 0)), x) == expected
    assert locate(knots, np.array([x, x])).tolist() == [expected, expected]


def test_the_search_is_short():
    graph = Graph()
    locate(np.arange(1000.0), graph.input("x", 0))
    assert sum(e.op == "lookup" for e in graph.nodes) <= 10


def test_a_spline_through_table_and_locate_has_the_slope_of_its_piece():
    knots, values = [0.0, 1.0, 3.0, 4.0], [0.0, 2.0, 1.0, 5.0]
    x = Graph().input("x", 0)
    i = locate(knots, x)
    K, F = Table(knots), Table(values)
    f = F[i] + (F[i + 1.0] - F[i]) / (K[i + 1.0] - K[i]) * (x - K[i])
    for at in (-0.5, 0.2, 1.0, 2.9, 3.5, 4.5):
        if 0 <= at <= 4:
            assert number(f, at) == pytest.approx(np.interp(at, knots, values), rel=1e-15)
        piece = int(locate(knots, at))
        slope = (values[piece + 1] - values[piece]) / (knots[piece + 1] - knots[piece])
        assert number(jvp([f], {x: 1.0})[0], at) == pytest.approx(slope, rel=1e-15)


def test_tables_and_knots_are_checked():
    with pytest.raises(TraceError, match="at least one entry"):
        Table([])
    with pytest.raises(TraceError, match="ascending"):
        locate([0.0, 2.0, 1.0], 0.5)


def test_arrays_from_entries_of_any_kind():
    graph = Graph()
    v = np.array([*graph.inputs("v", 2), 0.0], object)
    built = rm.array([[v[..., 0], 1.0], [v[..., 2], -v[..., 1]]])
    assert built.dtype == object
    assert built[0, 0] is v[0]
    assert type(built[1, 0]) is float
    assert rm.array([[1, 2.0], [3.0, np.ones(4)]]).shape == (4, 2, 2)
    assert rm.array([1, 2]).dtype == float
