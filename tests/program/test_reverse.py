"""Programs reversed that are small enough to know by heart: what is added, stored to twice, read before it is overwritten."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from program.forest import COUNT, forests, signatures
from random_examples import examples
from redmax.backends.base import make_runner
from redmax.program.cotangent import cotangent
from redmax.program.fields import Fields
from redmax.program.plan import Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.sweep import backward, forward, once, recursion


@once
def square(w: Any) -> None:
    w.x = w.x * w.x


@forward
def spread(j: Any, p: Any, w: Any) -> None:
    j.path = p.path * w.x + j.weight
    j.weight = j.weight * j.path  # a state that is read, then overwritten


@backward
def collect(j: Any, p: Any, w: Any) -> None:
    j.below = j.sums + j.weight * w.x
    p.sums += j.below * j.below


FIELDS = Fields(down={"path": 1}, up={"sums": 1}, state={"weight": "q", "below": 1}, world={"x": 1})
SQUARES = Program("squares", (recursion(square),) * 3, FIELDS, ("x", "weight"), ("x",))
TWICE = (recursion(spread, collect, name="there and back"), recursion(square), recursion(spread, collect, name="there and back"))
OVERWRITING = Program("overwriting", TWICE, FIELDS, ("x", "weight"), ("x", "weight", "below"))


def plan_of(program: Program, parents: Any, keep: bool) -> Any:
    tree = Tree(tuple(parents))
    return Planner(program, tree, signatures(tree), [np.zeros(0)] * len(tree), keep=keep).plan()


def run(plan: Any, inputs: Any, backend: str = "interpret") -> list[np.ndarray]:
    outputs = [np.full((1, 1, len(slots)), np.nan) for slots in plan.outputs]
    assert make_runner(plan, backend, "float64").run([np.array(a, float) for a in inputs], outputs, 1) == 0
    return [o[0, 0] for o in outputs]


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
@pytest.mark.parametrize("keep", [False, True])
def test_a_number_squared_three_times(keep, backend):
    """x^8 in one slot: every old value is needed on the way back, and the last one is the result. Nothing depends on the weights."""
    x, x_bar, weight_bar = run(cotangent(plan_of(SQUARES, (-1, 0), keep)), [[1.5], [1, 2], [2.0]], backend)
    assert np.allclose(x, 1.5**8, rtol=1e-15)
    assert np.allclose(x_bar, 2 * 8 * 1.5**7, rtol=1e-15)
    assert np.array_equal(weight_bar, [0, 0])


@forward
def twice_over(j: Any, w: Any) -> None:
    j.below = j.weight * w.x
    j.above = j.below * j.below
    j.below = j.above + j.weight  # stored to again by the same kernel, which goes on with the first value in `above`


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_a_field_that_one_sweep_sets_twice(backend):
    fields = Fields(state={"weight": "q", "below": 1, "above": 1}, world={"x": 1})
    program = Program("twice", (recursion(twice_over),), fields, ("x", "weight"), ("below", "above"))
    x, weight, bars = 1.5, np.array([2.0, 3.0]), [np.array([1.0, -2.0]), np.array([0.5, 0.25])]
    *_, x_bar, weight_bar = run(cotangent(plan_of(program, (-1, 0), True)), [[x], weight, *bars], backend)
    both = bars[0] + bars[1]  # above = (weight x)^2 is in both outputs
    assert np.allclose(x_bar, (both * 2 * weight**2 * x).sum(), rtol=1e-15)
    assert np.allclose(weight_bar, both * 2 * weight * x**2 + bars[0], rtol=1e-15)


@examples(10, 60)
@given(parents=forests(12))
def test_the_way_back_of_counting(parents):
    """Counting is linear in the weights, so that the cotangent of a sum over outputs is what each weight adds to it."""
    plan, n = plan_of(COUNT, parents, True), len(parents)
    ones = [np.ones(len(slots)) for slots in plan.outputs]
    *_, back = run(cotangent(plan), [np.zeros(n), *ones])
    assert np.array_equal(back, [sum(part.sum() for part in run(plan, [unit])[1:]) for unit in np.eye(n)])


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
@pytest.mark.parametrize("keep", [False, True])
def test_what_is_overwritten_comes_back(keep, backend):
    """Two sweeps that write over states and sums: against complex steps, and values as without the way back."""
    parents = (-1, 0, 1, 1, 0, -1)
    plan = plan_of(OVERWRITING, parents, keep)
    rng = np.random.default_rng(0)
    x, weight = 0.8, rng.uniform(0.5, 1.0, 6)
    bars = [rng.normal(size=len(slots)) for slots in plan.outputs]
    *values, x_bar, weight_bar = run(cotangent(plan), [[x], weight, *bars], backend)
    assert all(np.allclose(a, b, rtol=1e-14) for a, b in zip(values, run(plan, [[x], weight]), strict=True))

    def summed(x: Any, weight: Any) -> Any:
        w = list(weight)
        for turn in range(2):
            path, sums, below = [0.0] * 6, [0.0] * 6, [0.0] * 6
            for j, p in enumerate(parents):
                path[j] = (path[p] if p >= 0 else 0.0) * x + w[j]
                w[j] = w[j] * path[j]
            for j in reversed(range(6)):
                below[j] = sums[j] + w[j] * x
                if parents[j] >= 0:
                    sums[parents[j]] += below[j] ** 2
            x = x * x if turn == 0 else x
        return bars[0][0] * x + bars[1] @ np.array(w) + bars[2] @ np.array(below)

    h = 1e-30j
    assert np.allclose(x_bar, summed(x + h, weight).imag / 1e-30, rtol=1e-12)
    assert np.allclose(weight_bar, [summed(x, weight + h * e).imag / 1e-30 for e in np.eye(6)], rtol=1e-12)
