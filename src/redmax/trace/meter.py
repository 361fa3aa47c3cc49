"""Who counts the operations that are traced and evaluated: nobody, unless somebody has to answer for them, as a reader of strangers' files.

The work that a function or a motion makes shows only while it is traced, so that it is told of here, before it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Meter = Callable[[int, int], None]
TRACED, DIFFERENTIATED = 5, 3  # operations of numbers that take as long as tracing one, and as finding its derivative
PORTION = 256  # operations of a trace that are told of at a time

listening: ContextVar[Meter | None] = ContextVar("listening", default=None)


def spend(operations: int, memory: int = 0) -> None:
    """So many operations, each of an array of numbers, come next, which need so much memory at once (bytes). Whoever counts may raise."""
    meter = listening.get()
    if meter is not None:
        meter(operations, memory)


@contextmanager
def metered(meter: Meter | None) -> Iterator[None]:
    """Let a meter hear of all operations of this thread (or task) while this lasts."""
    token = listening.set(meter)
    try:
        yield
    finally:
        listening.reset(token)
