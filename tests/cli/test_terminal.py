"""What a person at a terminal has: completion by Tab, a bar, and Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import redmax as rm
from redmax import cli
from redmax.cli import completion
from redmax.cli.app import program
from redmax.cli.bash_words import joined
from redmax.run.progress import Meter, pace
from redmax.scenes import CATALOGUE, find

COMMAND = [sys.executable, "-m", "redmax"]


def completed(environment, folder, *words):
    """What bash offers for the last of the words."""
    variables = {"_REDMAX_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(("redmax", *words)), "COMP_CWORD": str(len(words))}
    done = subprocess.run(COMMAND, env={**environment, **variables}, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_scenes(environment, tmp_path):
    assert completed(environment, tmp_path, "run", "soft") == ["soft-gripper", "soft-lift"]


SCENE = """redmax: 1
parameters: {mass: 1.5, length: 0.3}
bodies: [{name: arm, joint_name: shoulder, joint: {Revolute: {axis: y}}, shape: {Cuboid: {size: [length, 0.1, 0.1], mass: mass}}}]
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("run", "redmax", ":", "14"), ["14"]),  # as bash takes it apart, which keeps the rest
        (("run", "arm.yaml", "--set", "length", "="), ["0.3"]),
    ],
)
def test_bash_completes_past_a_colon_and_what_is_in_a_file(environment, tmp_path, words, offered):
    (tmp_path / "arm.yaml").write_text(SCENE)
    found = completed(environment, tmp_path, *words)
    assert set(found) <= set(offered)
    assert found[:1] == offered[:1]


def test_words_are_put_together_as_they_were_typed():
    assert joined("redmax run redmax : 1", "4") == ("redmax run redmax:1", "2", "redmax:")
    assert joined("redmax run redmax :", "3") == ("redmax run redmax:", "2", "redmax:")
    assert joined("redmax run", "2") == ("redmax run ", "2", "")
    assert joined("redmax run redmax:1", "2") == ("redmax run redmax:1", "2", "")
    assert joined("redmax run 'a", "2") == ("redmax run 'a", "2", "")


