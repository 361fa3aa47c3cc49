"""Arrays in a file behave as NumPy's, and parts of runs as runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices

import redmax as rm
from redmax.results.array import StoredArray
from redmax.results.source import FileSource
from results import scenes


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same run of 3 worlds in memory and in a file."""
    options = {"integrator": "rk4", "initial": scenes.batch((3,))}
    path = tmp_path_factory.mktemp("results") / "run.h5"
    return rm.simulate(scenes.arm(), 0.3, 0.01, **options), rm.simulate(scenes.arm(), 0.3, 0.01, out=path, **options)


@given(index=basic_indices((31, 3, 5), allow_newaxis=True))
def test_indices_are_those_of_numpy(runs, index):
    memory, stored = runs
    np.testing.assert_array_equal(stored.q[index], memory.q[index])


@given(first=st.slices(31), second=st.slices(31))
def test_parts_of_parts(runs, first, second):
    memory, stored = runs
    if not len(memory.q[first]) or not len(memory.q[first][second]):
        return
    part = stored[first][second]
    np.testing.assert_array_equal(part.q, memory.q[first][second])
    np.testing.assert_array_equal(part.t, memory[first][second].t)
    np.testing.assert_array_equal(part.world(1).energy.total, memory.energy.total[first][second][:, 1])


def test_masks_lists_and_arrays_are_those_of_numpy(runs):
    memory, stored = runs
    mask = memory.t > 0.1
    for index in (mask, [3, 1, 1], np.array([0, 5]), (slice(None), [0, 2]), (mask, 1), (0, 1, 2), -1):
        np.testing.assert_array_equal(stored.q[index], memory.q[index])
    for wrong in (31, (0, 3), -32, (0, 0, 0, 0), "a"):
        with pytest.raises(IndexError):
            memory.q[wrong]
        with pytest.raises((IndexError, ValueError)):
            stored.q[wrong]


def test_functions_operators_and_methods_are_those_of_numpy(runs):
    memory, stored = runs
    q: np.ndarray = stored.q
    assert isinstance(q, StoredArray)
    assert (q.shape, q.ndim, q.size, len(q), q.dtype) == (memory.q.shape, 3, memory.q.size, 31, np.float64)
    np.testing.assert_array_equal(q + 1, memory.q + 1)
    np.testing.assert_array_equal(2 * q, 2 * memory.q)
    np.testing.assert_array_equal(np.sin(q), np.sin(memory.q))
    np.testing.assert_array_equal(np.concatenate([q, q]), np.concatenate([memory.q, memory.q]))
    np.testing.assert_array_equal(np.add.reduce(q), np.add.reduce(memory.q))
    assert q.max() == memory.q.max()
    assert q.reshape(31, -1).shape == (31, 15)
    assert q.T.shape == (5, 3, 31)
    assert "run.h5" in repr(q)
    assert all((a == b).all() for a, b in zip(q, memory.q, strict=True))


def test_only_what_is_asked_for_is_read(runs, monkeypatch):
    read: list[tuple[int, ...]] = []
    original = StoredArray.read

    def spied(self, index):
        found = original(self, index)
        read.append(np.shape(found))
        return found

    monkeypatch.setattr(StoredArray, "read", spied)
    stored = runs[1]
    stored.state(-1)
    stored[10:12].world(0).pose("bob")
    stored.coordinates("elbow")
    assert read == [(3, 5), (3, 5), (2, 3, 3), (2, 3), (31, 3, 1)] or max(int(np.prod(s)) for s in read) <= 31 * 3


def test_worlds_and_states_of_stored_runs(runs):
    memory, stored = runs
    for world in (0, 2, -1):
        a, b = memory.world(world), stored.world(world)
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a.energy.drift, b.energy.drift)
        np.testing.assert_array_equal(a.reaction("elbow"), b.reaction("elbow"))
        np.testing.assert_array_equal(a.state(3).q, b.state(3).q)
    with pytest.raises(rm.SceneError, match="There is no world 3"):
        stored.world(3)


@pytest.mark.parametrize("index", [3, slice(5, 5), "a", (slice(1), 0)])
@pytest.mark.parametrize("which", [0, 1])
def test_a_part_of_a_run_has_samples(runs, index, which):
    with pytest.raises(rm.SceneError, match="takes a range that holds some of the 31 samples"):
        runs[which][index]


def test_other_samples_are_looked_at_anew(runs):
    """What a caller puts in place of q is not mixed with what the file holds of the old."""
    from dataclasses import replace

    memory, stored = (run.world(0) for run in runs)
    fewer = {name: getattr(stored, name)[:4] for name in ("t", "q", "qdot", "charts")}
    short = replace(stored, **fewer)
    np.testing.assert_array_equal(short.energy.total, memory[:4].energy.total)
    np.testing.assert_array_equal(short.pose("bob"), memory.pose("bob")[:4])
    np.testing.assert_array_equal(short.reaction("bob"), memory.reaction("bob")[:4])


def test_a_source_is_one_run(runs, tmp_path):
    source = runs[1].record.source
    with source.open() as file:
        assert str(file.attribute("number", "i")) == source.id
    with pytest.raises(rm.RedmaxError, match="replaced"), FileSource(source.path, "other").open():
        pass
