"""The command as a program: help, version, the catalogue, the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import redmax as rm
from redmax.scenes import CATALOGUE

SOURCE = Path(rm.__file__).parents[1]
COMMAND = [sys.executable, "-m", "redmax.cli"]


@pytest.fixture
def environment(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    return {**os.environ, "PYTHONPATH": str(SOURCE), "REDMAX_CACHE_DIR": str(cache), "COLUMNS": "100"}


@pytest.fixture
def redmax(environment, tmp_path):
    options = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True, "timeout": 60}
    return lambda *words: subprocess.run([*COMMAND, *words], check=False, **options)


def test_version(redmax):
    done = redmax("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"redmax {rm.__version__}\n", "")


def test_help_names_the_commands_and_options(redmax):
    done = redmax("--help")
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("scenes", "run", "cache"))
    assert redmax().stdout == done.stdout
    options = redmax("run", "--help").stdout
    for option in ("dynamics", "integrator", "dt", "duration", "rtol", "out", "html", "plot", "view", "json", "debug"):
        assert f"--{option}" in options


def test_help_imports_nothing_heavy(environment):
    code = "import sys; from redmax.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert not {"matplotlib", "scipy", "redmax.scenes"} & set(done.stderr.split())


def test_scenes_lists_the_catalogue(redmax):
    table = redmax("scenes").stdout
    for entry in CATALOGUE:
        assert entry.name in table
        assert entry.reference in table
    found = json.loads(redmax("scenes", "--json").stdout)
    assert [f["name"] for f in found] == [entry.name for entry in CATALOGUE]
    assert found[0]["features"][:2] == ["fixed", "revolute"]


def test_unknown_command(redmax):
    done = redmax("fly")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "Error: No such command 'fly'.\n")


def test_cache_is_filled_and_cleared(redmax, tmp_path):
    arguments = ("run", "helix", "--duration", "0.1", "--json", "-")
    first, second = (json.loads(redmax(*arguments).stdout) for _ in range(2))
    assert first["q"] == second["q"]
    kept = len(list((tmp_path / "cache").iterdir()))
    assert kept > 0
    assert redmax("cache", "clear").stdout == f"Removed {kept} compiled parts from {tmp_path / 'cache'}.\n"
    assert list((tmp_path / "cache").iterdir()) == []


def test_unsafe_cache_is_one_warning_on_standard_error(redmax, tmp_path):
    (tmp_path / "cache").chmod(0o777)
    done = redmax("run", "helix", "--duration", "0.1", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["scene"] == "helix"
    assert done.stderr.startswith("Warning: Compiled code is kept for this run only")
    assert done.stderr.count("\n") == 1

