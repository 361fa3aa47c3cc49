"""Ctrl-C where samples are computed, and nowhere else, so that nothing is cut in the middle of a file."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Stoppable:
    """A progress that ends the run: at once while samples are computed, else when they next are or it is told of it.

    A second Ctrl-C, or one while the scene still compiles, ends it at once wherever it is.

    show: the progress to hand on to, or None
    """

    def __init__(self, show: Any) -> None:
        self.show, self.running, self.asked, self.inside = show, False, False, False
        if hasattr(show, "energy"):
            self.energy: Callable[[float, float], None] = self.told_energy

    def __call__(self, t: float, end: float) -> None:
        self.running = True
        if self.show is not None:
            self.show(t, end)
        if self.asked:
            raise KeyboardInterrupt

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Samples are computed, which may take long."""
        self.running = self.inside = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self.inside = False

    def told_energy(self, kinetic: float, potential: float) -> None:
        self.running = True
        self.show.energy(kinetic, potential)

    def interrupt(self, number: int, frame: Any) -> None:
        """What a signal does."""
        if self.asked or self.inside or not self.running:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def stoppable(show: Any) -> Iterator[Stoppable]:
    """Handle Ctrl-C so, where this is the thread that hears of it."""
    progress = Stoppable(show)
    if threading.current_thread() is not threading.main_thread():
        yield progress
        return
    before = signal.signal(signal.SIGINT, progress.interrupt)
    try:
        yield progress
    finally:
        signal.signal(signal.SIGINT, before)
