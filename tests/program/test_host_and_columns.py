"""Calls of Python within programs, and the relation of bodies and ancestors: the same in both backends, and as explicit loops say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.forest import forests
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.hosted import Hosted
from redmax.program.columns import column_table
from redmax.program.fields import Fields
from redmax.program.group import Signature
from redmax.program.plan import Plan, Planner
from redmax.program.program import Branch, Columns, Host, Program, Repeat, Save
from redmax.program.relation import Tree
from redmax.program.sweep import backward, forward, once, recursion

# Calls of Python


@forward
def descend(j: Any, p: Any) -> None:
    j.depth = p.depth + 1.0
    j.load = j.q[0] * j.depth


@backward
def gather(j: Any, p: Any, w: Any) -> None:
    j.below = j.sums + j.load2[0] * w.t
    p.sums += j.below


@once
def tick(w: Any) -> None:
    w.k = w.k + 1.0
    w.odd = 1.0 - w.odd
    w.done = w.k >= w.limit


DESCEND, GATHER = recursion(descend, name="host descend"), recursion(gather, name="host gather")
TICK = recursion(tick, name="host tick", core=False)
FIELDS = Fields(
    down={"depth": 1}, up={"sums": 1}, state={"q": "q", "load": 1, "load2": 1, "below": 1},
    world={"t": 1, "k": 1, "limit": 1, "done": 1, "odd": 1},
)  # fmt: skip


def signatures(tree: Tree, nv: list[int]) -> list[Signature]:
    made: dict[Any, Signature] = {}
    result = []
    for p, leaf, first, n in zip(tree.parent, tree.leaf, tree.first, nv):
        key = (p < 0, leaf, first, n)
        made.setdefault(key, Signature("columned", n, n, *key[:3], lambda graph: ({}, {})))
        result.append(made[key])
    return result


def plan(stages: tuple, tree: Tree, inputs: tuple[str, ...], outputs: tuple[str, ...], fields: Fields = FIELDS, nv: Any = None) -> Plan:
    nv = [1] * len(tree) if nv is None else nv
    return Planner(Program("hosted", stages, fields, inputs, outputs), tree, signatures(tree, nv), [np.zeros(0)] * len(tree)).plan()


def square(view: Any) -> None:
    """What a host call may do: read fields of joints and world, write fields of both."""
    view["load2"] = view["load"] ** 2 + view["t"][0]
    view["t"] = view["t"] + 0.5


def run(runner: Any, inputs: list[np.ndarray], widths: list[int], worlds: int, samples: int = 1, **options: Any) -> list[np.ndarray]:
    outputs = [np.full((samples, worlds, n), np.nan) for n in widths]
    runner.run(inputs, outputs, worlds, **options)
    return outputs


def depths(parents: tuple[int, ...]) -> np.ndarray:
    found: list[int] = []
    for p in parents:
        found.append(1 if p < 0 else found[p] + 1)
    return np.array(found, float)


@settings(max_examples=25)
@given(parents=forests(largest=20), worlds=st.integers(1, 4))
def test_a_call_in_the_middle_sees_what_was_computed_and_is_seen_by_what_follows(parents, worlds):
    n, rng = len(parents), np.random.default_rng(len(parents))
    q, t = rng.integers(-5, 6, (worlds, n)).astype(float), rng.integers(0, 4, (worlds, 1)).astype(float)
    made = plan((DESCEND, Host("square", square), GATHER), Tree(parents), ("q", "t"), ("load", "load2", "below", "t"))
    assert made.program.hosted
    load = q * depths(parents)
    load2 = load**2 + t
    below = load2 * (t + 0.5)
    for j in reversed(range(n)):
        if parents[j] >= 0:
            below[:, parents[j]] += below[:, j]
    for runner in (Interpreter(made), Hosted(made)):
        for _ in range(2):  # nothing stays from the run before
            found = run(runner, [q, t], [n, n, n, 1], worlds)
            for a, b in zip(found, (load, load2, below, t + 0.5)):
                np.testing.assert_array_equal(a[0], b)


def test_each_world_is_called_once_and_alone():
    seen: list[float] = []
    made = plan((Host("look", lambda view: seen.append(float(view["q"][1]))),), Tree((-1, 0)), ("q",), ("q",))
    q = np.arange(6.0).reshape(3, 2)
    for runner in (Interpreter(made), Hosted(made)):
        seen.clear()
        found = run(runner, [q], [2], 3)
        assert seen == [1.0, 3.0, 5.0]
        np.testing.assert_array_equal(found[0][0], q)


@pytest.mark.parametrize("count", [0, 1, 5])
@pytest.mark.parametrize("stride", [1, 2])
def test_calls_within_loops_and_branches(count, stride):
    """A counted loop with a call, a branch with a call, strided saves."""
    calls: list[str] = []

    def outer(view: Any) -> None:
        calls.append("outer")
        view["t"] = view["t"] + view["k"]

    def inner(view: Any) -> None:
        calls.append("inner")
        view["q"] = 2.0 * view["q"]

    body = (TICK, Host("outer", outer), Branch("odd", (Host("inner", inner),)), Save(strided=True))
    made = plan((Repeat(body),), Tree((-1, 0)), ("q", "t", "k", "limit"), ("q", "t", "k"))
    inputs = [np.array([[1.0, 3.0]]), np.zeros(1), np.zeros(1), np.full(1, 99.0)]
    k = np.arange(stride, count + 1, stride, dtype=float)
    expected_t, doubled = k * (k + 1) / 2, 2.0 ** ((k + 1) // 2)
    for runner in (Interpreter(made), Hosted(made)):
        calls.clear()
        q, t, found_k = run(runner, inputs, [2, 1, 1], 1, 6, count=count, stride=stride)
        assert calls.count("outer") == count
        assert calls.count("inner") == (count + 1) // 2
        n = len(k)
        np.testing.assert_array_equal(found_k[:n, 0, 0], k)
        np.testing.assert_array_equal(t[:n, 0, 0], expected_t)
        np.testing.assert_array_equal(q[:n, 0], doubled[:, None] * [1.0, 3.0])
        assert np.isnan(q[n:]).all()


def test_a_loop_until_a_flag_that_python_may_set():
    def stop(view: Any) -> None:
        if view["k"][0] >= 3:
            view["done"] = 1.0

    made = plan((Repeat((TICK, Host("stop", stop)), until="done"), Save()), Tree((-1,)), ("k", "limit"), ("k",))
    for limit, expected in ((2.0, 2.0), (50.0, 3.0)):
        for runner in (Interpreter(made), Hosted(made)):
            assert run(runner, [np.zeros(1), np.full(1, limit)], [1], 1)[0][0, 0, 0] == expected


def test_an_error_in_python_comes_out_as_it_is():
    def fail(view: Any) -> None:
        raise KeyError("mine")

    made = plan((Host("fail", fail),), Tree((-1,)), ("q",), ("q",))
    for runner in (Interpreter(made), Hosted(made)):
        with pytest.raises(KeyError, match="mine"):
            run(runner, [np.zeros((1, 1))], [1], 1)


def test_what_is_not_finite_is_told():
    def spoil(view: Any) -> None:
        view["q"] = view["q"] / 0.0

    made = plan((Host("spoil", spoil),), Tree((-1,)), ("q",), ("q",))
    out = [np.empty((1, 1, 1))]
    with np.errstate(all="ignore"):
        for runner in (Interpreter(made), Hosted(made)):
            assert runner.run([np.ones((1, 1))], out, 1) == 1
            assert runner.run([np.full((1, 1), np.nan)], out, 1) == 1


# Columns


def step(frame: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Not symmetric in anything, so that a wrong order shows; exact in integers."""
    return a * frame[0] + frame[1], b * frame[1] - a


