"""The command within this process, and as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import redmax as rm
from redmax import cli
from redmax.view import plot_style

SOURCE = Path(rm.__file__).parents[1]
COMMAND = [sys.executable, "-m", "redmax"]


@pytest.fixture
def redmax(capsys, tmp_path, monkeypatch):
    """Run a command in an empty folder: (status, standard output, standard error). Plots are made small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plot_style, "DPI", 40)

    def call(*arguments):
        status = cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def environment():
    """Of a program that has only its own source."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "80"}


@pytest.fixture
def own_cache(environment, tmp_path):
    """The folder in which programs of this test alone keep compiled code."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    environment["REDMAX_CACHE_DIR"] = str(cache)
    return cache


@pytest.fixture
def program(environment, tmp_path):
    """Run the command as a program in an empty folder."""
    options = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True, "timeout": 120}
    return lambda *words: subprocess.run([*COMMAND, *words], check=False, **options)


SEVERAL = """
import contextlib, io, json, sys
from redmax.cli import main
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""


@pytest.fixture
def programs(environment, tmp_path):
    """Run commands one after the other in one new process, after some code: (status, standard output, standard error) of each."""

    def call(*commands, before=""):
        words = [sys.executable, "-c", before + SEVERAL, json.dumps(commands)]
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
        return [tuple(json.loads(line)) for line in done.stdout.splitlines()]

    return call
