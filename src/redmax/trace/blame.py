"""The line of the user's code that a tracing error is about."""

from __future__ import annotations

import linecache
import os
import sys
from contextlib import ContextDecorator
from pathlib import Path
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any

from redmax.errors import NoValue, RedmaxError, TraceError

PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep
LIBRARY = str(Path(os.__file__).parent) + os.sep


def cannot_trace(what: str, instead: str) -> TraceError:
    """An error that names the user's line, what is wrong there, and what to write."""
    return TraceError(f"{where()}: {what}. Use {instead}.")


def no_value(operation: str, operands: tuple[Any, ...], error: Exception) -> NoValue:
    """An error about constants that have no result, at the user's line."""
    said = "the result is too large for a number" if isinstance(error, OverflowError) else str(error)
    return NoValue(where(), f"{operation} of {' and '.join(f'{x:g}' for x in operands)} has no value ({said})")


class Blaming(ContextDecorator):
    """Arithmetic of a user's function that fails by itself, such as 1/0 of plain numbers, as an error that names the line."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if isinstance(error, ArithmeticError) and not isinstance(error, RedmaxError):
            raise blamed(error) from error


def blamed(error: ArithmeticError) -> ArithmeticError:
    """The error, or what names the line of the user's that it is from."""
    if isinstance(error, RedmaxError):
        return error
    lines = [line for frame, number in walk_tb(error.__traceback__) if (line := place(frame, number))]
    said = "the result is too large for a number" if isinstance(error, OverflowError) else str(error) or type(error).__name__
    return NoValue(lines[-1] if lines else "in redmax", f"this has no value ({said})")


def where() -> str:
    """`file:line (code)` of the innermost frame outside this package, NumPy and what comes with Python."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        found = place(frame, frame.f_lineno)
        if found:
            return found
        frame = frame.f_back
    return "in redmax"


def place(frame: FrameType, number: int) -> str:
    """`file:line (code)`, or nothing within this package, NumPy and what comes with Python."""
    path = frame.f_code.co_filename
    ours = path.startswith(PACKAGE) or "/numpy/" in path.replace("\\", "/")
    if ours or (path.startswith(LIBRARY) and "site-packages" not in path):
        return ""
    code = linecache.getline(path, number).strip()
    return f"{path}:{number}" + (f" ({code})" if code else "")
