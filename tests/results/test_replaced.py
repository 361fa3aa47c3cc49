"""A result over another: the old one stays until the new one has begun, and two runs never write one file."""

from __future__ import annotations

import os
import signal

import h5py
import numpy as np
import pytest

import redmax as rm
from full_disk import full_disk
from redmax.results.target import put_in_place
from redmax.writing import Draft
from results import crafted, scenes
from results.processes import script


def test_an_earlier_run_in_the_same_file_says_that_it_was_replaced(tmp_path):
    first = rm.simulate(scenes.arm(), 0.1, 0.01, out=tmp_path / "run.h5")
    second = rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")
    assert len(np.asarray(second.q)) == 21
    with pytest.raises(rm.RedmaxError, match="replaced by another run"):
        np.asarray(first.q)
    (tmp_path / "run.h5").unlink()
    with pytest.raises(rm.RedmaxError, match="No such file"):
        np.asarray(second.q)


def unfinished(path, **writer):
    """A result as a process leaves it that was killed, or still runs."""
    rm.simulate(scenes.arm(), 0.1, 0.01, out=path)
    with h5py.File(path, "r+") as file:
        file["status/ended"][0] = b""
        crafted.reheaded(file, **writer)


def test_of_runs_that_start_together_one_goes_on(tmp_path):
    """Both found the name free; the second finds it taken when its file has begun."""
    path = tmp_path / "run.h5"
    unfinished(tmp_path / "other.h5")
    drafts = [Draft(path) for _ in range(2)]
    for draft in drafts:
        draft.path.write_bytes((tmp_path / "other.h5").read_bytes())
    put_in_place(drafts[0])
    assert sorted(os.listdir(tmp_path)) == [drafts[1].path.name, "other.h5", "run.h5"]
    before = path.read_bytes()
    with pytest.raises(rm.RedmaxError, match=f"process {os.getpid()} is writing a run to it"):
        put_in_place(drafts[1])
    drafts[1].discard()
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["other.h5", "run.h5"]


def test_a_later_process_with_the_number_of_the_writer_is_not_the_writer(tmp_path):
    """In a container a run may well have the number of the one that was killed before."""
    unfinished(tmp_path / "run.h5", writer_began="1")
    assert len(rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")) == 21
    unfinished(tmp_path / "run.h5")
    with pytest.raises(rm.RedmaxError, match="is writing a run to it"):
        rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")


def test_a_file_without_content_may_become_a_result(tmp_path):
    (tmp_path / "run.h5").touch()
    assert len(rm.simulate(scenes.arm(), 0.1, 0.01, out=tmp_path / "run.h5")) == 11


def test_a_link_with_the_name_that_a_draft_had_is_not_followed(tmp_path):
    """The number of a process can be guessed."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / f".run.h5.{os.getpid()}.part").symlink_to("victim")
    rm.simulate(scenes.arm(), 0.1, 0.01, out=tmp_path / "run.h5")
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_run_that_is_killed_before_its_first_sample_leaves_the_old_result(tmp_path):
    rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")
    (tmp_path / "run.h5").chmod(0o600)
    code = """
        import os, signal, sys
        sys.path.insert(0, {tests!r})
        import redmax as rm
        from redmax.results.writer import ResultWriter
        from results import crafted, scenes
        ResultWriter.commit = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
        rm.simulate(scenes.arm(), 0.1, 0.01, out="run.h5")
    """
    assert script(code, tmp_path).wait(60) == -signal.SIGKILL
    assert len(rm.load(tmp_path / "run.h5")) == 21
    assert len(os.listdir(tmp_path)) == 2
    again = "import sys; sys.path.insert(0, {tests!r}); import redmax as rm; from results import scenes"
    assert script(f"{again}; rm.simulate(scenes.arm(), 0.1, 0.01, out='run.h5')", tmp_path).wait(60) == 0
    assert os.listdir(tmp_path) == ["run.h5"]
    assert len(rm.load(tmp_path / "run.h5")) == 11
    assert (tmp_path / "run.h5").stat().st_mode & 0o777 == 0o600


def test_a_full_disk_at_the_start_leaves_the_old_result(tmp_path):
    rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")
    with full_disk(100), pytest.raises(rm.RedmaxError, match="File too large"):
        rm.simulate(scenes.arm(), 0.1, 0.01, out=tmp_path / "run.h5")
    assert len(rm.load(tmp_path / "run.h5")) == 21
    assert os.listdir(tmp_path) == ["run.h5"]


def test_a_link_to_a_result_stays_a_link(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "latest.h5").symlink_to("runs/1.h5")
    for samples in (11, 21):
        rm.simulate(scenes.arm(), (samples - 1) / 100, 0.01, out=tmp_path / "latest.h5")
        assert (tmp_path / "latest.h5").is_symlink()
        assert len(rm.load(tmp_path / "runs" / "1.h5")) == samples
    assert os.listdir(tmp_path / "runs") == ["1.h5"]


def test_a_run_that_cannot_be_saved_whole_leaves_the_old_result(tmp_path):
    """A file that nobody waits for gets its name at its end, unlike one that a run is written to."""
    rm.simulate(scenes.arm(), 0.2, 0.01, out=tmp_path / "run.h5")
    run = rm.simulate(scenes.arm(), 6.0, 0.001, integrator="rk4")
    run.save(tmp_path / "whole.h5")
    room = (tmp_path / "whole.h5").stat().st_size * 2 // 3
    with full_disk(room), pytest.raises(rm.RedmaxError, match=r"File too large\. Choose another place\."):
        run.save(tmp_path / "run.h5")
    assert len(rm.load(tmp_path / "run.h5")) == 21
    assert sorted(os.listdir(tmp_path)) == ["run.h5", "whole.h5"]


def test_a_result_can_be_saved_over_itself(tmp_path):
    rm.simulate(scenes.arm(), 2.0, 0.001, integrator="rk4", out=tmp_path / "run.h5")
    whole = np.asarray(rm.load(tmp_path / "run.h5").q)
    rm.load(tmp_path / "run.h5").save(tmp_path / "run.h5", ["energy"])
    np.testing.assert_array_equal(np.asarray(rm.load(tmp_path / "run.h5").q), whole)
