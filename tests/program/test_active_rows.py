"""Rows that come and go: a routine finds them, a traced function runs for those that are there, another routine gathers what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.errors import TraceError
from redmax.math import sin
from redmax.program.active_rows import ActiveRows
from redmax.program.fields import Fields
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.routines.call import Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole

SIZE, CAPACITY = 9, 5


@routine
def find(v: Vector, n: Whole, rows: Matrix, capacity: Whole, count: Vector) -> None:
    """A row for each entry above zero, as long as there is room."""
    found = 0
    for i in range(n):
        if v[i] > 0.0 and found < capacity:
            rows[found, 0] = v[i]
            rows[found, 1] = float(i)
            found += 1
    count[0] = float(found)


@routine
def gather(rows: Matrix, capacity: Whole, count: Vector, result: Vector, n: Whole) -> None:
    """result[where] = response, of the rows that are there."""
    result[0:n] = 0.0
    for r in range(min(whole(count[0]), capacity)):
        result[whole(rows[r, 1])] += rows[r, 2]


def respond(row, w) -> None:
    row.response = w.t * sin(row.value[0]) + row.where[0]


ROWS = ActiveRows("rows", CAPACITY, "count", {"value": 1, "where": 1, "response": 1}, respond)
V, RESULT = Data("v", SIZE), Data("result", SIZE)


def plan_of(rows: ActiveRows = ROWS) -> Plan:
    stages = (
        Call(find, lambda at: [(V, SIZE, rows.data, CAPACITY, at.world("count"))], (V, rows.data)),
        rows,
        Call(gather, lambda at: [(rows.data, CAPACITY, at.world("count"), RESULT, SIZE)], (RESULT,)),
    )
    fields = Fields(world={"t": 1, "count": 1})
    return Planner(Program("rows", stages, fields, ("v", "t"), ("result", "count")), Tree(()), [], []).plan()


def expected(v: np.ndarray, t: float) -> tuple[np.ndarray, int]:
    result, chosen = np.zeros(SIZE), np.flatnonzero(v > 0)[:CAPACITY]
    result[chosen] = t * np.sin(v[chosen]) + chosen
    return result, len(chosen)


@pytest.mark.parametrize("backend", [Executable, Interpreter])
@pytest.mark.parametrize("worlds", [1, 3, 19])
@given(seed=st.integers(0, 2**16))
@settings(max_examples=8)
def test_each_world_has_as_many_rows_as_it_finds(backend, worlds, seed):
    """None, some, all that there is room for: the neighbours' rows change nothing."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(worlds, SIZE)) + rng.choice([-3.0, 0.0, 3.0], (worlds, 1))
    out = [np.full((1, worlds, SIZE), np.nan), np.full((1, worlds, 1), np.nan)]
    backend(plan_of()).run([v, np.full(1, 0.7)], out, worlds)
    for world in range(worlds):
        result, count = expected(v[world], 0.7)
        assert out[1][0, world, 0] == count
        assert np.allclose(out[0][0, world], result, rtol=1e-14, atol=0)


@pytest.mark.parametrize("backend", [Executable, Interpreter])
@pytest.mark.parametrize("count", [np.nan, np.inf, -np.inf, 1e30, -2.0, 7.0])
def test_no_number_of_rows_leaves_the_memory(backend, count):
    """A count that is none, or larger than there is room for, runs no more rows than there are."""
    stages = (ROWS, Call(gather, lambda at: [(ROWS.data, CAPACITY, at.world("count"), RESULT, SIZE)], (RESULT,)))
    program = Program("rows", stages, Fields(world={"t": 1, "count": 1}), ("t", "count"), ("result",))
    out = [np.empty((1, 9, SIZE))]
    counts = np.zeros((9, 1))
    counts[4] = count
    backend(Planner(program, Tree(()), [], []).plan()).run([np.ones(1), counts], out, 9)
    assert (np.delete(out[0][0], 4, axis=0) == 0).all()


def test_a_row_stores_into_itself_only():
    def push(row, w) -> None:
        w.t = row.value[0]

    with pytest.raises(TraceError, match="own fields only"):
        Executable(plan_of(ActiveRows("rows", CAPACITY, "count", ROWS.fields, push))).run(
            [np.ones((1, SIZE)), np.ones(1)], [np.empty((1, 1, SIZE)), np.empty((1, 1, 1))], 1
        )

    def unknown(row, w) -> None:
        row.force = row.value

    with pytest.raises(TraceError, match="has value, where, response"):
        plan_of(ActiveRows("rows", CAPACITY, "count", ROWS.fields, unknown)).groups[1].kernels  # noqa: B018
