"""Routines reversed: those of the solvers against closed forms and tangents, and what only loops, places and branches of memory can do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from program import test_active_rows
from program.test_active_rows import CAPACITY, SIZE
from random_examples import examples
from redmax.backends.base import make_runner
from redmax.errors import RedmaxError
from redmax.math import where
from redmax.program.cotangent import cotangent
from redmax.program.fields import Fields
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.routines.call import Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, whole
from redmax.program.tangent import tangent
from redmax.solvers import articulated, block_sparse, pivoted, tree_elimination

BACKENDS = pytest.mark.parametrize("backend", ["interpret", "llvm"])
COMPILED_LONG = pytest.mark.parametrize("backend", ["interpret", pytest.param("llvm", marks=pytest.mark.long)])
rng = np.random.default_rng(3)


def plan_of(calls: Any, inputs: Any, outputs: Any) -> Plan:
    return Planner(Program("calls", tuple(calls), Fields(), inputs, outputs), Tree(()), [], []).plan()


def run(plan: Plan, inputs: Any, worlds: int, backend: str) -> dict[str, np.ndarray]:
    outputs = [np.full((1, worlds, len(slots)), np.nan) for slots in plan.outputs]
    arrays = [np.ascontiguousarray(a, float).reshape(worlds, -1) for a in inputs]
    assert make_runner(plan, backend, "float64").run(arrays, outputs, worlds) == 0
    return {name: o[0] for name, o in zip(plan.names[1], outputs, strict=True)}


def check_transpose(plan: Plan, inputs: Any, backend: str, tolerance: float = 1e-11, worlds: int = 5) -> dict[str, np.ndarray]:
    """<ybar, J dx> = <J' ybar, dx> in each world; the cotangents, with weights of 1."""
    (given, found), arrays = plan.names, [np.asarray(a, float).reshape(worlds, -1) for a in inputs]
    along = [rng.normal(size=a.shape) for a in arrays]
    forwards = run(tangent(plan), [*arrays, *along], worlds, backend)
    backwards = run(cotangent(plan), [*arrays, *[np.ones((worlds, len(slots))) for slots in plan.outputs]], worlds, backend)
    left = sum(forwards[f"tangent of {name}"].sum(axis=1) for name in found)
    right = sum((backwards[f"cotangent of {name}"] * a).sum(axis=1) for name, a in zip(given, along, strict=True))
    size = sum(np.abs(backwards[f"cotangent of {name}"] * a).sum(axis=1) for name, a in zip(given, along, strict=True))
    assert (np.abs(left - right) <= tolerance * size).all()
    assert all(np.allclose(backwards[name], forwards[name], rtol=1e-9) for name in found)
    return backwards


def definite(n: int, worlds: int = 5) -> np.ndarray:
    S = rng.normal(size=(worlds, n, n))
    return S @ S.transpose(0, 2, 1) + n * np.eye(n)


@BACKENDS
@pytest.mark.parametrize(("n", "symmetric"), [(1, False), (5, False), (12, True)])
def test_a_solution_by_its_matrix_and_right_side(n, symmetric, backend):
    """bbar = A^-T xbar and Abar = -bbar x', whichever rows were exchanged; of a symmetric A one triangle is read."""
    A, b = Data("A", n, n), Data("b", n)
    matrix, right = definite(n) if symmetric else rng.normal(size=(5, n, n)), rng.normal(size=(5, n))
    found = check_transpose(plan_of(pivoted.eliminate(A, b, n, symmetric), ("A", "b"), ("b",)), [matrix, right], backend, 1e-9)
    x = np.linalg.solve(matrix, right[..., None])[..., 0]
    b_bar = np.linalg.solve(matrix.transpose(0, 2, 1), np.ones((5, n, 1)))[..., 0]
    A_bar = -b_bar[:, :, None] * x[:, None]
    if symmetric:
        A_bar = np.triu(A_bar + np.tril(A_bar, -1).transpose(0, 2, 1))
    assert np.allclose(found["cotangent of b"], b_bar, rtol=1e-9)
    assert np.allclose(found["cotangent of A"].reshape(5, n, n), A_bar, rtol=1e-8, atol=1e-9 * np.abs(A_bar).max())


