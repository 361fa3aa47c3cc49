"""A bar while a file is made, where a person is there to see it: films take a while."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def making(path: Path) -> Iterator[Callable[[int, int], None]]:
    """A function to tell how many parts are done, of how many; the bar goes when the file is there."""
    if not sys.stderr.isatty():
        yield lambda done, count: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), expand=True, transient=True) as display:
        task = display.add_task(f"writing {escape(path.name)}", total=None)
        yield lambda done, count: display.update(task, completed=done, total=count)
