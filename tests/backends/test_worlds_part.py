"""Loops and branches whose flags differ from world to world: random programs of them do in lanes what each world does alone.

Numbers are whole and small, so that results are the same to the last bit whoever computes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.small_programs import make_plan, stage
from random_examples import examples
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm import executable
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.lane_guard import queued
from redmax.math import floor, where
from redmax.program.plan import Plan
from redmax.program.program import Branch, ProgramStage, Repeat, Save

DEEPEST = 3
WORLD = {"x": 1, "y": 1, **{f"{name}{d}": 1 for name in ("n", "limit", "stop", "flag") for d in range(DEEPEST)}}
INPUTS, OUTPUTS = ("x", "y", *[f"limit{d}" for d in range(DEEPEST)]), ("x", "y")
SAMPLES = 40


def remainder(x: Any, n: float) -> Any:
    return x - n * floor(x / n)


def mixing(a: float, b: float) -> ProgramStage:
    def mix(w):
        w.x, w.y = remainder(a * w.x + b * w.y + 1.0, 64.0), remainder(w.y + w.x, 32.0)

    return stage(mix)


def beginning(d: int) -> ProgramStage:
    def begin(w):
        setattr(w, f"n{d}", 0.0)
        setattr(w, f"stop{d}", where(getattr(w, f"limit{d}") <= 0.0, 1.0, 0.0))

    return stage(begin)


def counting(d: int) -> ProgramStage:
    """A turn of the loop at this depth, of which there are as many as the world's limit says, or fewer."""

    def count(w):
        n = getattr(w, f"n{d}") + 1.0
        setattr(w, f"n{d}", n)
        setattr(w, f"stop{d}", where((n >= getattr(w, f"limit{d}")) | (remainder(w.x, 7.0) == 0.0), 1.0, 0.0))

    return stage(count)


def asking(d: int, n: float) -> ProgramStage:
    def ask(w):
        setattr(w, f"flag{d}", where(remainder(w.x, n) == 0.0, 0.0, 1.0))

    return stage(ask)


Maker = Callable[[int], tuple[ProgramStage, ...]]  # stages, at some depth of loops and branches
mixes = st.builds(lambda a, b: lambda d: (mixing(a, b),), st.sampled_from([3.0, 5.0]), st.sampled_from([1.0, 2.0, 9.0]))
saves = st.builds(lambda strided: lambda d: (Save(strided=strided),), st.booleans())


def inside(makers: list[Maker], d: int) -> tuple[ProgramStage, ...]:
    return tuple(s for make in makers for s in make(d))


def loop(makers: list[Maker]) -> Maker:
    return lambda d: (beginning(d), Repeat((*inside(makers, d + 1), counting(d)), until=f"stop{d}")) if d < DEEPEST else ()


def turns(makers: list[Maker]) -> Maker:
    return lambda d: (Repeat(inside(makers, d + 1)),) if d < DEEPEST else ()


def branch(makers: list[Maker], n: float) -> Maker:
    return lambda d: (asking(d, n), Branch(f"flag{d}", inside(makers, d + 1))) if d < DEEPEST else ()


def nested(inner: st.SearchStrategy[Maker]) -> st.SearchStrategy[Maker]:
    bodies = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(bodies.map(loop), st.builds(branch, bodies, st.sampled_from([2.0, 3.0])), bodies.map(turns))


programs = st.lists(st.recursive(mixes | saves, nested, max_leaves=8), min_size=1, max_size=4)


def run(runner: Any, inputs: list[np.ndarray], worlds: int, **options: Any) -> np.ndarray:
    """(samples, worlds, 2) that were written, NaN elsewhere."""
    out = [np.full((SAMPLES, worlds, 1), np.nan) for _ in OUTPUTS]
    runner.run(inputs, out, worlds, count=2, stride=2, **options)
    return np.concatenate(out, axis=-1)


def plan_of(makers: list[Maker], ends_with_loop: bool) -> Plan:
    """Stages, and then a sample; or a loop of these, in which worlds that are done make room for others."""
    last: Maker = lambda d: (mixing(3.0, 1.0), Save())  # noqa: E731
    stages = (mixing(5.0, 2.0), *loop([*makers, last])(0)) if ends_with_loop else inside([*makers, last], 0)
    return make_plan(stages, WORLD, INPUTS, OUTPUTS)


