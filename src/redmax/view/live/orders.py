"""What is to be done to a viewer: asked for by pages and by other threads, done by the viewer's own, one after the other."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any

from redmax.errors import RedmaxError

WAITING = 1000  # orders of pages that may wait; those behind them are dropped
BUSY = 0.1  # s that orders may take before time goes on
Order = Callable[[Any], object]  # done to the viewer


class OrderQueue:
    """do: carries out one order; say: told the sentence of one that does not work."""

    def __init__(self, do: Callable[[Order], object], say: Callable[[str], None]) -> None:
        self.do, self.say = do, say
        self.waiting = queue.Queue[Order]()

    def put(self, order: Order) -> None:
        """An order of the program; what it raises, but for a sentence, ends the viewer."""
        self.waiting.put(order)

    def give(self, order: Order) -> None:
        """An order of a page: whatever it raises is told there, and nothing ends."""
        if self.waiting.qsize() < WAITING:
            self.waiting.put(told(order))

    def carry_out(self) -> None:
        """Those that wait, as far as they take a moment: many of them do not hold up time."""
        end = time.perf_counter() + BUSY
        while not self.waiting.empty() and time.perf_counter() < end:
            self.carry_out_one(0.0)

    def carry_out_one(self, seconds: float) -> None:
        """The next one, if there is one within some seconds."""
        try:
            order = self.waiting.get(timeout=seconds) if seconds else self.waiting.get_nowait()
        except queue.Empty:
            return
        try:
            self.do(order)
        except RedmaxError as error:
            self.say(str(error))


def told(order: Order) -> Order:
    """The order, with a sentence for all that it raises."""

    def carried_out(viewer: Any) -> None:
        try:
            order(viewer)
        except RedmaxError:
            raise
        except Exception as error:
            raise RedmaxError(f"{type(error).__name__}: {error}.") from error

    return carried_out
