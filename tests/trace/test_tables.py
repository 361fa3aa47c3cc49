"""Tables whose entries are inputs: where they lie is part of the trace, what they hold is not, and their size costs nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redmax.errors import TraceError
from redmax.program.kernel import Kernel, Store
from redmax.trace import Graph, Span, Table, TableInput, evaluate_numeric, jvp, listing, locate, reachable, substitute

ROWS = np.arange(24.0).reshape(4, 3, 2) ** 2


def number(e, values) -> np.ndarray:
    return np.array(evaluate_numeric(list(np.ravel(e)), lambda base, i: values[base][i]), float).reshape(np.shape(e))


@given(st.floats(-3.0, 9.0))
def test_a_row_of_a_table_is_an_array(i):
    expected = ROWS[int(np.clip(np.floor(i), 0, 3))]
    table = Table(ROWS)
    assert len(table) == 4
    assert (table[i] == expected).all()
    assert (table[np.array([[i, 0.0]])] == [[expected, ROWS[0]]]).all()
    x = Graph().input("i", 0)
    assert (number(table[x], {"i": [i]}) == expected).all()
    assert (number(table[np.array([x, 2.0], object)], {"i": [i]}) == [expected, ROWS[2]]).all()


@given(st.lists(st.floats(-3.0, 9.0), min_size=1, max_size=5))
def test_entries_that_are_inputs_are_read_where_they_lie(index):
    """With 7 other numbers before them; at one index, and at those of several worlds at once."""
    graph = Graph()
    table, x = TableInput(graph, "K", 7, ROWS.shape), graph.input("i", 0)
    values = {"K": np.concatenate([np.full(7, np.nan), ROWS.ravel()])}
    expected = ROWS[np.clip(np.floor(index), 0, 3).astype(int)]
    assert (number(table[x], values | {"i": [index[0]]}) == expected[0]).all()
    batch = evaluate_numeric(list(table[x].ravel()), lambda base, i: np.array(index) if base == "i" else values[base][i])
    assert (np.array(batch).T.reshape(expected.shape) == expected).all()
    assert (number(table[index[0]], values) == expected[0]).all()
    assert [(e.op, e.args) for e in table[5.0].ravel()] == [("input", ("K", 7 + 18 + c)) for c in range(6)]


@given(st.floats(-3.0, 9.0))
def test_neighbours_stay_inside_together(i):
    """Rows 0, 1 and 3 behind an index, of which a table of 6 rows has 3."""
    rows, first, graph = np.arange(12.0).reshape(6, 2), int(np.clip(np.floor(i), 0, 2)), Graph()
    expected = rows[[first, first + 1, first + 3]]
    assert (Table(rows).near(i, (0, 1, 3)) == expected).all()
    assert (Table(rows).near(np.array([i, i]), (0, 1, 3)) == [expected, expected]).all()
    x, values = graph.input("i", 0), {"i": [i], "K": rows.ravel()}
    for table in (Table(rows), TableInput(graph, "K", 0, (6, 2))):
        assert (number(table.near(x, (0, 1, 3)), values) == expected).all()
    assert [e.args for e in TableInput(graph, "K", 0, (6,)).near(9.0, (0, 3))] == [("K", 2), ("K", 5)]


def test_neighbours_cost_one_index():
    graph = Graph()
    x = graph.input("i", 0)
    found = TableInput(graph, "K", 4, (6, 2)).near(x, (0, 1, 3))
    assert [repr(e) for e in found[:, 1]] == ["gather(K[5:11:2], i[0])", "gather(K[7:13:2], i[0])", "gather(K[11:17:2], i[0])"]
    for offsets in ((6,), (0, 7), (-1, 0)):
        with pytest.raises(TraceError, match="no row with neighbours"):
            Table(np.zeros((6, 2))).near(0.0, offsets)


def test_iteration_ends():
    assert [row.tolist() for row in Table(ROWS)] == ROWS.tolist()
    assert [e.args for e in TableInput(Graph(), "K", 2, (3,))] == [("K", 2), ("K", 3), ("K", 4)]


@pytest.mark.parametrize(("index", "row"), [(np.nan, 0), (np.inf, 3), (-np.inf, 0), (1e300, 3)])
def test_an_index_that_is_no_number_stays_inside(index, row):
    graph = Graph()
    x = graph.input("i", 0)
    values = {"K": ROWS.ravel(), "i": [index]}
    for table in (Table(ROWS), TableInput(graph, "K", 0, ROWS.shape)):
        assert (number(table[x], values) == ROWS[row]).all()
        assert (number(table[index], values) == ROWS[row]).all()


def test_a_trace_names_the_places_of_a_table_and_not_its_entries():
    graph = Graph()
    x = graph.input("q", 0)
    assert listing({"f": TableInput(graph, "K", 5, (4, 3))[x][1]}) == "t0 = gather(K[6:18:3], q[0])\nf = t0"
    assert TableInput(graph, "K", 5, (4, 3))[x][1] is TableInput(graph, "K", 5, (4, 3))[x][1]


def test_a_kernel_reads_every_entry_it_may_choose():
    graph = Graph()
    x = graph.input("record", 3)
    kernel = Kernel("k", (Store("parent", 0, TableInput(graph, "constants", 5, (4, 2))[x][1] + graph.input("constants", 1)),))
    assert kernel.reads() == {("record", 3), ("constants", 1), ("constants", 6), ("constants", 8), ("constants", 10), ("constants", 12)}
    assert kernel.spans == {Span("constants", 6, 2, 4)}


def test_substitution_moves_a_table_as_a_whole():
    graph, other = Graph(), Graph()
    f = TableInput(graph, "K", 5, (4, 2))[graph.input("q", 0) + 1.0][1]
    (moved,) = substitute([f], lambda base, i: other.input(base, 10 * (base == "K") + i))
    assert repr(moved) == "gather(K[16:24:2], (q[0] + 1.0))"
    (chosen,) = substitute([f], lambda base, i: other.input(base, i) if base == "K" else 1.5)
    assert chosen is other.input("K", 10)
    with pytest.raises(TraceError, match="entries K"):
        substitute([f], lambda base, i: other.input(base, i) * 2.0)


def test_entries_have_no_slope():
    graph = Graph()
    x = graph.input("q", 0)
    table = TableInput(graph, "K", 0, (5,))
    assert jvp([table[x], locate(table, x)], {x: 1.0}) == [0.0, 0.0]
    (slope,) = jvp([table[x] * x], {x: 1.0})
    assert slope is table[x]


@given(
    st.lists(st.integers(-5, 5).map(lambda n: n / 2), min_size=2, max_size=12),
    st.one_of(st.floats(-4.0, 4.0), st.sampled_from([-2.5, 0.0, 1.0])),
)
def test_locate_finds_the_piece_among_knots_that_are_inputs(knots, x):
    knots, graph = sorted(knots), Graph()
    table = TableInput(graph, "K", 3, (len(knots),))
    values = {"K": [np.nan] * 3 + knots, "x": [x]}
    assert number(locate(table, graph.input("x", 0)), values) == locate(knots, x)
    assert number(locate(table, x), values) == locate(Table(knots), x)


def test_the_cost_of_a_read_does_not_depend_on_the_rows_and_of_a_search_on_their_logarithm():
    def costs(rows):
        graph = Graph()
        x = graph.input("x", 0)
        found = [list(TableInput(graph, "K", 0, (rows, 6))[x * 2.0]), [locate(TableInput(graph, "K", 0, (rows,)), x)]]
        return [sum(e.op not in ("input", "const") for e in reachable(f)) for f in found]

    read, search = zip(*[costs(rows) for rows in (4, 8, 64, 4096)], strict=True)
    assert set(read) == {7}
    assert search[3] - search[2] == 6 * (search[1] - search[0])


def test_a_table_has_an_axis_of_rows():
    for bad in (3.0, np.zeros((0, 3)), np.zeros((3, 0))):
        with pytest.raises(TraceError, match="at least one entry"):
            Table(bad)