def worlds_of(seed: int, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 40, (count, 1)).astype(float), rng.integers(0, 20, (count, 1)).astype(float),
            *[rng.integers(0, 5, (count, 1)).astype(float) for _ in range(DEEPEST)]]  # fmt: skip


@given(makers=programs, seed=st.integers(0, 999), lanes=st.sampled_from([2, 4, 8]), ends_with_loop=st.booleans())
@examples(8, 300)
def test_lanes_do_what_each_world_does_alone(makers, seed, lanes, ends_with_loop):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REDMAX_CACHE_DIR", "")
        plan, worlds = plan_of(makers, ends_with_loop), 11
        assert queued(plan) >= ends_with_loop
        inputs = worlds_of(seed, worlds)
        alone = [run(Interpreter(plan), [a[w : w + 1] for a in inputs], 1)[:, 0] for w in range(worlds)]
        expected = np.stack(alone, axis=1)
        np.testing.assert_array_equal(run(Interpreter(plan), inputs, worlds), expected)
        compiled = Executable(plan)
        np.testing.assert_array_equal(run(compiled, inputs, worlds, lanes=lanes, workers=1), expected)
        np.testing.assert_array_equal(run(compiled, inputs, worlds, lanes=1, workers=2), expected)
        patch.setattr(executable, "SECONDS", 1e-12)  # pauses wherever there can be one
        paused = Executable(plan)
        paused.lowered(lanes).budget = 2
        np.testing.assert_array_equal(run(paused, inputs, worlds, lanes=lanes, workers=1), expected)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_world_that_waits_is_not_touched(dtype, monkeypatch):
    """Another that goes on a thousand times longer leaves no trace in it, nor does one that is not a number."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")

    def begin(w):
        w.n, w.done = 0.0, 0.0

    def grow(w):
        w.x, w.n = 1.5 * w.x + 0.1, w.n + 1.0
        w.done = where(w.n >= w.limit, 1.0, 0.0)

    plan = make_plan((stage(begin), Repeat((stage(grow),), until="done"), Save()), {"x": 1, "n": 1, "limit": 1, "done": 1},
                     ("x", "limit"), ("x", "n"))  # fmt: skip
    runner = Executable(plan, dtype)
    x, limit = np.array([[1.0], [2.0], [np.nan], [3.0]], dtype), np.array([[3.0], [1000.0], [500.0], [1.0]], dtype)
    out = [np.zeros((1, 4, 1), dtype) for _ in "xn"]
    with np.errstate(over="ignore"):
        assert runner.run([x, limit], out, 4, lanes=4) == 1
    assert out[1].ravel().tolist() == limit.ravel().tolist()
    assert out[0][0, 0, 0] == pytest.approx(1.5**3 + 0.1 * (1 + 1.5 + 1.5**2), rel=1e-6)
    assert out[0][0, 3, 0] == pytest.approx(4.6, rel=1e-6)


def test_lanes_do_not_wait_for_the_slowest_world(monkeypatch):
    """The turns of all worlds, divided by the lanes, and not as many in each group of worlds as its slowest takes."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    worlds, lanes, longest = 64, 4, 200.0

    def begin(w):
        w.n, w.done = 0.0, 0.0

    def count(w):
        w.n = w.n + 1.0
        w.done = where(w.n >= w.limit, 1.0, 0.0)

    plan = make_plan((stage(begin), Repeat((stage(count), Save()), until="done")), {"n": 1, "limit": 1, "done": 1}, ("limit",), ("n",))
    limit = np.full((worlds, 1), 10.0)
    limit[::lanes] = longest  # one in each group
    out = np.zeros((int(longest), worlds, 1))
    runner = Executable(plan)
    monkeypatch.setattr(executable, "SECONDS", 0.0)
    runner.lowered(lanes).budget = executable.SMALLEST  # turns of each call
    calls = 0

    def counted(entry):
        def call(pointer):
            nonlocal calls
            calls += 1
            return entry(pointer)

        return call

    lowered = runner.lowered(lanes)
    monkeypatch.setattr(lowered, "entry", counted(lowered.entry))
    runner.run([limit], [out], worlds, lanes=lanes, workers=1)
    assert np.array_equal(out[:, :, 0].max(axis=0), limit[:, 0])
    turns = calls * executable.SMALLEST
    assert limit.sum() / lanes <= turns < 0.5 * longest * worlds / lanes
