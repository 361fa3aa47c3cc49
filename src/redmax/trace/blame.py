"""The line of the user's code that a tracing error is about."""

from __future__ import annotations

import linecache
import os
import sys
from pathlib import Path
from types import FrameType

from redmax.errors import TraceError

PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep


def cannot_trace(what: str, instead: str) -> TraceError:
    """An error that names the user's line, what is wrong there, and what to write."""
    return TraceError(f"{where()}: {what}. Use {instead}.")


def where() -> str:
    """`file:line (code)` of the innermost frame outside this package and NumPy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not (path.startswith(PACKAGE) or "/numpy/" in path.replace("\\", "/")):
            code = linecache.getline(path, frame.f_lineno).strip()
            return f"{path}:{frame.f_lineno}" + (f" ({code})" if code else "")
        frame = frame.f_back
    return "in redmax"
