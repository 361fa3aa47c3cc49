"""A file is made: with a bar, where a person is there to see it, and with its name in what goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from redmax.text import one_line


@contextmanager
def making(path: Path) -> Iterator[Callable[[int, int], None]]:
    """A function to tell how many parts are done, of how many; the bar goes when the file is there."""
    with errors_with_name(path):
        if sys.stderr.isatty():
            with bar(path) as progress:
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


@contextmanager
def bar(path: Path) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), expand=True, transient=True) as display:
        task = display.add_task(f"writing {one_line(path.name)}", total=None)
        yield lambda done, count: display.update(task, completed=done, total=count)
