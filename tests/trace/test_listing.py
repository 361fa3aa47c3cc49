"""Printing: one expression as it would be written, several outputs as a numbered list of steps."""

from __future__ import annotations

import redmax.math as rm
from redmax.trace import Graph, expression, listing


def test_an_expression_reads_as_written():
    x, y = Graph().inputs("q", 2)
    assert repr(x) == "q[0]"
    assert repr(2.0 * x - y) == "((2.0 * q[0]) - q[1])"
    assert repr(rm.sin(x)) == "sin(q[0])"
    assert repr(-x) == "-q[0]"
    assert repr(rm.where(x < y, x, 1.0)) == "select((q[0] < q[1]), q[0], 1.0)"
    assert repr(rm.stumpff(2, x)) == "stumpff(2, q[0])"


def test_a_deep_expression_is_cut():
    x = Graph().input("q", 0)
    e = x
    for _ in range(6):
        e = rm.sin(e)
    assert expression(e, depth=2) == f"sin(sin(t{e.args[0].args[0].id}))"


def test_a_listing_numbers_the_steps_and_ends_with_the_outputs():
    x, y = Graph().inputs("q", 2)
    s = rm.sin(x)
    text = listing({"a": s * y, "b": s + 1.0, "c": x, "d": 0.0})
    assert text.splitlines() == [
        "t0 = sin(q[0])",
        "t1 = q[1] * t0",
        "t2 = t0 + 1.0",
        "a = t1",
        "b = t2",
        "c = q[0]",
        "d = 0.0",
    ]


def test_equal_functions_of_other_graphs_have_equal_listings():
    def f(graph):
        x, y = graph.inputs("q", 2)
        return {"f": rm.cos(x * y) + y}

    busy = Graph()
    rm.sin(busy.input("other", 5))
    assert listing(f(Graph())) == listing(f(busy))
