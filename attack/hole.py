"""What a part raises where a promise is broken, and the clock that it holds its attempts to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SOON = 2.0  # s of processor time that a file may take to be read
MEMORY = 500 * 2**20  # bytes that an attempt may take above what was there


class Hole(Exception):
    """kind: a word for the table (crash, hang, memory, traceback, outside, wrong, lost, text); what: a sentence."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(kind, what)
        self.kind, self.what = kind, what


@contextmanager
def within(seconds: float, doing: str) -> Iterator[None]:
    """A hole if this takes longer, in processor time of this process."""
    began = time.process_time()
    try:
        yield
    finally:
        took = time.process_time() - began
        if took > seconds:
            raise Hole("hang", f"{doing} took {took:.1f} s of processor time, more than {seconds:g} s")


def traceback_of(error: BaseException) -> Hole:
    """The hole that an exception of another kind than was promised is, with the place that raised it."""
    frames = []
    step = error.__traceback__
    while step is not None:
        frames.append(f"{step.tb_frame.f_code.co_filename.rpartition('src/redmax/')[2]}:{step.tb_lineno}")
        step = step.tb_next
    return Hole("traceback", f"{type(error).__name__}: {str(error)[:300]} ({' < '.join(reversed(frames[-4:]))})")
