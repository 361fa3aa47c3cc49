"""A recorded function is the function: to the last bit where it is traced again, and for numbers up to how it divides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_examples import examples
from redmax import math as rm
from redmax.errors import SceneError
from redmax.forces.base import Site
from redmax.io import trace_text
from redmax.io.recorded import Recorded
from redmax.io.traces import SITE, Trace, record
from redmax.io.valid_trace import mistakes
from redmax.trace import Graph, Table, evaluate_numeric, listing

SMOOTH = [
    rm.sin,
    rm.cos,
    rm.tanh,
    rm.exp,
    rm.atan,
    lambda x: rm.sqrt(1 + x * x),
    lambda x: rm.stumpff(1, x * x),
    lambda x: rm.stumpff(4, x * x),
]
KNOTS = Table([-1.0, 0.25, 0.5, 2.0])
VALUES = Table([[1.0, 2.0], [3.0, -1.0], [0.1, 0.2]])


def through_text(trace: Trace) -> Recorded:
    problems: list[tuple[int, str]] = []
    operations = trace_text.parsed(trace_text.written(trace.operations), lambda *p: problems.append(p))
    assert problems == []
    return Recorded(Trace(trace.name, trace.arguments, trace.parameters, operations, trace.returns))


@st.composite
def programs(draw):
    """A random function of q (3,) and t, as a list of steps over what was computed before."""
    steps = draw(
        st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1000), st.integers(0, 1000), st.floats(-2, 2)), min_size=1, max_size=25)
    )

    def function(q, t):
        values = [*q, t, 0.5]
        for kind, i, j, c in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            if kind == 0:
                values.append(a + b * c)
            elif kind == 1:
                values.append(rm.tanh(a) * rm.sin(b))
            elif kind == 2:
                values.append(rm.where(a < b, a - c, rm.cos(b)))
            elif kind == 3:
                values.append(SMOOTH[j % len(SMOOTH)](rm.sin(a)))
            elif kind == 4:
                values.append(rm.atan2(a, 2.0 + rm.cos(b)))
            elif kind == 5:
                values.append(VALUES[rm.locate(KNOTS, a)][j % 2] * b)
            elif kind == 6:
                values.append(rm.frozen(a) - rm.floor(b))
            elif kind == 7:
                values.append(rm.power(2.0 + rm.sin(a), c))
            else:
                values.append(rm.where((a > 0.0) & ~(b <= c), rm.absolute(a), rm.tanh(b)))
        return values[-3:]

    return function


@examples(25, 60)
@given(programs(), st.lists(st.floats(-3, 3), min_size=4, max_size=4))
def test_a_trace_through_text_is_traced_again_to_the_same_operations(function, numbers):
    again = through_text(record(function, "random", {"q": (3,), "t": ()}, {}))
    graphs = Graph(), Graph()
    texts, values = [], []
    for f, graph in zip((function, again), graphs):
        out = list(f(np.array(graph.inputs("q", 3), object), graph.input("t", 0)))
        texts.append(sorted(listing({f"r{i}": x for i, x in enumerate(out)}).splitlines()))
        with np.errstate(all="ignore"):
            found = evaluate_numeric(out, lambda base, i: numbers[3] if base == "t" else numbers[i])
        values.append(np.array(found, float))
    assert values[0].tobytes() == values[1].tobytes()
    assert len(texts[0]) == len(texts[1])
    assert np.allclose(
        np.array(again(np.array(numbers[:3]), numbers[3]), float),
        np.array(function(np.array(numbers[:3]), numbers[3]), float),
        rtol=1e-12,
        atol=1e-12,
        equal_nan=True,
    )


def test_parameters_are_arguments_by_name_and_tables_are_read_at_any_index():
    def f(q, *, table, k):
        return k[1] * table[q[0]] + table[2.0] * k[0]

    table, k = Table([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]), np.array([2.0, 10.0])
    again = through_text(record(f, "f", {"q": (1,)}, {"table": table, "k": k}))
    other = Table([[0.5, 0.25], [4.0, 6.0], [8.0, 1.0]])
    for t in (table, other):
        for x in (-1.0, 0.3, 1.0, 2.9, 9.0):
            assert again([x], table=t, k=k).tolist() == f([x], table=t, k=k).tolist()
    x = Graph().input("x", 0)
    found = evaluate_numeric(list(again([x], table=other, k=k)), lambda *_: 1.5)
    assert [float(v) for v in found] == f([1.5], table=other, k=k).tolist()


def test_sites_are_arguments_and_what_a_force_returns_keeps_its_form():
    def law(a, b, t):
        return [(None, b.x - a.x), (a.R @ b.omega, t * b.v)]

    sites = [Site(s * np.arange(3.0), s + np.arange(3.0), np.arange(9.0).reshape(3, 3) * s, np.ones(3)) for s in (1.0, 3.0)]
    again = through_text(record(law, "law", {"site1": SITE, "site2": SITE, "t": ()}, {}))
    (none, first), (torque, force) = again(*sites, 2.0)
    assert none is None
    assert first.tolist() == (sites[1].x - sites[0].x).tolist()
    assert torque.tolist() == (sites[0].R @ sites[1].omega).tolist()
    assert force.tolist() == (2.0 * sites[1].v).tolist()


def test_constants_are_recognised():
    trace = record(lambda t: [1.0, 0.1 + 0.2, -0.0], "c", {"t": ()}, {})
    assert trace.is_constant()
    assert trace.constants() == [1.0, 0.1 + 0.2, -0.0]
    assert not record(lambda t: [t, 1.0], "v", {"t": ()}, {}).is_constant()


def test_what_cannot_be_traced_says_so():
    with pytest.raises(Exception, match="where"):
        record(lambda t: 1.0 if t > 0 else 0.0, "branch", {"t": ()}, {})
    kept = Graph().input("x", 0)
    with pytest.raises(SceneError, match="another call"):
        record(lambda t: kept, "stray", {"t": ()}, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sin 0",
        "input q 3",
        "input t 1",
        "input z 0",
        "input q -1",
        "import os",
        "const",
        "const x",
        "mul 0 0 0",
        "add 0",
        "stumpff 99 0",
        "stumpff 1 5",
        "lookup 1.0,x 0",
        "lookup 1.0 7",
        "gather q 0 1 3 0",
        "__import__ 0",
    ],
)
def test_every_line_that_is_no_operation_is_named(text):
    assert 0 in wrong_lines(f"{text}\n{text}", {"q": (3,), "t": ()}, {})


def wrong_lines(text: str, arguments, parameters) -> set[int]:
    """The numbers of the lines that are no operations."""
    problems: list[tuple[int, str]] = []
    operations = trace_text.parsed(text, lambda *p: problems.append(p))
    found = mistakes(Trace("f", arguments, parameters, operations, []))
    return {number for number, _ in problems} | {number for part, number, _ in found if part == "operations"}


def test_a_gather_stays_within_its_table():
    shapes = record(lambda t, table: table[t], "g", {"t": ()}, {"table": Table([1.0, 2.0])}).parameters
    text = "input t 0\ngather table 0 1 3 0\ngather table -1 1 1 0\ngather table 0 0 1 0\ngather table 1 1 1 0\ngather t 0 1 1 0"
    assert wrong_lines(text, {"t": ()}, shapes) == {1, 2, 3, 5}


@examples(40, 100)
@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, 5.0, -2.5, float("nan")]), min_size=2, max_size=2), st.integers(0, 63))
def test_numbers_that_stand_for_truths_are_the_same_called_and_traced(numbers, which):
    """In a file, `and` and `not` may be of anything: a number is true unless it is zero."""
    first, second = (
        ("input q 0", "const 5.0", "const 0.0", "const 1.0")[which % 4],
        ("input q 1", "const -2.5", "const 0.0", "input q 0")[which // 16],
    )
    text = f"{first}\n{second}\nand 0 1\nnot 2\nnot 0\nnot 4\nand 0 0\nselect 6 0 1"
    f = Recorded(Trace("f", {"q": (2,)}, {}, trace_text.parsed(text, print), [2, 3, 4, 5, 6]))
    called = [float(x) for x in f(np.array(numbers))]
    traced = list(f(np.array(Graph().inputs("q", 2), object)))
    assert called == [float(x) for x in evaluate_numeric(traced, lambda _, i: numbers[i])]
    assert set(called) <= {0.0, 1.0}


def test_an_operation_without_a_value_is_named():
    f = Recorded(Trace("f", {"q": (1,)}, {}, trace_text.parsed("input q 0\nconst -1.0\nlog 1\nmul 0 2", print), [3]))
    with pytest.raises(SceneError, match="'f' has no value, in its operation 2: log of -1"):
        f(np.array([Graph().input("q", 0)], object))
