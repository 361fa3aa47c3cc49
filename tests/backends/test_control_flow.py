"""Repeat, Branch and Save of small programs, compiled and interpreted: the same samples, and the ones that they should be."""

from __future__ import annotations

import re

import numpy as np
import pytest

from backends.small_programs import make_plan, run_both, stage
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.driver import driver_text
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.words import ARGUMENTS
from redmax.math import absolute, where
from redmax.program.program import Branch, Repeat, Save


@pytest.fixture(autouse=True)
def in_memory(monkeypatch):
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")


@stage
def guess(w):
    w.x, w.n, w.done = where(w.a < 1.0, 1.0, w.a), 0.0, w.a == 0.0


@stage
def newton(w):
    """x -> (x + a / x) / 2 until it moves so little that the next step would not show."""
    better = 0.5 * (w.x + w.a / w.x)
    w.done = where(absolute(better - w.x) <= 1e-9 * w.x, 1.0, 0.0)
    w.x, w.n = better, w.n + 1.0


ROOT = make_plan((guess, Repeat((newton,), until="done"), Save()), {"a": 1, "x": 1, "n": 1, "done": 1}, ("a",), ("x", "n"))


@pytest.mark.parametrize("a", [2.0, 0.3, 1.0, 1e6, 1e-9])
def test_newtons_iteration_stops_by_itself(a):
    x, n = run_both(ROOT, [[a]], 1)
    assert x[0, 0, 0] == pytest.approx(np.sqrt(a), rel=1e-15)
    assert 1 <= n[0, 0, 0] < 40


def test_a_flag_that_is_set_already_means_no_visit():
    x, n = run_both(ROOT, [[0.0]], 1)
    assert x[0, 0, 0] == 1.0
    assert n[0, 0, 0] == 0.0


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_each_world_stops_by_itself(workers):
    a = 10.0 ** np.random.default_rng(0).uniform(-8, 8, (23, 1))
    x, n = run_both(ROOT, [a], 1, 23, lanes=1, workers=workers)
    np.testing.assert_allclose(x[0], np.sqrt(a), rtol=1e-15)
    assert len(set(n.ravel())) > 5


@pytest.mark.parametrize("runner", [Executable, Interpreter])
def test_worlds_that_take_different_numbers_of_turns_do_not_share_one(runner, monkeypatch):
    """A world that is done keeps its values while those beside it go on."""
    monkeypatch.setenv("REDMAX_LANES", "4")
    a = np.array([[1.0], [1e6], [0.3], [1e-9], [0.0]])
    out = [np.full((1, 5, 1), np.nan) for _ in "xn"]
    assert runner(ROOT).run([a], out, 5) == 0
    np.testing.assert_allclose(out[0][0][:4], np.sqrt(a[:4]), rtol=1e-15)
    alone = [np.zeros((1, 1, 1)) for _ in "xn"]
    for w in range(5):
        runner(ROOT).run([a[w : w + 1]], alone, 1)
        assert [o[0, w, 0] for o in out] == [o[0, 0, 0] for o in alone]
    assert len(set(out[1].ravel())) == 5


@stage
def tick(w):
    w.k = w.k + w.step


COUNTER = make_plan((Repeat((tick, Save(strided=True))),), {"k": 1, "step": 1}, ("k", "step"), ("k",))


