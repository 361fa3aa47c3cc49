"""A loop that goes on with the clock on the wall and carries out orders, in a thread of its own or in that of the caller."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from redmax.view.live.orders import Order, OrderQueue

FRAME = 1 / 30  # s on the wall


class OrderLoop(ABC):
    """error: what ended the loop, if something did."""

    def __init__(self) -> None:
        self.orders = OrderQueue(lambda order: order(self), lambda sentence: self.say("That does not work", sentence))
        self.stopping = threading.Event()
        self.error: Exception | None = None
        self.thread: threading.Thread | None = None

    @abstractmethod
    def turn(self, elapsed: float, now: float) -> None:
        """One frame: `elapsed` seconds on the wall after the one before."""

    @property
    @abstractmethod
    def moves(self) -> bool:
        """Whether there is a next frame without an order."""

    @abstractmethod
    def say(self, title: str, sentence: str) -> None:
        """To those who look."""

    @abstractmethod
    def close(self) -> None:
        """When the loop is over."""

    def ask(self, order: Order) -> None:
        """Have an order carried out by the loop, and wait for it."""
        done = threading.Event()

        def carried_out(loop: Any) -> None:
            try:
                order(loop)
            finally:
                done.set()

        self.orders.put(carried_out)
        while self.thread is not None and self.thread.is_alive() and not done.wait(0.1):
            pass

    def start(self) -> None:
        """Run the loop in a thread of its own."""
        self.thread = threading.Thread(target=self.run, name="redmax viewer", daemon=True)
        self.thread.start()

    def run(self) -> None:
        """The loop, until somebody stops it."""
        before = time.perf_counter()
        try:
            while not self.stopping.is_set():
                now = time.perf_counter()
                self.turn(now - before, now)
                before = now
                self.rest(FRAME - (time.perf_counter() - now))
        except Exception as error:  # of a thread: raised where stop() is called
            if self.thread is None:
                raise
            self.error = error

    def rest(self, seconds: float) -> None:
        """Until the next frame, or an order while nothing moves."""
        if self.moves:
            time.sleep(max(seconds, 0.001))
            return
        self.orders.carry_out_one(0.25)

    def end(self) -> None:
        """Wait until the loop is over."""
        self.stopping.set()
        self.orders.put(lambda loop: None)
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join()

    def stop(self) -> None:
        """Close the page; an error that ended the viewer before is raised."""
        self.end()
        self.close()
        error, self.error = self.error, None
        if error is not None:
            raise error
