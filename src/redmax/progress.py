"""How far a run is: a bar on standard error, a function of the user's, or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float, float], None]  # told after each portion: simulated seconds, and how many there will be
Energies = Callable[[], tuple[float, float]]  # kinetic and potential now, of all worlds together
PAUSE = 0.25  # s of wall time between two looks at the energy


class Watch:
    """Tells a progress that asks for it, by having a method `energy(kinetic, potential)`, what the energy is, a few times a second."""

    def __init__(self, progress: Progress) -> None:
        self.tell: Callable[[float, float], None] | None = getattr(progress, "energy", None)
        self.due = 0.0

    def look(self, energies: Energies, always: bool = False) -> None:
        """energies: called only when it is time to tell them, or `always`, as at the end."""
        if self.tell is not None and (always or time.monotonic() >= self.due):
            self.tell(*energies())
            self.due = time.monotonic() + PAUSE


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
