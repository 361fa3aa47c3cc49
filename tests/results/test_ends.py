"""However a run ends, its file holds what was computed."""

from __future__ import annotations

import signal

import h5py
import numpy as np
import pytest

import redmax as rm
from full_disk import full_disk
from results import scenes
from results.processes import script, wait_for

LONG = """
    import sys
    sys.path.insert(0, {tests!r})
    import redmax as rm
    from results import crafted, scenes
    rm.simulate(scenes.arm(), {duration}, 0.001, integrator={integrator!r}, out="run.h5")
"""


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
