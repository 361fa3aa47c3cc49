"""What goes wrong, as a sentence on standard error, and the exit status that goes with it."""

from __future__ import annotations

import typer

from redmax.errors import RedmaxError, SimulationError

FAILED, WRONG_INPUT, INTERRUPTED = 1, 2, 130


def complain(error: Exception) -> int:
    """Say what is wrong on standard error; the exit status that goes with it."""
    if isinstance(error, typer.Abort):  # as typer turns a KeyboardInterrupt into
        typer.echo("Interrupted.", err=True)
        return INTERRUPTED
    if hasattr(error, "format_message"):  # wrong usage, as typer found it
        message, status = error.format_message(), WRONG_INPUT  # type: ignore[attr-defined]
    elif isinstance(error, SimulationError):
        message, status = error.reason, FAILED
    elif isinstance(error, RedmaxError):
        message, status = str(error), WRONG_INPUT
    elif isinstance(error, OSError):
        message, status = f"Cannot write {error.filename!r}: {error.strerror}.", FAILED
    elif isinstance(error, MemoryError):
        message, status = "The run does not fit into memory; use a larger --dt or a shorter --duration.", FAILED
    else:
        message, status = f"Something went wrong inside redmax ({type(error).__name__}: {error}); --debug shows where.", FAILED
    lines = [" ".join(line.split()) for line in message.splitlines()]  # a scene file may have several mistakes, each in its line
    typer.echo("\n  ".join([f"Error: {lines[0]}", *lines[1:]]) if hasattr(error, "problems") else f"Error: {' '.join(lines)}", err=True)
    return status
