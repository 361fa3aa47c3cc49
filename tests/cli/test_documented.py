"""The page on commands names all of them, with options that exist, and all that matter."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import typer.main

from redmax.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
COMMANDS = typer.main.get_command(app).commands


def options_of(name):
    return {option for parameter in COMMANDS[name].params for option in (*parameter.opts, *parameter.secondary_opts) if option[:2] == "--"}


def test_every_command_is_on_the_page():
    assert {f"redmax {name}" for name in COMMANDS} <= set(re.findall(r"redmax \w+", PAGE))


def test_every_command_line_on_the_page_has_options_that_exist():
    lines = re.findall(r"(?:^\$ |`)(redmax [^`\n]*)", PAGE, re.MULTILINE)
    assert len(lines) > 25
    for line in lines:
        name, *words = shlex.split(line, comments=True)[1:] or ["run"]
        if name in COMMANDS:
            assert {word for word in words if word[:2] == "--"} <= options_of(name) | {"--help"}, line


def test_every_option_of_run_plot_and_export_is_on_the_page():
    named = set(re.findall(r"--[a-z][\w-]*", PAGE))
    for name in ("run", "plot", "export", "view", "check", "new", "fit"):
        assert options_of(name) - named <= {"--help", "--force"}, name


def test_every_option_on_the_page_exists():
    known = {option for name in COMMANDS for option in options_of(name)} | {"--install-completion", "--show-completion", "--help"}
    assert set(re.findall(r"--[a-z][\w-]*", PAGE)) <= known
