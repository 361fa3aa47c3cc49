"""How far a run is: a bar on standard error, a function of the user's, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float, float], None]  # told after each portion: simulated seconds, and how many there will be


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress]:
    """The function to call while a run goes on."""
    if progress is True:
        with bar() as show:
            yield show
    else:
        yield progress if callable(progress) else lambda t, end: None


@contextmanager
def bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("simulating"), BarColumn(), TextColumn("{task.fields[now]}"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as display:
        task = display.add_task("simulating", total=1.0, now="")

        def show(t: float, end: float) -> None:
            display.update(task, completed=t / end, now=f"{t:.2f} of {end:g} s")

        yield show
