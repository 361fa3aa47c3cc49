"""`redmax run`: what it writes, where, and with which exit status."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import redmax as rm
from redmax import cli
from redmax.run.combinations import Rule
from redmax.run.loop import Loop
from redmax.scenes import find

KEYS = ["scene", "reference", "dynamics", "integrator", "dt", "t", "steps", "q", "qdot", "chart", "energy", "wall_s", "compile_s"]
ENERGY = ["kinetic", "potential", "total", "initial_potential", "initial_kinetic", "H"]


def replace_simulate(monkeypatch, action):
    monkeypatch.setattr(sys.modules["redmax.run.simulate"], "simulate", lambda *arguments, **options: action())


def test_json_holds_the_final_state(redmax):
    status, out, err = redmax("run", "redmax:3", "--integrator", "adaptive", "--json", "-")
    found = json.loads(out)
    run = rm.simulate(find("redmax:3").scene(), 3, 0.01)
    assert (status, err) == (0, "")
    assert list(found) == KEYS
    assert list(found["energy"]) == ENERGY
    assert [found[k] for k in ("scene", "reference", "dynamics", "integrator", "dt", "t")] == [
        "spherical-chain", "redmax:3", "recursive", "adaptive", 0.01, pytest.approx(3)
    ]  # fmt: skip
    assert found["q"] == run.q[-1].tolist()
    assert found["qdot"] == run.qdot[-1].tolist()
    assert found["chart"] == {"body1": "exp", "body2": "exp"}
    assert found["steps"] > 100
    assert found["wall_s"] > 0
    assert found["compile_s"] > 0


def test_json_energies_add_up(redmax):
    energy = json.loads(redmax("run", "redmax:3", "--integrator", "rk4", "--dt", "0.001", "--json", "-")[1])["energy"]
    assert energy["total"] == pytest.approx(energy["kinetic"] + energy["potential"])
    assert energy["H"] == pytest.approx(energy["total"] - energy["initial_potential"])
    assert energy["H"] == pytest.approx(energy["initial_kinetic"], rel=1e-4)
    assert energy["initial_kinetic"] == pytest.approx(523.3499273)


def test_summary_says_what_happened_and_where_the_files_are(redmax, tmp_path):
    status, out, err = redmax("run", "--duration", "1", "--html", "a.html", "--plot", "b.png", "--json", "c.json")
    assert (status, err) == (0, "")
    for part in ("Kinetic sculpture", "1 s in", "steps", "adaptive", "compile", "energy drift", "a.html", "b.png", "c.json"):
        assert part in out
    assert (tmp_path / "a.html").read_text().startswith("<!")
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "c.json").read_text())["scene"] == "sculpture"


def test_driven_scene_has_no_drift(redmax):
    status, out, _ = redmax("run", "joint-torque", "--integrator", "adaptive")
    assert status == 0
    assert "drift" not in out
    assert "energy" in out


def test_options_change_the_run(redmax):
    options = ("--duration", "0.5", "--dt", "0.02", "--integrator", "euler", "--dynamics", "recursive")
    found = json.loads(redmax("run", "humanoid", *options, "--json", "-")[1])
    assert (found["t"], found["dt"], found["integrator"], found["steps"]) == (pytest.approx(0.5), 0.02, "euler", 25)
    loose, tight = (json.loads(redmax("run", "helix", "--rtol", rtol, "--json", "-")[1]) for rtol in ("1e-4", "1e-10"))
    assert loose["steps"] < tight["steps"]
    np.testing.assert_allclose(loose["q"], tight["q"], atol=0.01)


METHODS = {
    "published": (["redmax:25"], "redmax", "implicit"),
    "published, by name": (["composite-body"], "redmax", "implicit"),
    "published, fully implicit": (["redmax-diff:3"], "redmax", "bdf1"),
    "the other": (["redmax-diff:3", "--integrator", "bdf2"], "redmax", "bdf2"),
    "published, explicit": (["redmax:25", "--integrator", "adaptive"], "recursive", "adaptive"),
    "published, other dynamics": (["redmax:25", "--dynamics", "recursive"], "recursive", "implicit"),
    "both": (["redmax:25", "--dynamics", "redmax", "--integrator", "rk4"], "redmax", "rk4"),
    "ours": (["helix", "--duration", "0.1"], "recursive", "adaptive"),
    "ours, implicit": (["helix", "--duration", "0.1", "--integrator", "implicit"], "recursive", "implicit"),
    "ours, other dynamics": (["helix", "--duration", "0.1", "--dynamics", "redmax"], "redmax", "adaptive"),
}


@pytest.mark.parametrize("case", METHODS)
def test_methods_are_as_asked_for_or_the_usual_ones(redmax, case):
    arguments, dynamics, integrator = METHODS[case]
    status, out, err = redmax("run", *arguments, "--json", "-")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert (found["dynamics"], found["integrator"]) == (dynamics, integrator)


def test_friction_of_contact_is_solved_for_as_asked(redmax):
    """A box that slides is lifted by the convex problem, and stays on the ground otherwise; with four sides it slides farther."""
    words = ("run", "slope", "--duration", "0.1", "--json", "-")
    found = {}
    for options in ((), ("--friction", "convex"), ("--friction", "convex", "--friction-sides", "4")):
        status, out, err = redmax(*words, *options)
        assert (status, err) == (0, "")
        found[options[1:]] = json.loads(out)["contact"]
    run = rm.simulate("slope", 0.1, 0.002)
    exact, round_, square = found.values()
    assert [c["friction"] for c in (exact, round_, square)] == ["exact", "convex", "convex"]
    assert exact["residual"] == run.contacts.residual.max()
    assert exact["newton_steps"] == run.contacts.newton_steps.sum()
    for one, other in zip(exact["now"], run.contacts[-1], strict=True):
        assert (one["first"], one["second"], one["state"], one["gap"]) == (other.first, other.second, other.state, other.gap)
        assert all(one[name] == getattr(other, name).tolist() for name in ("point", "normal", "force", "slip", "moment"))
    highest = [max(c["gap"] for c in contact["now"] if c["second"] == "slides") for contact in (exact, round_)]
    assert highest[0] < 0 < highest[1]
    assert square["now"] != round_["now"]


def test_recursive_gives_way_where_it_cannot_do_the_scene(monkeypatch):
    cannot = Rule("a secret", lambda model, options: True, "dynamics", ("redmax",))
    monkeypatch.setattr("redmax.run.combinations.RULES", (cannot,))
    assert cli.choose_methods(find("redmax:25"), None, "adaptive") == ("redmax", "adaptive")
    with pytest.raises(rm.RedmaxError, match="The scene has a secret: that goes with dynamics 'redmax' only"):
        cli.choose_methods(find("redmax:25"), "recursive", "adaptive")


def test_energies_are_named_by_their_unit(redmax):
    assert "erg; the scene's forces" in redmax("run", "joint-torque")[1]


WRONG = {
    "unknown scene": (["scupture"], "Did you mean 'sculpture'?"),
    "unknown id": (["redmax:77"], "There is no scene 'redmax:77'"),
    "scene file": (["mine.yaml"], "mine.yaml:1: there is no such file"),
    "negative dt": (["--dt", "-1"], "--dt must be a positive number. Got -1.0."),
    "nan dt": (["--dt", "nan"], "--dt must be a positive number"),
    "infinite dt": (["--dt", "inf"], "--dt must be a positive number"),
    "text for dt": (["--dt", "fast"], "--dt"),
    "no duration": (["--duration", "0"], "--duration must be a positive number"),
    "unknown friction": (["slope", "--friction", "convx"], "Did you mean 'convex'?"),
    "sides of exact cones": (["slope", "--friction-sides", "4"], "Take 'convex' or 'staggered', or leave sides out"),
    "dynamics of contact": (["slope", "--dynamics", "maximal"], "Got dynamics='maximal'. Take 'recursive' or 'redmax'."),
    "broken steps": (["--dt", "0.3"], "whole number of steps"),
    "tiny dt": (["--dt", "1e-300"], "A run has at most 9.0e+15 steps"),
    "zero rtol": (["--rtol", "0"], "--rtol must be a positive number"),
    "rtol of rk4": (["--integrator", "rk4", "--rtol", "1e-6"], "--rtol is for --integrator adaptive; rk4 takes steps of --dt."),
    "unknown integrator": (["--integrator", "rk5"], "There is no integrator 'rk5'."),
    "unknown dynamics": (["--dynamics", "lagrange"], "There is no dynamics 'lagrange'."),
    "rtol of a usual integrator": (["redmax:0", "--rtol", "1e-6"], "--rtol is for --integrator adaptive; implicit takes steps"),
    "integrator and scene": (["hoist", "--integrator", "rk4"], "'bdf1' or 'bdf2' only. Got integrator='rk4'."),
    "no name, as of a variable that is not set": ([""], "There is no scene ''."),
    "kind of results": (["--out", "run.json"], "--out: 'run.json' ends in '.json', expected .h5, .hdf5."),
    "kind of page": (["--html", "a.mp4"], "--html: 'a.mp4' ends in '.mp4', expected .html, .htm."),
    "kind of film": (["--mp4", "a.avi"], "--mp4: 'a.avi' ends in '.avi', expected .mp4."),
    "missing result": (["run.h5"], "There is no file 'run.h5'."),
    "folder": (["."], "'.' is a folder"),
    "port": (["--view", "--port", "70000"], "--port"),
    "three names for two files": (["--html", "a.html", "--json", "./a.html"], "--html and --json name the same file"),
    "missing folder": (["--html", "nowhere/a.html"], "there is no folder 'nowhere'"),
    "folder as file": (["--json", "."], "'.' is a folder"),
    "kind of picture": (["--plot", "a.gif"], "expected .png, .svg, .pdf"),
    "one file twice": (["--html", "a.png", "--plot", "a.png"], "--html and --plot name the same file"),
    "unknown option": (["--speed", "3"], "No such option: --speed"),
    "two scenes": (["helix", "humanoid"], "humanoid"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence_and_status_2(redmax, tmp_path, case):
    arguments, message = WRONG[case]
    status, out, err = redmax("run", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_paths_are_checked_before_the_run(redmax, monkeypatch):
    replace_simulate(monkeypatch, lambda: pytest.fail("ran although the path is wrong"))
    assert redmax("run", "--plot", "nowhere/a.png")[0] == 2


def test_blow_up_keeps_what_was_computed(redmax, tmp_path):
    options = ("--integrator", "forward-euler", "--dt", "0.1", "--duration", "30")
    status, out, err = redmax("run", "redmax:3", *options, "--json", "a.json", "--html", "a.html", "--plot", "a.png")
    found = json.loads((tmp_path / "a.json").read_text())
    assert status == 1
    assert err.startswith("Error: The run broke off at t = ")
    assert "smaller dt" in err
    assert err.count("\n") == 1
    assert "a.html" in out
    assert 0 < found["t"] < 30
    assert all(math.isfinite(x) for x in [*found["q"], *found["qdot"], *found["energy"].values()])
    account, said = found["failure"], re.search(r"broke off +at t = (\S+) s, after (\d+) samples", out)  # one account everywhere
    assert account["t"] == pytest.approx(float(said[1])) == found["t"]
    assert account["samples"] == int(said[2]) == round(found["t"] / 0.1) + 1
    assert f"Error: {account['reason']}" == err.removesuffix("\n")
    until = re.search(r"good until t = (\S+) s, (\d+) samples", out)
    assert (account["good"]["t"], account["good"]["samples"]) == (pytest.approx(float(until[1])), int(until[2]))
    assert account["good"]["total"] < found["energy"]["total"]
    page = (tmp_path / "a.html").read_text()
    assert f"broke off at t = {said[1]} s, after {said[2]} samples" in page
    assert (tmp_path / "a.png").exists()


def test_blow_up_in_the_first_step_leaves_the_start(redmax):
    status, out, _ = redmax("run", "redmax:3", "--integrator", "forward-euler", "--dt", "1e100", "--duration", "1e101", "--json", "-")
    found = json.loads(out)
    assert status == 1
    assert found["t"] in (0, 1e100)  # as far as its energy is a number
    assert found["failure"]["t"] == found["t"]


def test_debug_shows_the_traceback(redmax):
    with pytest.raises(rm.RedmaxError, match="nothing-like-it"):
        redmax("run", "nothing-like-it", "--debug")


def test_a_fault_of_ours_is_said_to_be_one(redmax, monkeypatch):
    replace_simulate(monkeypatch, lambda: 1 / 0)
    status, out, err = redmax("run")
    assert (status, out) == (1, "")
    assert err == "Error: Something went wrong inside redmax (ZeroDivisionError: division by zero); --debug shows where.\n"


def test_a_run_too_large_for_memory_says_so(redmax):
    status, _, err = redmax("run", "--duration", "1e12", "--dt", "1e-3")
    assert status == 2
    assert "would take 400 PB of memory" in err


def test_interrupt_before_the_run_writes_nothing(redmax, monkeypatch, tmp_path):
    replace_simulate(monkeypatch, lambda: signal.raise_signal(signal.SIGINT))
    status, out, err = redmax("run", "--json", "a.json")
    assert (status, out, err) == (130, "", "Interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


def interrupt_after(monkeypatch, seconds):
    """Ctrl-C once so much time is simulated."""

    def advance(self, *arguments, **options):
        found = whole(self, *arguments, **options)
        if self.sim.t >= seconds and not done:
            done.append(self.sim.t)
            signal.raise_signal(signal.SIGINT)
        return found

    whole, done = Loop.advance, []
    monkeypatch.setattr(Loop, "advance", advance)


@pytest.mark.parametrize(("scene", "integrator"), [("helix", "adaptive"), ("redmax:14", "implicit"), ("redmax-diff:3", "bdf2")])
def test_interrupted_run_keeps_what_was_computed(redmax, monkeypatch, tmp_path, scene, integrator):
    whole = rm.simulate(find(scene).scene(), 2, 0.01, integrator=integrator)
    interrupt_after(monkeypatch, 0.5)
    options = ("--integrator", integrator, "--dt", "0.01", "--duration", "2")
    status, out, err = redmax("run", scene, *options, "--json", "a.json", "--html", "a.html")
    found = json.loads((tmp_path / "a.json").read_text())
    assert status == 130
    assert err == f"Interrupted at t = {found['t']:g} s; the files hold what there is.\n"
    assert 0.5 <= found["t"] < 1
    np.testing.assert_allclose(found["q"], whole.q[round(found["t"] / 0.01)], rtol=1e-7)
    assert "a.html" in out
    assert (tmp_path / "a.html").exists()


def test_interrupted_run_prints_its_json(redmax, monkeypatch):
    interrupt_after(monkeypatch, 0.5)
    status, out, err = redmax("run", "helix", "--json", "-")
    assert status == 130
    assert json.loads(out)["t"] >= 0.5
    assert err.startswith("Interrupted at t = ")


def test_step_without_a_solution_keeps_what_was_computed(redmax, monkeypatch):
    """redmax-diff: Newton's method finds nothing after a while."""
    from redmax.integrators.backward_differences import BackwardDifferences

    attempt = BackwardDifferences.attempt

    def fails_late(self, past, tau, clock, count, stride, room=()):
        samples = attempt(self, past, tau, clock, count, stride, room)
        late = np.array([clock.after((n + 1) * stride).t > 0.345 for n in range(len(samples.q))], bool)
        samples.q[late] = np.nan
        samples.marks["failed"][late] = 1.0
        return samples

    monkeypatch.setattr(BackwardDifferences, "attempt", fails_late)
    status, out, err = redmax("run", "redmax-diff:3", "--json", "-")
    found = json.loads(out)
    assert status == 1
    assert err.startswith("Error: Newton's method stopped at t = ")
    assert (found["t"], found["steps"]) == (pytest.approx(0.34), 34)


