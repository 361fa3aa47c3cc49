"""What goes wrong, as a sentence on standard error, and the exit status that goes with it."""

from __future__ import annotations

import typer

from redmax.cli.console import say
from redmax.errors import RedmaxError, SimulationError

FAILED, WRONG_INPUT, INTERRUPTED = 1, 2, 130


def complain(error: Exception) -> int:
    """Say what is wrong on standard error; the exit status that goes with it."""
    if isinstance(error, typer.Abort):  # as typer turns a KeyboardInterrupt into
        say("Interrupted.", err=True)
        return INTERRUPTED
    message, status = said(error)
    if hasattr(error, "sentences"):  # of several outputs
        for sentence in error.sentences:  # type: ignore[attr-defined]
            say(f"Error: {sentence}", err=True)
        return status
    lines = [" ".join(line.split()) for line in message.splitlines() or [""]]  # a scene file may have several mistakes, each in its line
    say("\n  ".join([f"Error: {lines[0]}", *lines[1:]]) if hasattr(error, "problems") else f"Error: {' '.join(lines)}", err=True)
    return status


def said(error: Exception) -> tuple[str, int]:
    """What is wrong in a sentence, and the exit status."""
    if hasattr(error, "format_message"):  # wrong usage, as typer found it
        return error.format_message(), WRONG_INPUT  # type: ignore[attr-defined]
    if isinstance(error, SimulationError):
        return error.reason, FAILED
    if isinstance(error, RedmaxError):  # with a cause, it is an error of the file system that was put into words
        return str(error), FAILED if isinstance(error.__cause__, OSError) else WRONG_INPUT
    if isinstance(error, OSError):
        what = repr(error.filename) if error.filename else "to standard output"  # files of ours are named
        return f"Cannot write {what}: {error.strerror or error}.", FAILED
    if isinstance(error, MemoryError):
        return "The run does not fit into memory; use a larger --dt or a shorter --duration.", FAILED
    return f"Something went wrong inside redmax ({type(error).__name__}: {error}); --debug shows where.", FAILED
