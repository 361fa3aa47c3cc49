"""What commands say, on standard output or standard error: all of it goes through here, so that text from files stays text."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

import typer

from redmax.text import printable


def say(text: str, err: bool = False) -> None:
    """A line or several; what a terminal would obey is written out."""
    typer.echo(printable(text), err=err)


def show_all_characters() -> None:
    """Write out those that a terminal has no code for, as one with LANG=en_US.ISO-8859-1, in place of giving up."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def show_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """As Python does at the end of a program, whose last line may quote a file."""
    say("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"), err=True)
