"""Loops and branches reversed that are small enough to know by heart; each world has turns of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from redmax.backends.base import make_runner
from redmax.errors import RedmaxError
from redmax.math import where
from redmax.program.cotangent import cotangent
from redmax.program.fields import Fields
from redmax.program.plan import Planner
from redmax.program.program import Branch, Load, Program, Repeat, Save
from redmax.program.relation import Tree
from redmax.program.sweep import once, recursion
from redmax.program.tangent import tangent

FIELDS = Fields(world={"x": 1, "y": 1, "force": 1, "left": 1, "done": 1, "large": 1, "inner": 1, "over": 1})
BACKENDS = pytest.mark.parametrize("backend", ["interpret", "llvm"])


@once
def grow(w: Any) -> None:
    """x = x^2 y, in one slot; halved in a branch where it is large; as often as `left` says."""
    w.x = w.x * w.x * w.y + w.force
    w.left = w.left - 1.0
    w.done = where(w.left < 0.5, 1.0, 0.0)
    w.large = where(w.x > 2.0, 1.0, 0.0)


@once
def halve(w: Any) -> None:
    w.x, w.large = 0.5 * w.x, 0.0


@once
def begin(w: Any) -> None:
    w.done = 0.0


@once
def begin_inner(w: Any) -> None:
    w.inner, w.over = 0.0, 0.0


@once
def root(w: Any) -> None:
    """A step of Newton's method for sqrt(x), in y."""
    w.y = 0.5 * (w.y + w.x / w.y)
    w.inner = w.inner + 1.0
    w.over = where(w.inner > w.left + 1.5, 1.0, 0.0)


def plan_of(*stages: Any, inputs: Any = ("x", "y", "left")) -> Any:
    program = Program("turns", stages, FIELDS, inputs, ("x", "y"))
    return Planner(program, Tree(()), [], [], keep=True).plan()


def run(plan: Any, inputs: Any, backend: str, worlds: int, samples: int = 1, count: int = 0) -> list[np.ndarray]:
    outputs = [np.full((samples, worlds, len(slots)), 0.0) for slots in plan.outputs]
    assert make_runner(plan, backend, "float64").run([np.asarray(a, float) for a in inputs], outputs, worlds, count) == 0
    return outputs


STEP = (recursion(grow), Branch("large", (recursion(halve),)))
INNER = (recursion(begin_inner), Repeat((recursion(root),), until="over"))
UNTIL = (recursion(begin), Repeat((*STEP, Save()), until="done"))
NESTED = (recursion(begin), Repeat((*INNER, *STEP, Save()), until="done"))


@BACKENDS
@pytest.mark.parametrize("stages", [UNTIL, NESTED], ids=["one loop", "a loop in a loop"])
def test_each_world_is_reversed_as_often_as_it_turned(backend, stages):
    """Against tangents, over all samples; values are those of the program."""
    turns, worlds, rng = 7, 11, np.random.default_rng(0)
    plan = plan_of(*stages)
    left = np.arange(worlds)[:, None] % 5 + 1.0
    x = [rng.uniform(0.5, 1.6, (worlds, 1)), rng.uniform(0.8, 1.3, (worlds, 1)), left]
    along = [rng.normal(size=(worlds, 1)), rng.normal(size=(worlds, 1)), np.zeros((worlds, 1))]
    *values, dx, dy = run(tangent(plan), [*x, *along], backend, worlds, turns)
    weights = [rng.normal(size=(worlds, turns)) for _ in range(2)]
    found = run(cotangent(plan, by=("x", "y"), turns=turns), [*x, *weights], backend, worlds)
    for y, again in zip(values, found[:2], strict=True):
        assert np.allclose(again[0], y[..., 0].T, rtol=1e-14)
    forwards = (weights[0] * dx[..., 0].T + weights[1] * dy[..., 0].T).sum(axis=1)
    backwards = sum(a[:, 0] * b[0, :, 0] for a, b in zip(along, found[2:4], strict=False))
    assert np.allclose(forwards, backwards, rtol=1e-12)
    assert np.array_equal(found[-1][0, :, 0], np.maximum(left[:, 0], (left[:, 0] + 2) * (stages is NESTED)))