@pytest.mark.parametrize("count", [0, 1, 2, 5, 12])
@pytest.mark.parametrize("stride", [1, 2, 3, 7])
def test_strided_saves(count, stride):
    """Every stride-th visit, and nothing beyond."""
    (k,) = run_both(COUNTER, [[10.0], [1.0]], 13, count=count, stride=stride)
    saved = k[:, 0, 0][np.isfinite(k[:, 0, 0])]
    np.testing.assert_array_equal(saved, 10.0 + stride * np.arange(1, count // stride + 1))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_counted_loops_run_in_lanes(lanes, monkeypatch):
    monkeypatch.setenv("REDMAX_LANES", str(lanes))
    start, step = np.arange(11.0)[:, None], np.linspace(0.5, 2.0, 11)[:, None]
    (k,) = run_both(COUNTER, [start, step], 4, 11, count=8, stride=2)
    np.testing.assert_allclose(k[..., 0], start.T + step.T * np.arange(2, 9, 2)[:, None], rtol=1e-15)


def test_the_number_of_samples_is_told():
    runner = Executable(COUNTER)
    workspace = runner.lowered(1).take()
    out = np.zeros((9, 1, 1))
    for count, stride, samples in ((9, 1, 9), (9, 2, 4), (0, 1, 0), (2, 3, 0), (9, 9, 1)):
        workspace.run([np.zeros((1, 1)), np.ones(1)], [out], 0, 1, count, stride)
        assert workspace.words[ARGUMENTS.index("samples")] == samples


@stage
def restart(w):
    w.n, w.flag = 0.0, w.n >= w.limit


@stage
def climb(w):
    w.n = w.n + 1.0
    w.flag = w.n >= w.limit
    w.even = where(w.n == 2.0, 1.0, where(w.n == 4.0, 1.0, 0.0))


@stage
def note_even(w):
    w.total = w.total + w.n


@stage
def shrink(w):
    w.limit = w.limit - 1.0
    w.negative = w.limit < 3.0


@stage
def punish(w):
    w.total = -w.total


CLIMBING = Repeat((climb, Branch("even", (note_even,))), until="flag")
NESTED = make_plan(
    (Repeat((restart, CLIMBING, shrink, Branch("negative", (punish, Branch("even", (Save(),)))), Save())),),
    {"n": 1, "limit": 1, "flag": 1, "even": 1, "negative": 1, "total": 1},
    ("limit", "n", "even", "total"),
    ("total", "n", "limit"),
)  # fmt: skip


def nested(limit: float, count: int) -> list[tuple[float, float, float]]:
    """The same in Python."""
    saved, total, n, even = [], 0.0, 0.0, False
    for _ in range(count):
        n, flag = 0.0, n >= limit
        while not flag:
            n += 1.0
            flag, even = n >= limit, n in (2.0, 4.0)
            total += n if even else 0.0
        limit -= 1.0
        if limit < 3.0:
            total = -total
            saved += [(total, n, limit)] if even else []
        saved.append((total, n, limit))
    return saved


@pytest.mark.parametrize("count", [1, 3, 6])
@pytest.mark.parametrize("limit", [2.0, 4.0, 6.0])
def test_loops_and_branches_inside_each_other(limit, count):
    """A count around a flag, a branch inside a loop, a branch inside a branch, saves within them."""
    expected = np.array(nested(limit, count))
    found = np.concatenate(run_both(NESTED, [[limit], [0.0], [0.0], [0.0]], 14, count=count), axis=-1)[:, 0]
    np.testing.assert_array_equal(found[: len(expected)], expected)
    assert np.isnan(found[len(expected) :]).all()


@stage
def begin(w):
    w.n, w.flag = 0.0, 0.0


@stage
def up(w):
    w.n = w.n + 1.0
    w.flag = w.n >= w.limit


@stage
def unset(w):
    w.flag = 0.0


def test_loops_after_each_other_count_anew():
    """Two counts in a row, then a flag that a second loop needs again."""
    counted, until = Repeat((up,)), Repeat((up,), until="flag")
    plan = make_plan(
        (begin, counted, counted, Save(), begin, until, Save(), unset, until, Save()),
        {"n": 1, "flag": 1, "limit": 1},
        ("limit",),
        ("n",),
    )  # fmt: skip
    (n,) = run_both(plan, [[7.0]], 3, count=5)
    np.testing.assert_array_equal(n[:, 0, 0], [10.0, 7.0, 8.0])


def test_a_workspace_keeps_nothing_from_the_world_before():
    """Inputs are read anew for each world, and visits counted from zero: five visits at stride two would leave one over."""
    (k,) = run_both(COUNTER, [np.array([[1.0], [100.0], [1000.0]]), np.ones((3, 1))], 2, 3, count=5, stride=2, lanes=1, workers=1)
    np.testing.assert_array_equal(k[..., 0], [[3.0, 102.0, 1002.0], [5.0, 104.0, 1004.0]])


def test_words_of_a_call_are_read_in_the_blocks_that_use_them():
    """None of them lives through the whole entry, which would put it aside."""
    entry = driver_text(ROOT, "double").split("define i64 @entry")[1]
    blocks = re.split(r"\n\w[\w.]*:", entry)
    read = [set(re.findall(r"(%[\w.]+) = load (?:i64|ptr), ptr %[\w.]+\.p\b", block)) for block in blocks]
    assert sum(map(len, read)) > 10
    for block, own in zip(blocks, read, strict=True):
        assert not {name for other in read if other is not own for name in other} & set(re.findall(r"%[\w.]+", block))
