"""Plans on plain arrays: every size of batch and record is packed right, and every number that is not finite is noticed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from backends.small_programs import make_plan, stage
from random_examples import LONG
from redmax.backends.llvm.executable import Executable
from redmax.program.plan import Plan

SENTINEL = -777.0
DTYPES = ("float64", "float32")
LANES = ("1", "2", "4", "8")


@cache
def mixer(columns: int) -> Plan:
    """y = x backwards, doubled, plus s, which all worlds share; z = x times p."""

    def mix(w: Any) -> None:
        x = [w.x] if columns == 1 else list(w.x)
        y, z = [2.0 * a + w.s for a in reversed(x)], [a * w.p for a in x]
        w.y, w.z = (y[0], z[0]) if columns == 1 else (y, z)

    world = {"s": 1, "x": columns, "gap": 3, "z": columns, "p": 1, "y": columns}
    return make_plan([stage(mix)], world, ("x", "s", "p"), ("y", "z"))


def guarded(worlds: int, columns: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """An output (1, worlds, columns), and the memory around it."""
    memory = np.full((3, worlds, columns), SENTINEL, dtype)
    return memory[1:2], memory


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lanes", LANES)
def test_packing_of_any_number_of_worlds_and_columns(lanes, dtype, monkeypatch):
    """1 to 17 worlds; 1 to 17 columns, or those about the number of lanes; an input shared by all (stride 0); nothing written outside."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    monkeypatch.setenv("REDMAX_LANES", lanes)
    width = int(lanes) if dtype == "float64" or lanes == "1" else 2 * int(lanes)
    for columns in range(1, 18) if LONG else sorted({1, 3, max(width - 1, 1), width, width + 1}):
        check_packing(columns, width, dtype)


def check_packing(columns, width, dtype):
    runner = Executable(mixer(columns), dtype)
    assert runner.width == width
    for worlds in range(1, 18):
        x = np.arange(1.0, 1.0 + worlds * columns).reshape(worlds, columns).astype(dtype)
        s, p = np.array([0.5], dtype), np.arange(1.0, worlds + 1.0).reshape(worlds, 1).astype(dtype)
        (y, around_y), (z, around_z) = guarded(worlds, columns, dtype), guarded(worlds, columns, dtype)
        assert runner.run([x, s, p], [y, z], worlds) == 0
        np.testing.assert_array_equal(y[0], 2.0 * x[:, ::-1] + 0.5)
        np.testing.assert_array_equal(z[0], x * p)
        assert (around_y[[0, 2]] == SENTINEL).all()
        assert (around_z[[0, 2]] == SENTINEL).all()


RUNS = ([3, 1, 2], [7, 8, 9], [5, 40, 5], [33, 2, 3, 1], [16, 4, 5, 5] * 3, [1, 30, 8, 3, 3, 3], [24], [32, 31, 4])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lengths", RUNS, ids=str)
def test_runs_of_columns_leave_in_any_order(lengths, dtype, monkeypatch):
    """Entries that lie side by side in groups, which leave in another order: each in its place, and nothing written behind the last; one
    that is not finite is noticed, and none that is not asked for."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    columns = sum(lengths) + 3  # of which some leave nowhere, between two groups and at the end
    plan, rng = inverter(columns), np.random.default_rng(len(lengths))
    ends = np.cumsum(lengths)
    groups = [np.arange(e - n, e) + (i > 0) for i, (e, n) in enumerate(zip(ends, lengths, strict=True))]
    order = np.concatenate([groups[i] for i in rng.permutation(len(groups))])
    (slots,) = plan.outputs
    runner = Executable(replace(plan, outputs=(np.asarray(slots)[order],)), dtype)
    x, others = rng.uniform(1.0, 2.0, (4, columns)).astype(dtype), np.setdiff1d(np.arange(columns), order)
    x[:, others] = 0.0  # whose inverse is infinite
    y, around = guarded(4, len(order), dtype)
    assert runner.run([x, x], [y], 4, lanes=1) == 0
    np.testing.assert_array_equal(y[0], (1 / x[:, order]).astype(dtype))
    assert (around[[0, 2]] == SENTINEL).all()
    for column in order:
        spoiled = x.copy()
        spoiled[3, column] = 0.0
        assert runner.run([x, spoiled], [y], 4, lanes=1) == 1


@cache
def inverter(columns: int) -> Plan:
    """y = 1 / x; what is in `unused` goes nowhere."""

    def invert(w: Any) -> None:
        w.y = [1.0 / a for a in w.x]

    world = {"unused": columns, "x": columns, "y": columns}
    return make_plan([stage(invert)], world, ("unused", "x"), ("y",))


@pytest.mark.parametrize("lanes", LANES)
def test_every_number_that_is_not_finite_is_noticed(lanes, monkeypatch):
    """In any world and column, of an input that nothing depends on, or of an output whose inputs are finite; and no other."""
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    monkeypatch.setenv("REDMAX_LANES", lanes)
    columns, worlds = 5 if lanes == "4" else 3, 11
    runner = Executable(inverter(columns))
    fine, out = np.full((worlds, columns), 1e300), np.empty((1, worlds, columns))
    assert runner.run([fine, fine], [out], worlds) == 0
    assert runner.run([fine[0], fine], [out], worlds) == 0
    for at in np.ndindex(worlds, columns):
        for bad in (np.nan, np.inf, -np.inf):
            spoiled = fine.copy()
            spoiled[at] = bad
            assert runner.run([spoiled, fine], [out], worlds) == 1
        spoiled = fine.copy()
        spoiled[at] = 0.0
        assert runner.run([fine, spoiled], [out], worlds) == 1
        assert np.isinf(out[0][at])
