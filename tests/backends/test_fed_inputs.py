"""Inputs that come turn by turn: each turn of a counted loop reads the next row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from redmax.backends.base import make_runner
from redmax.errors import RedmaxError
from redmax.program.fields import Fields
from redmax.program.plan import Plan, Planner
from redmax.program.program import Load, Program, Repeat, Save
from redmax.program.relation import Tree
from redmax.program.sweep import once, recursion
from redmax.program.tangent import tangent


@once
def take(w: Any) -> None:
    w.total = w.decay * w.total + w.x[0] * w.x[2] + w.x[1]


STAGES = (Repeat((Load(("x",)), recursion(take), Save(strided=True))),)
PROGRAM = Program("gather", STAGES, Fields(world={"total": 1, "decay": 1, "x": 3}), ("total", "decay", "x"), ("total",))


def plan() -> Plan:
    return Planner(PROGRAM, Tree(()), [], []).plan()


def expected(total: np.ndarray, decay: float, x: np.ndarray) -> np.ndarray:
    """(turns, worlds)."""
    found = []
    for row in x:
        total = decay * total + row[:, 0] * row[:, 2] + row[:, 1]
        found.append(total)
    return np.array(found)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
@pytest.mark.parametrize("worlds", [1, 3, 19])
@pytest.mark.parametrize("shared", [False, True])
def test_each_turn_has_its_row(backend, worlds, shared):
    """Of each world its own, or one for all; more rows than turns; samples every second turn; many turns, over pauses of the code."""
    rng = np.random.default_rng(worlds)
    for turns in (1, 6, 400):
        x, start = rng.normal(size=(turns + 3, 3) if shared else (turns + 3, worlds, 3)), rng.normal(size=(worlds, 1))
        out = np.empty((turns // 2, worlds, 1))
        assert make_runner(plan(), backend, "float64").run([start, np.full(1, 0.9), x], [out], worlds, turns, 2) == 0
        rows = np.broadcast_to(x[:, None] if shared else x, (turns + 3, worlds, 3))[:turns]
        assert np.allclose(out[..., 0], expected(start[:, 0], 0.9, rows)[1::2], rtol=1e-13)


def test_slopes_come_turn_by_turn_too():
    rng = np.random.default_rng(0)
    x, dx, start = rng.normal(size=(5, 2, 3)), rng.normal(size=(5, 2, 3)), rng.normal(size=(2, 1))
    out = [np.empty((5, 2, 1)), np.empty((5, 2, 1))]
    zero = [np.zeros((2, 1)), np.zeros(1)]
    make_runner(tangent(plan()), "llvm", "float64").run([start, np.full(1, 0.9), x, *zero, dx], out, 2, 5, 1)
    h = 1e-6
    ends = [expected(start[:, 0], 0.9, x + s * h * dx) for s in (1, -1)]
    assert np.allclose(out[1][..., 0], (ends[0] - ends[1]) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
@pytest.mark.parametrize("shape", [(4, 2, 3), (5, 3, 3), (5, 2, 2), (3,)])
def test_too_few_rows_are_refused(backend, shape):
    with pytest.raises(RedmaxError, match="'gather' takes float64 arrays"):
        make_runner(plan(), backend, "float64").run([np.zeros((2, 1)), np.zeros(1), np.zeros(shape)], [np.empty((5, 2, 1))], 2, 5, 1)


def test_a_row_that_is_not_finite_is_noticed():
    x = np.zeros((5, 2, 3))
    x[3, 1, 0] = np.nan
    assert make_runner(plan(), "llvm", "float64").run([np.zeros((2, 1)), np.zeros(1), x], [np.empty((5, 2, 1))], 2, 5, 1)