COLUMN_FIELDS = Fields(state={"start": "6v", "rates": "6v", "frame": 2, "padding": 1})
COLUMNS = Columns("J", ("start", "rates"), "frame", step)
BY_ROWS = Columns("K", ("rates", "start"), "frame", step, rows=True)


@forward
def copy_padding(j: Any) -> None:
    j.padding = j.frame[0]


COPY = recursion(copy_padding, name="columns copy")


def loops(parents: tuple[int, ...], nv: list[int], start: np.ndarray, rates: np.ndarray, frame: np.ndarray) -> dict:
    """(body, coordinate) -> 12 numbers, of one world."""
    offsets = np.concatenate([[0], np.cumsum(nv)])
    found: dict[tuple[int, int], tuple] = {}
    for i, p in enumerate(parents):
        for c in range(offsets[i], offsets[i + 1]):
            found[i, c] = start[6 * c : 6 * c + 6], rates[6 * c : 6 * c + 6]
        for (body, c), (a, b) in list(found.items()):
            if body == p:
                s, r = frame[2 * i], frame[2 * i + 1]
                found[i, c] = a * s + r, b * r - a
    return found


@st.composite
def jointed(draw: st.DrawFn, largest: int) -> tuple[tuple[int, ...], list[int]]:
    parents = draw(forests(largest=largest))
    return parents, draw(st.lists(st.integers(0, 3), min_size=len(parents), max_size=len(parents)))


