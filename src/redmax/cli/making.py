"""A file is made: with a bar, where a person is there to see it, and with its name in what goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from redmax.run.progress import parts_bar


@contextmanager
def making(path: Path) -> Iterator[Callable[[int, int], None]]:
    """A function to tell how many parts are done, of how many; the bar goes when the file is there."""
    with errors_with_name(path):
        if sys.stderr.isatty():
            with parts_bar(f"writing {path.name}") as progress:
                yield progress
        else:
            yield lambda done, count: None


@contextmanager
def errors_with_name(path: Path) -> Iterator[None]:
    """Errors of the file system know the file, which they do not when a disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