@BACKENDS
def test_a_program_says_how_much_room_it_needs(backend):
    plan = cotangent(plan_of(*UNTIL), turns=3)
    x = [np.ones((2, 1)), np.ones((2, 1)), np.array([[2.0], [7.0]]), np.ones((2, 3)), np.ones((2, 3))]
    outputs = [np.zeros((1, 2, len(slots))) for slots in plan.outputs]
    said = r"'turns' keeps 3 turns of each loop\. World 1 took 7\. Make it with cotangent\(plan, turns=7\)"
    with pytest.raises(RedmaxError, match=said):
        make_runner(plan, backend, "float64").run(x, outputs, 2)
    assert np.isfinite(outputs[2][0, 0]).all()
    assert not np.isfinite(outputs[2][0, 1]).any()


@BACKENDS
def test_rows_of_inputs_get_rows_of_cotangents(backend):
    """x <- x^2 y + force_k: one cotangent for each force, of each world."""
    steps, worlds, rng = 4, 3, np.random.default_rng(1)
    plan = plan_of(Repeat((Load(("force",)), *STEP, Save())), inputs=("x", "y", "force"))
    x, y, force = rng.uniform(0.5, 1.0, (worlds, 1)), rng.uniform(0.5, 1.0, (worlds, 1)), rng.uniform(0.1, 0.9, (steps, worlds, 1))
    weights = [rng.normal(size=(worlds, steps)), np.zeros((worlds, steps))]
    found = run(cotangent(plan, turns=steps), [x, y, force, *weights], backend, worlds, count=steps)

    def weighed(x: Any, y: Any, force: Any) -> Any:
        total: Any = 0.0
        for k in range(steps):
            x = x * x * y + force[k]
            x = np.where(x.real > 2.0, 0.5 * x, x)
            total = total + weights[0][:, k : k + 1] * x
        return total

    h = 1e-30
    assert np.allclose(found[2][0], weighed(x + h * 1j, y, force).imag / h, rtol=1e-13)
    assert np.allclose(found[3][0], weighed(x, y + h * 1j, force).imag / h, rtol=1e-13)
    for k in range(steps):
        moved = force + h * 1j * (np.arange(steps) == k)[:, None, None]
        assert np.allclose(found[4][0][:, k : k + 1], weighed(x, y, moved).imag / h, rtol=1e-13)


@BACKENDS
def test_second_derivatives_of_a_loop(backend):
    """x^8 by three turns: the tangent of the cotangent is 56 x^6; so is the cotangent of the tangent."""
    plan = plan_of(Repeat((recursion(grow), Save()), until="done"))
    x = [np.full((1, 1), 1.1), np.ones((1, 1)), np.full((1, 1), 3.0)]
    only = np.array([[0.0, 0.0, 1.0]])
    first = cotangent(plan, of=("x",), by=("x",), turns=3)
    both = tangent(first)
    given = [*x, only, np.ones((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), 0 * only]
    found = dict(zip(both.names[1], run(both, given, backend, 1), strict=True))
    assert np.isclose(found["cotangent of x"][0, 0, 0], 8 * 1.1**7, rtol=1e-14)
    assert np.isclose(found["tangent of cotangent of x"][0, 0, 0], 56 * 1.1**6, rtol=1e-14)
    other = cotangent(tangent(plan), of=("tangent of x",), by=("x",), turns=3)
    found = dict(zip(other.names[1], run(other, [*x, np.ones((1, 1)), 0 * x[0], 0 * x[0], only], backend, 1), strict=True))
    assert np.isclose(found["cotangent of x"][0, 0, 0], 56 * 1.1**6, rtol=1e-14)