@settings(max_examples=40)
@given(case=jointed(14), worlds=st.integers(1, 9))
def test_columns_equal_explicit_loops(case, worlds):
    parents, nv = case
    tree, total, rng = Tree(parents), sum(nv), np.random.default_rng(len(parents))
    made = plan((COPY, COLUMNS, BY_ROWS), tree, ("start", "rates", "frame"), ("J", "K", "padding"), COLUMN_FIELDS, nv)
    table = column_table(tree, nv)
    start, rates = rng.integers(-3, 4, (2, worlds, 6 * total)).astype(float)
    frame = rng.integers(-1, 2, (worlds, 2 * len(parents))).astype(float)
    expected = np.zeros((2, worlds, len(table), 12))
    for w in range(worlds):
        for k, (a, b) in enumerate(((start[w], rates[w]), (rates[w], start[w]))):
            by_place = loops(parents, nv, a, b, frame[w])
            assert sorted(by_place) == sorted(map(tuple, table.tolist()))
            for n, (body, column) in enumerate(table.tolist()):
                expected[k, w, n] = np.concatenate(by_place[body, column])
    for runner in (Interpreter(made), Executable(made)):
        J, K, padding = run(runner, [start, rates, frame], [12 * len(table), 12 * len(table), len(parents)], worlds)
        np.testing.assert_array_equal(J[0].reshape(worlds, -1, 12), expected[0])
        np.testing.assert_array_equal(K[0].reshape(worlds, -1, 12), expected[1])
        np.testing.assert_array_equal(padding[0], frame[:, ::2])


@settings(max_examples=60)
@given(case=jointed(30))
def test_the_table_lists_ancestors_from_the_root_down(case):
    parents, nv = case
    tree, offsets = Tree(parents), np.concatenate([[0], np.cumsum(nv)])
    table = column_table(tree, nv).tolist()
    assert [row[0] for row in table] == sorted(row[0] for row in table)
    for i in range(len(parents)):
        line = set(tree.ancestors(i))
        wanted = sorted(c for a in line for c in range(offsets[a], offsets[a + 1]))
        assert [c for body, c in table if body == i] == wanted


def test_columns_are_seen_by_a_call_that_follows():
    """The dense matrix is made in Python between two compiled stages."""
    seen: list[np.ndarray] = []
    tree, nv = Tree((-1, 0, 0)), [1, 2, 0]
    stages = (COLUMNS, Host("look", lambda view: seen.append(view["J"])), COPY)
    made = plan(stages, tree, ("start", "rates", "frame"), ("padding",), COLUMN_FIELDS, nv)
    start, rates, frame = np.arange(18.0), -np.arange(18.0), np.array([1.0, 2.0, 3.0, -1.0, 2.0, 5.0])
    expected = loops(tree.parent, nv, start, rates, frame)
    for runner in (Interpreter(made), Hosted(made)):
        run(runner, [start, rates, frame], [3], 1)
    flat = np.concatenate([np.concatenate(expected[b, c]) for b, c in column_table(tree, nv).tolist()])
    for J in seen:
        np.testing.assert_array_equal(J, flat)
    assert len(seen) == 2


def test_a_forest_without_coordinates_has_no_columns():
    made = plan((COPY, COLUMNS), Tree((-1, 0)), ("frame",), ("J", "padding"), COLUMN_FIELDS, [0, 0])
    for runner in (Interpreter(made), Executable(made)):
        J, padding = run(runner, [np.array([[1.0, 2.0, 3.0, 4.0]])], [0, 2], 1)
        assert J.shape == (1, 1, 0)
        np.testing.assert_array_equal(padding[0], [[1.0, 3.0]])