def test_the_joints_of_a_result_file_are_offered(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    rm.simulate(rm.io.loads(SCENE), 0.02, out=path)  # type: ignore[attr-defined]
    monkeypatch.setenv("COMP_WORDS", f"redmax plot {path} --joint ")
    assert completion.joints("sh") == [("shoulder", "")]
    (tmp_path / "arm.yaml").write_text(SCENE)
    monkeypatch.setenv("COMP_WORDS", f"redmax plot {tmp_path}/arm.yaml --joint ")
    assert (completion.joints("s"), completion.settings("m")) == ([("shoulder", "")], [("mass=1.5", "")])
    monkeypatch.setenv("COMP_WORDS", "redmax plot nothing.h5 --joint ")
    assert completion.joints("") == completion.settings("") == []


def test_bodies_to_follow_and_themes_are_offered(monkeypatch):
    monkeypatch.setenv("COMP_WORDS", "redmax export arm --follow ")
    assert completion.bodies("fo") == [("forearm", "")]
    assert completion.several_bodies("hand,fo") == [("hand,forearm", "")]
    assert completion.themes("d") == [("dark", "")]


@pytest.mark.parametrize("command", ["run", "check", "scenes", "plot", "view", "export", "new", "info"])
def test_help_shows_no_types_of_python(redmax, command):
    said = redmax(command, "--help")[1]
    assert not re.search(r"<[a-z]", said)
    assert "-h" in said


def test_the_script_for_a_shell_is_shown(capsys, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # looked at when the program is built
    program.cache_clear()
    with pytest.raises(SystemExit) as ended:
        cli.main(["--show-completion", "bash"])
    program.cache_clear()
    assert ended.value.code == 0
    assert "_REDMAX_COMPLETE=complete_bash" in capsys.readouterr().out


def test_offers_begin_as_the_word_does_and_all_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert {name for name, _ in completion.scene_names("")} == {entry.name for entry in CATALOGUE}
    assert ("redmax:14", "Three rods on universal joints") in completion.scene_names("redmax:1")
    assert [name for name, _ in completion.integrators("bdf")] == ["bdf1", "bdf2"]
    assert [name for name, _ in completion.dynamics("")] == ["recursive", "redmax", "maximal"]
    assert [name for name, _ in completion.quantities("r")] == ["rates", "reactions"]


def test_files_are_offered_where_they_lie(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("helical.yaml", "sub/b.yaml", "sub/c.h5", ".hidden.yaml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert [name for name, _ in completion.scene_names("hel")] == ["helix", "helical.yaml"]
    assert [name for name, _ in completion.scene_files("sub/")] == ["sub/b.yaml"]
    assert [name for name, _ in completion.runs(f"{tmp_path}/sub/")] == [f"{tmp_path}/sub/c.h5"]
    assert completion.scene_files("nowhere/") == []


def test_the_meter_shows_the_drift_of_the_energy():
    said = {}
    meter = Meter(lambda **fields: said.update(fields), True, "J")
    for kinetic, potential in ((1.0, 3.0), (4.0, 0.0), (2.0, 2.25)):
        meter.energy(kinetic, potential)
    assert said["energy"] == f"drift {0.25 / 4:.0e}"
    assert said["description"] == "simulating"
    meter(1.25, 5.0)
    assert (said["completed"], said["now"]) == (0.25, "1.25 of 5 s")
    assert said["pace"].endswith("x real time")


def test_the_meter_shows_the_energy_where_it_may_change():
    said = {}
    meter = Meter(lambda **fields: said.update(fields), False, "erg")
    meter.energy(1.0, 2.0)
    assert said["energy"] == "energy 3 erg"


@pytest.mark.parametrize(
    ("simulated", "passed", "text"),
    [(10, 0.1, "100x real time"), (1.23, 0.1, "12.3x real time"), (1, 200, "0.005x real time"), (0, 1, ""), (1, 0, "")],
)
def test_pace_is_simulated_time_over_the_clock(simulated, passed, text):
    assert pace(simulated, passed) == text


def in_terminal(environment, folder, *words):
    """Run the program with a terminal of 80 columns for standard error: (status, what it showed)."""
    here, there = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**environment, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen([*COMMAND, *words], env=environment, cwd=folder, stderr=there, stdout=subprocess.PIPE, text=True)
    os.close(there)
    shown = b""
    while True:
        try:
            part = os.read(here, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    out = process.communicate(timeout=60)[0]
    os.close(here)
    return process.returncode, out, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())


def test_a_terminal_sees_a_bar_with_time_pace_and_drift(environment, tmp_path):
    status, out, shown = in_terminal(environment, tmp_path, "run", "helix", "--duration", "5", "--json", "a.json")
    last = [line for line in re.split(r"[\r\n]+", shown) if line.strip()][-1]
    assert status == 0
    assert "compiling" in shown
    assert "5.00 of 5 s" in last
    assert re.search(r"[\d.]+x real time", last)
    assert re.search(r"drift \de-\d\d", last)
    assert len(last) <= 80
    assert "energy drift" in out


def test_ctrl_c_stops_a_run_and_keeps_what_was_computed(environment, tmp_path):
    """A run that would take hours, of which the samples before the signal are those of a short one."""
    words = ("run", "helix", "--integrator", "rk4", "--duration", "100000", "--out", "a.h5", "--json", "a.json")
    process = subprocess.Popen([*COMMAND, *words], env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_samples(tmp_path / "a.h5", process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    said = json.loads((tmp_path / "a.json").read_text())
    run = rm.load(tmp_path / "a.h5")
    assert process.returncode == 130
    assert err == f"Interrupted at t = {said['t']:g} s; the files hold what there is.\n"
    assert float(run.t[-1]) == said["t"] > 0
    assert np.asarray(run.q[-1]).tolist() == said["q"]
    short = rm.simulate(rm.load(tmp_path / "a.h5").model, 0.1, 0.01, integrator="rk4")
    np.testing.assert_array_equal(np.asarray(run.q[: len(short.q)]), short.q)


def wait_for_samples(path, process, count=101):
    """Until a result file has so many."""
    for _ in range(600):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
        try:
            if path.exists() and len(rm.load(path).t) >= count:
                return
        except rm.RedmaxError:  # it has only begun
            continue
    pytest.fail("the run wrote no samples")


def test_a_reader_that_leaves_early_hears_of_no_error(environment, tmp_path):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m redmax scenes --json | head -1"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[\n", "")


def processor_time(pid):
    """Seconds that a process has computed."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_within_one_long_sample_keeps_those_before(environment, tmp_path):
    """A second sample that would take minutes; the first, at t = 0, is all there is."""
    find("branching").scene().save(tmp_path / "a.yaml")
    with (tmp_path / "a.yaml").open("a") as file:
        file.write("run: {integrator: rk4, dt: 0.001, duration: 1e5, every: 100000000}\n")
    words = [*COMMAND, "run", "a.yaml", "--out", "a.h5", "--json", "a.json"]
    process = subprocess.Popen(words, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        wait_for_samples(tmp_path / "a.h5", process, 1)
        time.sleep(0.3)
        ours, before = sum(os.times()[2:4]), processor_time(process.pid)  # of children that are over, and of this one
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        used = sum(os.times()[2:4]) - ours
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "Interrupted at t = 0 s; the files hold what there is.\n")
    assert used - before < 2.0  # of which most is the writing of files
    assert len(rm.load(tmp_path / "a.h5")) == 1
    assert json.loads((tmp_path / "a.json").read_text())["t"] == 0
