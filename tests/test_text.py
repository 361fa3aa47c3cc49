"""Text from files is text: what a terminal, a plot or a spreadsheet would obey is shown."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import unicodedata
import warnings
from pathlib import Path

import pytest

import redmax as rm
from redmax.cli import main
from redmax.text import one_line, printable

NASTY = "\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202egnp\u2066\u2028\r\ud800[red]$\\frac{$"
WRONG = [c for c in map(chr, range(0x10000)) if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t"]
WRONG += list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
RIGHT = "Zwei Pendel, schön [m/s²] ∫ 振り子 مرحبا שלום नमस्ते 👩‍🚀 a\u00a0b\n\tc"
SCENE = """\
redmax: 1
title: {title}
bodies:
  - {{name: {name}, shape: {{Sphere: {{radius: 0.1, mass: 1}}}}, joint: {{Revolute: {{axis: y}}}}, com: [1, 0, 0]}}
run: {{duration: 0.1, dt: 0.01, integrator: rk4}}
"""


def hostile(**more):
    return SCENE.format(**{name: json.dumps(NASTY.replace("\ud800", "")) for name in ("title", "name")} | more)


def test_every_control_character_is_written_out_and_all_else_stays():
    for c in WRONG:
        assert printable(f"a{c}b") == f"a{repr(c)[1:-1]}b", repr(c)
    assert printable(RIGHT) == RIGHT
    assert one_line(RIGHT) == RIGHT.replace("\n", "\\n").replace("\t", "\\t")
    assert printable(printable(NASTY)) == printable(NASTY)


def clean(text):
    return not any(c in text for c in WRONG)


def test_errors_and_warnings_are_safe_to_print(tmp_path):
    for kind in (rm.RedmaxError, rm.SceneError, rm.SimulationError, rm.errors.RedmaxWarning):
        assert clean(str(kind(f"There is no {NASTY}.")))
    (tmp_path / "a.yaml").write_text(hostile() + json.dumps(NASTY[:20]) + ": 1\n")
    with pytest.raises(rm.SceneError) as caught:
        rm.Scene.load(tmp_path / "a.yaml")
    assert clean(str(caught.value))
    assert "\\x1b" in str(caught.value)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn(f"about {NASTY}", rm.errors.RedmaxWarning, stacklevel=1)
    assert clean(str(seen[0].message))


COMMANDS = {
    "run": ["run", "a.yaml"],
    "check": ["check", "a.yaml"],
    "wrong": ["check", "wrong.yaml"],
    "run wrong": ["run", "wrong.yaml"],
    "result": ["plot", "a.h5", "--what", "rates", "--joint", "b\x1b[31m"],
    "file name": ["view", "\x1b[31m.h5"],
    "option": ["run", "--\x1b[31m"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "a.yaml").write_text(hostile())
    (folder / "wrong.yaml").write_text(hostile() + '"k\\e[31m": 1\nforces: [{"\\e[2J": {}}, "\\e]0;x\\a"]\n')
    rm.simulate(rm.Scene.load(folder / "a.yaml"), 0.1, 0.01, out=folder / "a.h5")
    return folder


def program(folder, *words, **variables):
    environment = {**os.environ, "PYTHONPATH": str(Path(rm.__file__).parents[1]), **variables}
    command = [sys.executable, "-m", "redmax", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("case", COMMANDS)
def test_no_command_lets_a_file_speak_to_the_terminal(folder, monkeypatch, capsys, case):
    monkeypatch.chdir(folder)
    main(COMMANDS[case])
    shown = "".join(capsys.readouterr())
    assert "\\x1b" in shown or case == "check"
    assert clean(shown)


def test_no_traceback_lets_a_file_speak_to_the_terminal(folder):
    done = program(folder, "plot", "\x1b[31m.h5", "--debug")
    shown = done.stderr.decode("utf-8")
    assert done.returncode == 1
    assert "Traceback" in shown
    assert "\\x1b" in shown
    assert clean(shown)


def test_a_terminal_without_a_character_sees_its_number(folder):
    (folder / "umlaut.yaml").write_text(hostile(title="Füße ∫"), encoding="utf-8")
    done = program(folder, "run", "umlaut.yaml", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"F\xfc\xdfe \\u222b (umlaut)")


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r="])
def test_cells_that_a_spreadsheet_would_compute_are_quoted(tmp_path, begin):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("y"), com=(1, 0, 0), name=f'{begin}cmd|"/C calc"!A0, x', q=-0.5)
    run = rm.simulate(scene, 0.1, 0.01)
    with run.to_csv(tmp_path / "a.csv", ["q", "position"]).open(encoding="utf-8", newline="") as file:
        head, first, *_ = csv.reader(file)
    assert all(cell[0] in "'\\" or cell[0].isalpha() for cell in head)
    assert head[1] == f'{chr(39) if begin in "=+-@" else ""}{one_line(begin)}cmd|"/C calc"!A0, x.q0 (rad)'
    assert float(first[1]) == -0.5
    assert first[1] == "-0.5"


def test_names_and_titles_from_files_do_not_break_plots_pages_and_notebooks(folder, tmp_path):
    run = rm.load(folder / "a.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.plot(tmp_path / "a.svg")
        run.plot(tmp_path / "b.svg", what="rates")
        run.plot(tmp_path / "c.svg", what="reactions")
    for name in "abc":
        assert clean((tmp_path / f"{name}.svg").read_text("utf-8"))
    scene = run.model.scene
    half = rm.Scene(title="\ud800")
    half.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("y"), name="\ud800<script>")
    file = rm.simulate(half, 0.1, 0.01).html(tmp_path / "a.html")
    for page in (run._repr_html_(), scene._repr_html_(), half._repr_html_(), file.read_text("utf-8")):
        page.encode("utf-8")
        assert clean(page)
        assert "<script>\\" not in page
