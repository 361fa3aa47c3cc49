"""The command as a program: help, version, the catalogue, the cache."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

import pytest
import typer.main

import redmax as rm
from redmax.cli import app, main
from redmax.scenes import CATALOGUE

COMMANDS = ["scenes", "run", "view", "plot", "export", "new", "check", "fit", "ik", "info", "cache"]


def test_version(redmax):
    assert redmax("--version") == (0, f"redmax {rm.__version__}\n", "")


def test_help_names_the_commands(redmax):
    status, out, err = redmax("--help")
    assert (status, err) == (0, "")
    assert all(re.search(rf"\b{name}\b", out) for name in COMMANDS)
    assert redmax()[1] == out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns_and_ends_with_examples_that_exist(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    if command == "cache":
        return
    lines = text.split("Examples")[1].splitlines()
    commands = [re.split(r"\s{2,}", line.strip())[0] for line in lines if line.strip()]
    assert 2 <= len(commands) <= 6
    assert any(line.startswith(f"redmax {command}") for line in commands)
    for line in commands:
        check_options(shlex.split(line.split(" > ")[0])[1:])


def check_options(words):
    """Every option of a command line is one that the command has."""
    known = typer.main.get_command(app).commands[words[0]].params
    options = {name for parameter in known for name in (*parameter.opts, *parameter.secondary_opts)}
    used = {word for word in words[1:] if word.startswith("--")}
    assert used <= options | {"--help"}, words


def test_run_has_the_options_of_the_contract():
    known = {name for parameter in typer.main.get_command(app).commands["run"].params for name in parameter.opts}
    for option in ("dynamics", "integrator", "dt", "duration", "rtol", "out", "html", "plot", "view", "json", "debug", "set"):
        assert f"--{option}" in known


def test_help_imports_nothing_heavy(environment):
    code = "import sys; from redmax.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    heavy = {"matplotlib", "scipy", "redmax.scenes", "h5py", "yaml", "pydantic", "viser", "pandas", "PIL"}
    assert not heavy & set(done.stderr.split())


def test_scenes_lists_the_catalogue(redmax):
    table = redmax("scenes")[1]
    for entry in CATALOGUE:
        assert entry.name in table
        assert entry.reference in table
    found = json.loads(redmax("scenes", "--json")[1])
    assert [f["name"] for f in found] == [entry.name for entry in CATALOGUE]
    assert found[0]["features"][:2] == ["fixed", "revolute"]


@pytest.mark.parametrize("columns", [60, 80, 109, 120, 200])
def test_scenes_fit_the_terminal(redmax, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    table = redmax("scenes")[1]
    assert max(map(len, table.splitlines())) <= columns
    for entry in CATALOGUE:
        assert re.search(rf"^{re.escape(entry.name)}\s", table, re.MULTILINE)
        assert entry.reference in table


def test_scenes_with_words_are_those_that_have_them_all(redmax):
    def named(*words):
        return {f["name"] for f in json.loads(redmax("scenes", *words, "--json")[1])}

    assert named("spline") | named("muscles") < {entry.name for entry in CATALOGUE}
    assert named("Spline", "surface") == named("spline") & named("surface") != set()
    assert named("redmax:14") == {"universal-chain"}
    status, out, err = redmax("scenes", "musles")
    assert (status, out) == (2, "")
    assert "Did you mean 'muscles'" in err


def test_unknown_words_are_named_with_what_was_meant(redmax):
    assert redmax("fly") == (2, "", "Error: No such command 'fly'.\n")
    assert "Did you mean 'run'?" in redmax("runn")[2]
    assert "--integrator" in redmax("run", "--intgrator", "rk4")[2]


def test_help_has_a_short_form(redmax):
    assert redmax("run", "-h") == redmax("run", "--help")
    assert "clear" in redmax("cache")[1]


def test_cache_is_filled_and_cleared(programs, own_cache):
    run, info, clear, after = programs(
        ["run", "redmax:0", "--duration", "0.1", "--json", "-"], ["info", "--json"], ["cache", "clear"], ["info", "--json"]
    )
    assert (run[0], run[2]) == (0, "")
    kept = json.loads(info[1])["cache"]["parts"]
    assert kept > 0
    assert clear[1] == f"Removed {kept} compiled parts from {own_cache}.\n"
    assert json.loads(after[1])["cache"]["parts"] == 0
    assert list(own_cache.iterdir()) == []


def test_unsafe_cache_is_one_warning_on_standard_error(program, own_cache):
    own_cache.chmod(0o777)
    done = program("run", "redmax:0", "--duration", "0.1", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["reference"] == "redmax:0"
    assert done.stderr.startswith("Warning: Compiled code is kept for this run only")
    assert done.stderr.count("\n") == 1
