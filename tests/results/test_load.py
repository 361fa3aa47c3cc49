"""`load` opens results, and says of everything else what it is and what to do."""

from __future__ import annotations

import contextlib
import pickle
import warnings
from dataclasses import dataclass
from zlib import crc32

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redmax as rm
from results import crafted, scenes


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "run.h5"
    rm.simulate(scenes.arm(), 0.2, 0.01, integrator="rk4", out=path)
    return path


def changed(result, tmp_path, change):
    """A copy of the file in which something is different."""
    path = tmp_path / "changed.h5"
    path.write_bytes(result.read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file or directory"),
        (b"", "is not a result file"),
        (b"bodies: []", "is not a result file"),
        (b"\x89HDF\r\n\x1a\n" + bytes(200), "damaged, or was cut off"),
    ],
)
def test_what_is_no_result(tmp_path, content, says):
    path = tmp_path / "thing.h5"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(rm.RedmaxError, match=says) as caught:
        rm.load(path)
    assert "thing.h5" in str(caught.value)


def test_folders_scene_files_and_what_is_no_path(tmp_path):
    with pytest.raises(rm.RedmaxError, match="is a folder"):
        rm.load(tmp_path)
    scenes.arm().save(tmp_path / "arm.yaml")
    with pytest.raises(rm.RedmaxError, match=r"redmax\.Scene\.load"):
        rm.load(tmp_path / "arm.yaml")
    with pytest.raises(rm.RedmaxError, match="named by a path"):
        rm.load(3)  # type: ignore[arg-type]
    with pytest.raises(rm.RedmaxError, match="null"):
        rm.load("run\0.h5")


def test_files_of_others_and_of_later_versions(result, tmp_path):
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["q"] = [1.0, 2.0]
    with pytest.raises(rm.RedmaxError, match=r"not a result file of redmax\. Open it with h5py"):
        rm.load(tmp_path / "foreign.h5")
    with pytest.raises(rm.RedmaxError, match=r"version 99 of the format .* Update redmax"):
        rm.load(changed(result, tmp_path, lambda file: file.attrs.update({"format_version": 99})))


@pytest.mark.parametrize("name", ["t", "q", "checks/count", "checks/blocks", "scene", "coordinates"])
def test_a_file_that_lacks_something(result, tmp_path, name):
    with pytest.raises(rm.RedmaxError, match="damaged"):
        rm.load(changed(result, tmp_path, lambda file: file.__delitem__(name)))


def test_a_file_whose_counter_is_beyond_its_samples(result, tmp_path):
    def counted(file):
        file["status/samples"][0] = 22

    assert len(rm.load(changed(result, tmp_path, counted))) == 21  # what was written with a checksum counts
    with pytest.raises(rm.RedmaxError, match="has 21 samples of 22"):
        rm.load(changed(result, tmp_path, lambda file: (crafted.version_1(file, tmp_path), counted(file))))


def test_a_scene_that_is_not_one(result, tmp_path):
    def scramble(file):
        del file["scene"]
        file["scene"] = np.bytes_("bodies: [{joint: Revolut}]")
        file.attrs["scene_check"] = crc32(file["scene"][()])

    with pytest.raises(rm.RedmaxError, match="cannot be read"):
        rm.load(changed(result, tmp_path, scramble))


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """What a process leaves that is killed in the middle of a run: the file as it is then."""
    path = tmp_path_factory.mktemp("results") / "run.h5"
    left = path.with_name("killed.h5")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("redmax.results.sink.PAUSE", 0.0)
        rm.simulate(scenes.arm(), 0.2, 0.01, integrator="rk4", out=path, progress=lambda t, end: left.write_bytes(path.read_bytes()))
    return left


def test_a_killed_run_opens_only_beside_a_writer(killed):
    with pytest.raises(OSError, match="already open for write"):
        h5py.File(killed, "r")
    with h5py.File(killed, "r", swmr=True) as file:
        assert file["status/samples"][0] == len(rm.load(killed)) > 10


@pytest.mark.parametrize("state", ["result", "killed"])
@settings(max_examples=40)
@given(data=st.data())
def test_cut_off_or_scrambled_files_give_a_run_or_a_sentence(state, request, tmp_path_factory, data):
    content = bytearray(request.getfixturevalue(state).read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, min(len(content), 40_000) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "scrambled.h5"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(rm.RedmaxError):
            rm.load(path).to_numpy()


@dataclass(frozen=True)
class Weight(rm.Sphere):
    """A class of the user's, which no file can name."""


def own() -> rm.Scene:
    scene = rm.Scene(title="own")
    scene.add_body(Weight(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="ball")
    return scene


def test_a_scene_that_cannot_be_saved_is_given_again(tmp_path):
    with pytest.warns(rm.RedmaxWarning, match=r"will not hold the scene: .*redmax\.load\(path, scene=\.\.\.\)"):
        run = rm.simulate(own(), 0.1, 0.01, out=tmp_path / "run.h5")
    with pytest.raises(rm.RedmaxError, match=r"does not hold its scene .*scene=") as caught:
        rm.load(tmp_path / "run.h5")
    assert "run.h5" in str(caught.value)
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5", scene=own()).q, run.q)
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5", scene=own().model()).pose("ball"), run.pose("ball"))
    with pytest.raises(rm.RedmaxError, match="is of another scene: it has joints ball with 1 coordinates"):
        rm.load(tmp_path / "run.h5", scene=scenes.arm())


def test_only_results_are_replaced(tmp_path):
    note = tmp_path / "notes.txt"
    note.write_text("mine")
    for out, says in (
        (note, "exists and is not a result file"),
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "run.h5", "there is no folder"),
        (3, "named by a path"),
    ):
        with pytest.raises(rm.RedmaxError, match=says):
            rm.simulate(scenes.arm(), 0.1, 0.01, out=out)
        with pytest.raises(rm.RedmaxError, match=says):
            rm.simulate(scenes.arm(), 0.1, 0.01).save(out)
    assert note.read_text() == "mine"


def test_a_folder_that_may_not_be_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.results.target.os.access", lambda path, mode: False)  # root, who may run this, may write everywhere
    with pytest.raises(rm.RedmaxError, match="may not be written to"):
        rm.simulate(scenes.arm(), 0.1, 0.01, out=tmp_path / "run.h5")


def test_runs_can_be_pickled(result):
    stored = rm.load(result)
    for run in (stored, rm.simulate(scenes.arm(), 0.2, 0.01, integrator="rk4")):
        again = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(again.q, run.q)
        np.testing.assert_array_equal(again.energy.total, run.energy.total)
        np.testing.assert_array_equal(again.pose("bob"), run.pose("bob"))
        assert again.settings == run.settings
        assert again.integrator == "rk4"


@pytest.fixture(scope="module")
def charted(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "charted.h5"
    rm.simulate(scenes.tumbling(), 0.2, 0.01, integrator="rk4", out=path)
    return path


@pytest.mark.parametrize("number", [-1, 99, 2**31, 2**62, -(2**63)])
def test_numbers_of_charts_that_are_none_are_said_wherever_they_are_used(charted, tmp_path, number):
    def change(file):
        crafted.version_1(file, tmp_path)
        file["charts"][3] = number
        for name in ("energy/kinetic", "bodies/rotation"):
            del file[name]

    run = rm.load(changed(charted, tmp_path, change))
    uses = (lambda: run.energy.total, lambda: run.pose("top"), lambda: run.chart("top"), lambda: run.state(3), lambda: run.observed)
    for use in uses:
        with pytest.raises(rm.RedmaxError, match="There is no chart"):
            use()
