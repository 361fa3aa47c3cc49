"""Equal expressions of one graph are one object."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import redmax.math as rm
from redmax.errors import TraceError
from redmax.trace import Graph, Table, near_use, reachable


def test_equal_expressions_are_one_object():
    g = Graph()
    x, y = g.inputs("q", 2)
    assert g.input("q", 0) is x
    assert rm.sin(x) * y is rm.sin(x) * y
    assert x + y is y + x
    assert x * y is y * x
    assert x - y is -(y - x)
    assert 2.0 * x is x * 2
    assert rm.stumpff(2, x) is rm.stumpff(2, x)
    assert rm.stumpff(2, x) is not rm.stumpff(3, x)
    assert Table([1.0, 2.0])[x] is Table([1.0, 2.0])[x]
    assert Table([1.0, 2.0])[x] is not Table([1.0, 3.0])[x]


def test_nothing_is_added_by_writing_it_again():
    g = Graph()
    x, y = g.inputs("q", 2)
    first = rm.sqrt(x * x + y * y) * rm.cos(x + y)
    size = len(g.nodes)
    again = rm.sqrt(y * y + x * x) * rm.cos(y + x)
    assert again is first
    assert len(g.nodes) == size


def test_inputs_differ_by_name_and_index():
    g = Graph()
    assert len({id(g.input(base, i)) for base in "ab" for i in range(3)}) == 6


def test_graphs_are_apart_and_do_not_mix():
    x, y = Graph().input("q", 0), Graph().input("q", 0)
    assert x is not y
    with pytest.raises(TraceError, match="two traces are mixed"):
        x * y


def test_arguments_come_before_users():
    g = Graph()
    x, y = g.inputs("q", 2)
    z = rm.sin(x) * (y + 1.0)
    order = reachable([z])
    assert order[-1] is z
    assert all(a.id < e.id for e in order for a in e.args if hasattr(a, "id"))
    assert reachable([1.0]) == []


def test_values_are_computed_near_their_use():
    """The same nodes as in the order of the trace, arguments before users; and of many sums never more than one waits."""
    g = Graph()
    x = g.inputs("q", 20)
    doubled = [2.0 * a for a in x]
    sums = [rm.sin(a) + b for a, b in pairwise(doubled)]
    order = near_use([*sums, 1.0, sums[0]])
    assert sorted(e.id for e in order) == [e.id for e in reachable(sums)]
    place = {e.id: i for i, e in enumerate(order)}
    assert all(place[a.id] < place[e.id] for e in order for a in e.args if hasattr(a, "id"))
    assert [place[s.id] for s in sums] == sorted(place[s.id] for s in sums)
    assert place[sums[0].id] < place[x[2].id]
    assert near_use([1.0]) == []


def test_arrays_of_traced_scalars_meet_too():
    g = Graph()
    v = np.array(g.inputs("q", 3), object)
    assert (v @ v) is v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    assert np.sin(v)[1] is rm.sin(v[1])
    assert rm.norm(v) is rm.sqrt(v @ v)