def test_a_matrix_of_forty_unknowns():
    """Too large to be written out: 11,000 multiplications, as loops."""
    n = 40
    A, b = Data("A", n, n), Data("b", n)
    for symmetric in (True, False):
        check_transpose(plan_of(pivoted.eliminate(A, b, n, symmetric), ("A", "b"), ("b",)), [definite(n), rng.normal(size=(5, n))], "llvm")


@BACKENDS
def test_a_tree_of_unknowns(backend):
    n, parent = 9, [-1, 0, 1, 1, 0, -1, 5, 6, 6]
    H, b = Data("H", n, n), Data("b", n)
    calls = (
        Call(tree_elimination.factor_tree, lambda at: [(H, n, parent)], (H,)),
        Call(tree_elimination.solve_tree, lambda at: [(H, b, n, parent)], (H, b)),
    )
    check_transpose(plan_of(calls, ("H", "b"), ("b",)), [definite(n), rng.normal(size=(5, n))], backend)


@COMPILED_LONG
def test_articulated_bodies(backend):
    """Factors kept, and used for three columns."""
    bodies, first, parent, m = 3, [0, 1, 3, 4], [-1, 0, 0], 3
    I, s, U, d = Data("I", 18, 6), Data("s", 4, 6), Data("U", 4, 6), Data("d", 4)  # noqa: E741
    X, P = Data("X", 4, m), Data("P", 18, m)
    calls = (
        Call(articulated.factor, lambda at: [(I, s, U, d, first, parent, bodies)], (I, s, U, d)),
        Call(articulated.solve, lambda at: [(X, m, s, U, d, P, first, parent, bodies)], (X, P)),
    )
    inertias = definite(6, 15).reshape(5, 18, 6)
    check_transpose(plan_of(calls, ("I", "s", "X"), ("X",)), [inertias, rng.normal(size=(5, 4, 6)), rng.normal(size=(5, 4, m))], backend)


@routine
def iterate(A: Matrix, x: Vector, r: Vector, p: Vector, y: Vector, tolerance: Vector, n: Whole, most: Whole) -> None:
    """x of A x = r by conjugate gradients, from x = 0."""
    x[0:n] = 0.0
    p[0:n] = r[0:n]
    rr = dot(r[0:n], r[0:n])
    enough = tolerance[0] * tolerance[0] * rr
    turns = 0
    while rr > enough and turns < most:
        for i in range(n):
            y[i] = dot(A[i, 0:n], p[0:n])
        alpha = rr / dot(p[0:n], y[0:n])
        x[0:n] += alpha * p[0:n]
        r[0:n] -= alpha * y[0:n]
        before = rr
        rr = dot(r[0:n], r[0:n])
        p[0:n] = r[0:n] + (rr / before) * p[0:n]
        turns += 1


def gradients(n: int, most: int) -> Plan:
    A, x, r, p, y, tolerance = Data("A", n, n), *[Data(name, n) for name in "xrpy"], Data("tolerance", 1)
    return plan_of(
        [Call(iterate, lambda at: [(A, x, r, p, y, tolerance, n, most)], (A, x, r, p, y, tolerance))],
        ("A", "r", "tolerance"),
        ("x",),
    )


@BACKENDS
def test_conjugate_gradients_take_turns_of_their_own(backend):
    """Worlds stop after different numbers of turns; each is reversed by as many."""
    tolerance = 10.0 ** -np.arange(1.0, 6.0)
    check_transpose(gradients(5, 9), [definite(5), rng.normal(size=(5, 5)), tolerance], backend)


