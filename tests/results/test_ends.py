"""However a run ends, its file holds what was computed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import h5py
import numpy as np
import pytest

import redmax as rm
from full_disk import full_disk
from redmax.results.target import put_in_place
from redmax.writing import Draft
from results import crafted, scenes

LONG = """
    import sys
    sys.path.insert(0, {tests!r})
    import redmax as rm
    from results import crafted, scenes
    rm.simulate(scenes.arm(), {duration}, 0.001, integrator={integrator!r}, out="run.h5")
"""


def script(text, folder, **facts):
    """A process of its own."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = textwrap.dedent(text).format(tests=tests, **facts)
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, process, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("integrator", ["rk4", pytest.param("adaptive", marks=pytest.mark.long)])
def test_a_killed_run_leaves_everything_up_to_the_last_flush(tmp_path, integrator):
    path, duration = tmp_path / "run.h5", 2000
    process = script(LONG, tmp_path, duration=duration, integrator=integrator)
    try:
        wait_for(path.exists, process)
        seen = [len(rm.load(path))]  # while it is being written
        wait_for(lambda: len(rm.load(path)) > seen[0], process)
        live = rm.load(path)
        wait_for(lambda: len(live.refreshed()) > len(live), process)
        with pytest.raises(rm.RedmaxError, match=f"process {process.pid} is writing a run to it"):
            rm.simulate(scenes.arm(), 0.1, out=path)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    run = rm.load(path)
    assert not run.complete
    assert run.ended == ""
    assert len(run) > len(live) > 1
    assert run.settings["duration"] == duration
    assert run.steps > 0
    if integrator == "rk4":
        count = min(len(run), 20_000)
        whole = rm.simulate(scenes.arm(), (count - 1) / 1000, 0.001, integrator="rk4")
        np.testing.assert_array_equal(run[:count].q, whole.q)
        np.testing.assert_array_equal(run[:count].energy.total, whole.energy.total)
    else:  # in the same portions
        first = interrupted_at(duration, 4000)
        count = min(len(first), len(run))
        np.testing.assert_array_equal(run[:count].q, first[:count].q)
    np.testing.assert_array_equal(live.q[-5:], run.q[len(live) - 5 : len(live)])
    with h5py.File(path, "r", swmr=True) as file:
        used = int(file["status/bytes"][0])
    (tmp_path / "cut.h5").write_bytes(path.read_bytes()[: used - 1])
    with pytest.raises(rm.RedmaxError, match="cut off"):
        rm.load(tmp_path / "cut.h5")
    rm.simulate(scenes.arm(), 0.1, 0.01, out=path)  # nobody writes there any more
    assert len(rm.load(path)) == 11


def interrupted_at(duration, samples):
    """The first samples of the same run."""

    def stop(t, end):
        if t > samples / 1000:
            raise KeyboardInterrupt

    with pytest.raises(rm.Interrupted) as caught:
        rm.simulate(scenes.arm(), duration, 0.001, progress=stop)
    return caught.value.trajectory


def test_ctrl_c_closes_the_file(tmp_path):
    def stop(t, end):
        if t > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(rm.Interrupted) as caught:
        rm.simulate(scenes.arm(), 1.0, 0.01, progress=stop, out=tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r") as file:  # as any reader opens it: it was closed
        assert file["status/ended"][0] == b"interrupted"
    run = rm.load(tmp_path / "run.h5")
    assert not run.complete
    assert 0.5 < run.t[-1] < 0.6
    np.testing.assert_array_equal(caught.value.trajectory.q, run.q)
    np.testing.assert_array_equal(run.q, rm.simulate(scenes.arm(), 1.0, 0.01).q[: len(run)])


def test_a_run_that_blows_up_keeps_its_good_samples(tmp_path):
    def broken(**where):
        with pytest.raises(rm.SimulationError, match="broke off") as caught:
            rm.simulate(scenes.blowing(), 20.0, 0.01, integrator="forward-euler", **where)
        return caught.value

    memory, error = broken(), broken(out=tmp_path / "run.h5")
    assert str(error) == str(memory)
    run = rm.load(tmp_path / "run.h5")
    assert not run.complete
    assert run.ended == error.reason
    assert run.steps == memory.trajectory.steps
    np.testing.assert_array_equal(run.q, memory.trajectory.q)
    np.testing.assert_array_equal(error.trajectory.q, run.q)
    assert np.isfinite(run.energy.kinetic[:10]).all()


def test_an_error_of_the_users_closes_the_file(tmp_path):
    def controller(t, q, qdot):
        if t > 0.105:
            raise ZeroDivisionError("mine")
        return 0 * qdot

    with pytest.raises(ZeroDivisionError, match="mine"):
        rm.simulate(scenes.arm(), 1.0, 0.01, integrator="rk4", controller=controller, out=tmp_path / "run.h5")
    run = rm.load(tmp_path / "run.h5")
    assert run.ended == "ZeroDivisionError: mine"
    assert len(run) == 12
    assert not run.complete


def test_a_full_disk_is_a_sentence_and_what_was_written_stays(tmp_path):
    with full_disk(6_000_000), pytest.raises(rm.RedmaxError, match=r"^Cannot write '.*run\.h5': File too large\. "):
        rm.simulate(scenes.arm(), 100, 0.001, integrator="rk4", out=tmp_path / "run.h5")
    run = rm.load(tmp_path / "run.h5")
    assert not run.complete
    assert "File too large" in run.ended
    assert len(run) > 1000
    np.testing.assert_array_equal(run.q, rm.simulate(scenes.arm(), (len(run) - 1) / 1000, 0.001, integrator="rk4").q)


def test_memory_stays_bounded_while_the_file_grows(tmp_path):
    code = """
        import resource, sys
        sys.path.insert(0, {tests!r})
        import redmax as rm
        from results import crafted, scenes
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        rm.simulate(scenes.arm(), 5.0, 0.001, integrator="rk4", out="run.h5")
        before = peak()
        run = rm.simulate(scenes.arm(), 60.0, 0.001, integrator="rk4", out="run.h5")
        drift, last = run.energy.drift.max(), run.state().q
        part = run[30_000:31_000].pose("lower")
        print(peak() - before, len(run))
    """
    out, err = script(code, tmp_path).communicate()
    assert err == ""
    grown, samples = map(int, out.split())
    assert samples == 60_001
    size = (tmp_path / "run.h5").stat().st_size
    assert size > 40e6
    assert grown < size / 4


def test_a_run_is_readable_while_this_process_writes_it(tmp_path):
    seen = []

    def look(t, end):
        run = rm.load(tmp_path / "run.h5")
        seen.append((len(run), run.complete, run.t[-1] <= t))

    rm.simulate(scenes.arm(), 1.0, 0.01, progress=look, out=tmp_path / "run.h5")
    assert len(seen) == 50
    assert all(not complete and behind for _, complete, behind in seen)


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
