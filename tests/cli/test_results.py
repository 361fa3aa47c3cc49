"""A run that was kept: `run --out`, `plot`, `export`, `view`."""

from __future__ import annotations

import csv
import json
import os
import sys

import numpy as np
import pytest

import redmax as rm
from full_disk import full_disk
from redmax.results import sink
from redmax.results.writer import ResultWriter
from redmax.scenes import find

SHORT = ("--duration", "0.3")
LARGE = ("--integrator", "rk4", "--dt", "1e-3", "--duration", "20")  # megabytes


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A result file."""
    path = tmp_path_factory.mktemp("kept") / "helix.h5"
    rm.simulate(find("helix").scene(), 0.3, 0.01, out=path)
    return path


def test_out_holds_the_run_that_json_tells_the_end_of(redmax, tmp_path):
    status, out, err = redmax("run", "helix", *SHORT, "--out", "a.h5", "--json", "a.json")
    run, said = rm.load(tmp_path / "a.h5"), json.loads((tmp_path / "a.json").read_text())
    assert (status, err) == (0, "")
    assert "a.h5" in out
    assert np.asarray(run.q[-1]).tolist() == said["q"]
    assert float(run.t[-1]) == said["t"] == pytest.approx(0.3)


def test_out_replaces_a_result_and_nothing_else(redmax, tmp_path):
    (tmp_path / "mine.h5").write_text("what a person wrote")
    status, _, err = redmax("run", "helix", *SHORT, "--out", "mine.h5")
    assert status == 2
    assert "mine.h5" in err
    assert (tmp_path / "mine.h5").read_text() == "what a person wrote"
    for duration in ("0.1", "0.2"):
        assert redmax("run", "helix", "--duration", duration, "--out", "a.h5")[0] == 0
    assert rm.load(tmp_path / "a.h5").t[-1] == pytest.approx(0.2)


def test_blow_up_leaves_a_result_of_what_was_computed(redmax, tmp_path):
    options = ("--integrator", "forward-euler", "--dt", "0.1", "--duration", "30")
    status, out, err = redmax("run", "redmax:3", *options, "--out", "a.h5")
    run = rm.load(tmp_path / "a.h5")
    assert status == 1
    assert err.startswith("Error: The run broke off")
    assert "a.h5" in out
    assert 0 < run.t[-1] < 30
    assert np.isfinite(np.asarray(run.q)).all()
    assert redmax("export", "a.h5", "--html", "a.html", "--png", "a.png", "--size", "96x60")[::2] == (0, "")  # before the overflow
    assert redmax("plot", "a.h5", "--what", "reactions")[::2] == (0, "")


def test_a_full_disk_fails_the_run(redmax):
    """Status 1 as the page of commands has it, and not 2: nothing was wrong with the command."""
    with full_disk(100_000):
        status, out, err = redmax("run", "helix", *LARGE, "--out", "a.h5")
    assert (status, out) == (1, "")
    assert err.startswith("Error: Cannot write 'a.h5': File too large.")


@pytest.mark.parametrize(
    "what", ["energy", "reactions", *(pytest.param(what, marks=pytest.mark.long) for what in ("coordinates", "rates", "accelerations"))]
)
def test_plot_is_named_after_what_it_shows(redmax, kept, tmp_path, what):
    status, out, err = redmax("plot", kept, "--what", what)
    assert (status, out, err) == (0, f"Wrote helix-{what}.png.\n", "")
    assert (tmp_path / f"helix-{what}.png").read_bytes().startswith(b"\x89PNG")


def test_a_scene_is_run_first(redmax, tmp_path):
    assert redmax("new", "mine.yaml")[0] == 0
    text = (tmp_path / "mine.yaml").read_text().replace("duration: 8", "duration: 0.2")
    (tmp_path / "mine.yaml").write_text(text)
    status, out, err = redmax("export", "mine.yaml", "--csv", "a.csv", "--set", "angle=pi/4", "--what", "q", "--what", "torques")
    assert (status, out, err) == (0, "Wrote a.csv.\n", "")
    head, first, *_, last = list(csv.reader((tmp_path / "a.csv").open()))
    assert float(first[head.index("beam.q0 (rad)")]) == np.pi / 4
    assert "beam.tau0 (N m)" in head
    assert "total (J)" not in head
    assert float(last[0]) == pytest.approx(0.2)
    assert redmax("plot", "mine.yaml", "--out", "a.svg")[0] == 0
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_export_writes_everything_that_is_asked_for(redmax, kept, tmp_path):
    files = {"--html": "a.html", "--mp4": "a.mp4", "--gif": "a.gif", "--png": "a.png", "--csv": "a.csv"}
    begin = {"a.html": b"<!", "a.mp4": b"", "a.gif": b"GIF8", "a.png": b"\x89PNG", "a.csv": b"t (s)"}
    status, out, err = redmax("export", kept, *[word for pair in files.items() for word in pair], "--size", "96x60", "--fps", "10")
    assert (status, err) == (0, "")
    for name, bytes_ in begin.items():
        assert f"Wrote {name}." in out
        assert (tmp_path / name).read_bytes().startswith(bytes_)
    assert b"ftyp" in (tmp_path / "a.mp4").read_bytes()[:16]


def test_ctrl_c_ends_an_export_and_says_what_is_not_there(redmax, kept, monkeypatch):
    def stopped(*given, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("redmax.run.trajectory.Trajectory.film", stopped)
    status, out, err = redmax("export", kept, "--csv", "a.csv", "--mp4", "a.mp4")
    assert (status, err) == (130, "Interrupted; a.mp4 was not written.\n")
    assert "a.mp4" not in out


def test_export_writes_the_others_when_one_fails(redmax, kept, tmp_path):
    status, out, err = redmax("export", kept, "--html", "/dev/full", "--csv", "a.csv")
    assert (status, out, err) == (1, "Wrote a.csv.\n", "Error: Cannot write '/dev/full': No space left on device. Choose another place.\n")
    assert (tmp_path / "a.csv").read_text().count("\n") > 2


def test_export_says_every_file_that_it_could_not_write(redmax, kept, tmp_path):
    files = {"--html": "a.html", "--csv": "a.csv", "--png": "a.png"}
    for name in files.values():
        (tmp_path / name).write_text("old")
    with full_disk():
        status, out, err = redmax("export", kept, *[word for pair in files.items() for word in pair], "--size", "96x60")
    assert (status, out) == (1, "")
    sentence = "Error: Cannot write {!r}: File too large. Choose another place."
    assert err.splitlines() == [sentence.format(name) for name in ("a.html", "a.png", "a.csv")]
    assert {name: (tmp_path / name).read_text() for name in files.values()} == dict.fromkeys(files.values(), "old")


def test_every_path_that_cannot_be_is_said_before_the_run(redmax, kept, tmp_path):
    (tmp_path / "folder").mkdir()
    files = {"--html": "no/a.html", "--csv": "folder", "--gif": "a.mp4", "--png": "n" * 300 + ".png"}
    status, out, err = redmax("export", kept, *[word for pair in files.items() for word in pair])
    assert (status, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["--html", "--gif", "--png", "--csv"]
    assert "File name too long" in err
    status, out, err = redmax("run", "helix", "--out", "no/a.h5", "--html", "no/a.html", "--json", "folder", "--plot", "a.png")
    assert (status, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["--out", "--html", "--json"]
    assert os.listdir(tmp_path) == ["folder"]


def limited(monkeypatch, room):
    """Result files may not grow beyond so many bytes."""

    def within(todo):
        def call(*given, **options):
            with full_disk(room):
                return todo(*given, **options)

        return call

    for name in ("__init__", "write"):
        monkeypatch.setattr(ResultWriter, name, within(getattr(ResultWriter, name)))
    monkeypatch.setattr(sink, "PAUSE", 0)


@pytest.mark.parametrize("room", [100, 9_000_000])  # bytes: not even a beginning, and a part of the run
def test_a_result_that_cannot_be_written_leaves_the_other_files(redmax, monkeypatch, tmp_path, room):
    limited(monkeypatch, room)
    status, out, err = redmax("run", "helix", *LARGE, "--out", "a.h5", "--json", "a.json")
    assert status == 1
    assert "not made: Cannot write 'a.h5': File too large" in out
    assert err.startswith("Error: Cannot write 'a.h5': File too large.")
    assert err.count("\n") == 1
    t = json.loads((tmp_path / "a.json").read_text())["t"]
    assert (t == 20) if room == 100 else (0 < t < 20)


def test_view_opens_what_was_kept(redmax, kept, monkeypatch):
    seen = []
    monkeypatch.setattr("redmax.view.live.view_run", lambda run, *options: seen.append((run, options)))
    status, _, err = redmax("view", kept, "--no-browser", "--port", "9000", "--host", "0.0.0.0")
    (run, options), loaded = seen[0], rm.load(kept)
    assert (status, err) == (0, "")
    assert options == (9000, False, True, "0.0.0.0")
    np.testing.assert_array_equal(np.asarray(run.q), np.asarray(loaded.q))


def test_run_with_view_hands_the_parameters_to_the_page(redmax, monkeypatch, tmp_path):
    told = {}

    def watch(make, parameters, **options):
        told.update(options, parameters=parameters)
        return rm.simulate(make({**parameters, "angle": 0.1}), 0.1, 0.01)

    monkeypatch.setattr("redmax.view.live.watch", watch)
    redmax("new", "mine.yaml")
    (tmp_path / "mine.yaml").write_text((tmp_path / "mine.yaml").read_text().replace("run: {", "run: {every: 2, backend: llvm, "))
    status, out, err = redmax("run", "mine.yaml", "--set", "mass=3", "--view", "--json", "-", "--no-browser", "--duration", "0.1")
    assert (status, err) == (0, "")
    assert told["parameters"]["mass"] == 3
    assert told["parameters"]["angle"] == pytest.approx(np.pi / 5)
    assert (told["duration"], told["open_browser"], told["block"], told["host"]) == (0.1, False, True, "127.0.0.1")
    assert told["backend"] == "llvm"
    assert "every" not in told
    assert json.loads(out)["scene"] == "mine"


def test_moment_arms_over_a_coordinate_need_no_run(redmax, tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.cli.plot.trajectory_of", None)
    status, out, err = redmax("plot", "kick", "--what", "moment-arms", "--over", "knee", "--between", "0", "2", "--muscle", "vasti")
    assert (status, out, err) == (0, "Wrote kick-moment-arms.png.\n", "")
    assert (tmp_path / "kick-moment-arms.png").read_bytes().startswith(b"\x89PNG")


WRONG = {
    "over no coordinate": (["plot", "kick", "--what", "moment-arms", "--over", "kne"], "Did you mean 'knee'"),
    "over what is of time": (["plot", "kick", "--what", "muscles", "--over", "knee"], "A coordinate is swept for moment-arms"),
    "no such result": (["plot", "heliks.h5"], "There is no file 'heliks.h5'."),
    "near result": (["view", "{folder}/helixx.h5"], "Did you mean '{folder}/helix.h5'?"),
    "no such scene": (["export", "helics", "--csv", "a.csv"], "Did you mean 'helix'?"),
    "folder": (["plot", "."], "'.' is a folder"),
    "no result": (["view", "text.h5"], "text.h5"),
    "host of others": (["view", "{kept}", "--no-browser", "--host", "192.0.2.1"], "host must be an address or a name of this machine"),
    "run a result": (["run", "{kept}"], "is the result of a run, not a scene. Look at it with: redmax view"),
    "set of a result": (["plot", "{kept}", "--set", "mass=2"], "--set is for scenes"),
    "no such quantity": (["plot", "{kept}", "--what", "energi"], "Did you mean 'energy'?"),
    "no such joint": (["plot", "{kept}", "--what", "rates", "--joint", "nutt"], "Did you mean 'nut'"),
    "joints of energy": (["plot", "{kept}", "--joint", "nut"], "joints are for coordinates"),
    "file and window": (["plot", "{kept}", "--out", "a.png", "--window"], "--out and --window"),
    "kind of plot": (["plot", "{kept}", "--out", "a.h5"], "expected .png, .svg, .pdf"),
    "plot nowhere": (["plot", "{kept}", "--out", "no/a.png"], "there is no folder 'no'"),
    "over itself": (["export", "{kept}", "--csv", "{kept}"], "names the file that is read"),
    "no such column": (["export", "{kept}", "--csv", "a.csv", "--what", "torque"], "Did you mean 'torques'"),
    "columns of nothing": (["export", "{kept}", "--png", "a.png", "--what", "q"], "--what says what the table of --csv holds"),
    "nothing to export": (["export", "{kept}"], "Say what to write: --html, --mp4, --gif, --webp, --png or --csv."),
    "kind of film": (["export", "{kept}", "--mp4", "a.gif"], "--mp4: 'a.gif' ends in '.gif', expected .mp4."),
    "odd size of a film": (["export", "{kept}", "--mp4", "a.mp4", "--size", "321x201"], "expected an even width and height"),
    "kind of table": (["export", "{kept}", "--csv", "a.html"], "--csv: 'a.html' ends in '.html', expected .csv."),
    "two at once": (["export", "{kept}", "--gif", "a.gif", "--html", "a.gif"], "name the same file"),
    "size": (["export", "{kept}", "--png", "a.png", "--size", "960"], "expected a width and a height"),
    "huge size": (["export", "{kept}", "--png", "a.png", "--size", "99999x9"], "each a whole number from 16 to 4096"),
    "nan fps": (["export", "{kept}", "--gif", "a.gif", "--fps", "nan"], "--fps must be a positive number"),
    "negative speed": (["export", "{kept}", "--gif", "a.gif", "--speed", "-1"], "--speed must be a positive number"),
    "infinite speed": (["export", "{kept}", "--gif", "a.gif", "--speed", "inf"], "--speed must be a positive number"),
    "time after the end": (["export", "{kept}", "--png", "a.png", "--at", "7"], "--at is 7 s, expected a time within the run"),
    "nan time": (["export", "{kept}", "--png", "a.png", "--at", "nan"], "--at is nan s, expected a time within the run"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence_and_status_2(redmax, kept, tmp_path, case):
    (tmp_path / "text.h5").write_text("no result")
    arguments, message = WRONG[case]
    status, out, err = redmax(*[a.format(kept=kept, folder=kept.parent) for a in arguments])
    assert (status, out) == (2, "")
    assert message.format(kept=kept, folder=kept.parent) in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["text.h5"]


def test_a_window_needs_a_display(redmax, kept, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    status, _, err = redmax("plot", kept, "--window")
    assert status == 2
    assert "A window cannot be shown: there is no display" in err
    assert "--out" in err


@pytest.mark.parametrize("words", [("export", "helix", "--html", "no/a.html"), ("plot", "helix", "--out", "a.gif"), ("view", "a.h5")])
def test_wrong_paths_are_found_before_a_scene_is_run(redmax, monkeypatch, words):
    monkeypatch.setattr(sys.modules["redmax.run.simulate"], "simulate", lambda *a, **b: pytest.fail("ran although the path is wrong"))
    assert redmax(*words)[0] == 2


def test_info_says_what_a_result_file_holds(redmax, tmp_path):
    """As h5py finds it there: shapes, units, and where a world, or all of it, broke off."""
    import h5py

    scene = rm.Scene(title="Slide")
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: 50.0 * qdot**3, joint_name="slide")
    start = rm.State(0.0, np.zeros((2, 1)), np.array([[0.01], [0.33]]))
    with pytest.warns(rm.RedmaxWarning, match="1 of 2 worlds"):
        run = rm.simulate(scene, 0.2, 0.01, initial=start, out=tmp_path / "two.h5")
    status, out, _ = redmax("info", "two.h5")
    assert status == 0
    for part in (
        "Slide",
        "adaptive, rtol 1e-08",
        f"{run.steps} steps",
        "21, from t = 0 to 0.2 s",
        "2, of which 1 broke off",
        "world 1 at t =",
    ):
        assert part in out
    facts = json.loads(redmax("info", "two.h5", "--json")[1])
    assert (facts["samples"], facts["worlds"], facts["complete"], facts["integrator"]) == (21, [2], True, "adaptive")
    assert [f["world"] for f in facts["failures"]] == [[1]]
    with h5py.File(tmp_path / "two.h5") as file:
        assert {"t", "q", "qdot", "energy/kinetic", "bodies/position"} <= {q["name"] for q in facts["quantities"]}
        for quantity in facts["quantities"]:
            stored = file[quantity["name"]]
            assert [21, *stored.shape[1:]] == quantity["shape"]  # type: ignore[union-attr]
            assert "coordinates" in (unit := stored.attrs["unit"]) or unit == quantity["unit"]
            assert len(quantity["axes"]) == len(quantity["shape"])
    assert {q["name"]: q["unit"] for q in facts["quantities"]}["qdot"] == "m/s"
    with pytest.raises(rm.SimulationError):
        rm.simulate(scene, 0.2, 0.01, initial=rm.State(0.0, [0.0], [0.33]), out=tmp_path / "one.h5")
    out = redmax("info", "one.h5")[1]
    assert "ended        broke off at t =" in out
    assert "why          The run broke off" in out
    (tmp_path / "a.yaml").write_text("title: a")
    assert "'a.yaml' is no result of a run" in redmax("info", "a.yaml")[2]
    assert redmax("info", "there-is-none.h5")[0] == 2