@BACKENDS
def test_turns_that_there_is_no_room_for_are_told(backend):
    plan = cotangent(gradients(5, 9), turns=1)
    inputs = [definite(5, 2).reshape(2, -1), rng.normal(size=(2, 5)), np.array([[2.0], [1e-8]]), np.ones((2, 5))]
    outputs = [np.zeros((1, 2, len(slots))) for slots in plan.outputs]
    with pytest.raises(RedmaxError, match=r"'calls' keeps 1 turns of each loop\. World 1 took 2"):
        make_runner(plan, backend, "float64").run(inputs, outputs, 2)
    assert np.isfinite(outputs[1][0, 0]).all()
    assert not np.isfinite(outputs[1][0, 1]).any()


@COMPILED_LONG
def test_blocks_whose_pattern_is_found(backend):
    """Which blocks there are differs from world to world; elimination fills in others."""
    n, b, capacity, worlds = 4, 2, 10, 4
    index, count, blocks = Data("index", n, n), Data("count", 1), Data("blocks", capacity * b * b)
    work, x = Data("work", b, b), Data("x", n * b)
    calls = (
        Call(block_sparse.factor, lambda at: [(index, n, count, blocks, b, capacity, work)], (index, count, blocks, work)),
        Call(block_sparse.solve, lambda at: [(index, n, blocks, b, capacity, x)], (x,)),
    )
    numbers, values = np.zeros((worlds, n, n)), np.zeros((worlds, capacity, b, b))
    for w, pairs in enumerate([[], [(1, 0)], [(1, 0), (2, 0), (3, 1)], [(3, 0), (3, 2)]]):
        for k, (i, j) in enumerate([(i, i) for i in range(n)] + pairs):
            numbers[w, i, j], values[w, k] = k + 1, 4.0 * np.eye(b) if i == j else rng.normal(size=(b, b)) * 0.5
    counts = (numbers > 0).sum(axis=(1, 2)).astype(float)
    plan = plan_of(calls, ("blocks", "x", "index", "count"), ("x",))
    inputs, right = [values.reshape(worlds, -1), rng.normal(size=(worlds, n * b)), numbers, counts], np.ones((worlds, n * b))
    found = run(cotangent(plan, by=("blocks", "x")), [*inputs, right], worlds, backend)
    along = [rng.normal(size=(worlds, a)) for a in (capacity * b * b, n * b)]
    still = [np.zeros((worlds, n * n)), np.zeros((worlds, 1))]
    rates = run(tangent(plan), [*inputs, *along, *still], worlds, backend)["tangent of x"].sum(axis=1)
    back = sum((found[f"cotangent of {name}"] * a).sum(axis=1) for name, a in zip(("blocks", "x"), along, strict=True))
    assert np.allclose(back, rates, rtol=1e-11)


@routine
def sort(v: Vector, n: Whole) -> None:
    """By exchanging neighbours until nothing moves."""
    moving = 1.0
    while moving > 0.0:
        moving = 0.0
        for i in range(n - 1):
            if v[i] > v[i + 1]:
                kept = v[i]
                v[i] = v[i + 1]
                v[i + 1] = kept
                moving += 1.0


@examples(6, 50)
@given(seed=st.integers(0, 2**16), n=st.integers(1, 7))
def test_sorting_takes_cotangents_back_to_where_values_came_from(seed, n):
    draw, v = np.random.default_rng(seed), Data("v", n)
    plan = cotangent(plan_of([Call(sort, lambda at: [(v, n)], (v,))], ("v",), ("v",)))
    values, weights = draw.normal(size=(3, n)), draw.normal(size=(3, n))
    found = run(plan, [values, weights], 3, "interpret")
    place = values.argsort(axis=1).argsort(axis=1)
    assert np.array_equal(found["cotangent of v"], np.take_along_axis(weights, place, axis=1))


@routine
def wander(v: Vector, A: Matrix, n: Whole, x: Vector) -> None:
    """Places that memory names, a range whose bounds change while it runs, and what is stored where it was read."""
    k = whole(v[0])
    stop = n - k
    for i in range(k, stop):
        stop = 0
        A[whole(v[i]), i] = A[i, k] * x[0] + A[whole(v[i]), i]
        x[0] = abs(x[0] - A[i, i]) + max(x[0], A[0, i]) * min(A[i, 0], 1.0)
        v[i] = v[i] + 1.0