def test_a_file_that_cannot_be_written_leaves_the_others(redmax, tmp_path):
    status, out, err = redmax("run", "helix", "--duration", "0.1", "--html", "/dev/full", "--plot", "a.png", "--json", "a.json")
    assert (status, err) == (1, "Error: Cannot write '/dev/full': No space left on device. Choose another place.\n")
    assert "animation    not made: Cannot write '/dev/full'" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.png"]
    with pytest.raises(rm.RedmaxError, match="No space left"):
        redmax("run", "helix", "--duration", "0.1", "--html", "/dev/full", "--debug")


def test_a_full_disk_behind_standard_output_is_one_sentence(environment, tmp_path):
    command = [sys.executable, "-m", "redmax", "run", "helix", "--duration", "0.1", "--json"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*command, "-"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: Cannot write to standard output: No space left on device.\n")


def test_a_scene_has_its_name_where_a_folder_has_it_too(redmax, tmp_path):
    (tmp_path / "helix").mkdir()
    (tmp_path / "mine").mkdir()
    assert redmax("run", "helix", "--duration", "0.1")[0] == 0
    assert redmax("run", "mine") == (2, "", "Error: 'mine' is a folder; name a file in it.\n")


def test_a_full_disk_is_said_by_the_name_of_the_file(redmax):
    status, _, err = redmax("run", "helix", "--duration", "0.1", "--json", "/dev/full")
    assert status == 1
    assert err == "Error: Cannot write '/dev/full': No space left on device. Choose another place.\n"