@BACKENDS
def test_places_that_memory_decides(backend):
    n = 4
    v, A, x = Data("v", n), Data("A", n, n), Data("x", 1)
    plan = plan_of([Call(wander, lambda at: [(v, A, n, x)], (v, A, x))], ("A", "x", "v"), ("A", "x"))
    places = np.array([[0, 1, 2, 1], [1, 0, 2, 0], [0, 3, 3, 3], [2, 1, 1, 0], [1, 1, 1, 1]], float)
    values = [rng.normal(size=(5, n, n)), rng.normal(size=(5, 1)), places]
    found = run(cotangent(plan, by=("A", "x")), [*values, np.ones((5, n * n)), np.ones((5, 1))], 5, backend)
    along = [rng.normal(size=(5, n * n)), rng.normal(size=(5, 1))]
    rates = run(tangent(plan), [*values, *along, np.zeros((5, n))], 5, backend)
    left = rates["tangent of A"].sum(axis=1) + rates["tangent of x"].sum(axis=1)
    assert np.allclose(left, sum((found[f"cotangent of {n}"] * a).sum(axis=1) for n, a in zip("Ax", along, strict=True)), rtol=1e-12)


@BACKENDS
def test_rows_that_come_and_go(backend):
    """result[where] = t sin(v) + where, of the rows that are there: by v and by t, in worlds with none, some and too many."""
    plan, worlds, t = test_active_rows.plan_of(), 5, 0.7
    v = rng.normal(size=(worlds, SIZE)) + np.array([-9.0, -1.0, 0.0, 1.0, 9.0])[:, None]
    weights = rng.normal(size=(worlds, SIZE))
    found = run(cotangent(plan, of=("result",)), [v, np.full((worlds, 1), t), weights], worlds, backend)
    there = (v > 0) & (np.cumsum(v > 0, axis=1) <= CAPACITY)
    assert np.allclose(found["cotangent of v"], np.where(there, weights * t * np.cos(v), 0.0), rtol=1e-14)
    assert np.allclose(found["cotangent of t"][:, 0], np.where(there, weights * np.sin(v), 0.0).sum(axis=1), rtol=1e-12)


@COMPILED_LONG
def test_second_derivatives_of_a_solution(backend):
    """Of w' A^-1 b: the tangent of the cotangent, and the cotangent of the tangent, with rows exchanged on the way."""
    n, worlds = 4, 3
    A, b = Data("A", n, n), Data("b", n)
    plan = plan_of(pivoted.eliminate(A, b, n, symmetric=False), ("A", "b"), ("b",))
    matrix, right, weights = rng.normal(size=(worlds, n * n)), rng.normal(size=(worlds, n)), rng.normal(size=(worlds, n))
    along = rng.normal(size=(worlds, n * n))
    one = run(tangent(cotangent(plan)), [matrix, right, weights, along, 0 * right, 0 * weights], worlds, backend)
    other = run(cotangent(tangent(plan), of=("tangent of b",)), [matrix, right, along, 0 * right, weights], worlds, backend)
    assert np.allclose(one["tangent of cotangent of A"], other["cotangent of A"], rtol=1e-10)
    assert np.allclose(one["cotangent of A"], other["cotangent of tangent of A"], rtol=1e-10)


@routine
def leaky(x: Vector, n: Whole) -> None:
    """Both values are computed in all worlds, and one is taken."""
    for k in range(n):
        x[k] = where(x[k] < 0.0, 0.1 * x[k], x[k] * x[k])


@BACKENDS
def test_worlds_side_by_side_take_different_values(backend):
    x = Data("x", 3)
    plan = plan_of([Call(leaky, lambda _: [(x, 3)], (x,))], ("x",), ("x",))
    values = rng.normal(size=(5, 3))
    back = check_transpose(plan, [values], backend)["cotangent of x"]
    assert np.allclose(back, np.where(values < 0.0, 0.1, 2 * values))
