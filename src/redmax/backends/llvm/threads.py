"""How many threads worlds are spread over, those threads, and how they begin and end a run together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from threading import Event

from redmax.arguments import brief
from redmax.errors import RedmaxError

LOOK = 0.1  # s between two looks whether somebody pressed Ctrl-C: the signal may have come to another thread than the one that waits


class Halted(Exception):
    """Another thread has given up the run that this one takes part in."""


HANDING_OVER = 2e-4  # s that Python takes to give work to threads and to wait for them


def threads() -> int:
    """REDMAX_THREADS, or the number of cores this process may use."""
    text = os.environ.get("REDMAX_THREADS", "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise RedmaxError(f"REDMAX_THREADS is {brief(text)}, expected a whole number from 1 up.")
    return int(text)


def worth(groups: int, seconds: float) -> int:
    """Threads for so many groups of worlds, which one thread has done in so many seconds: one, if handing them over takes longer."""
    return 1 if groups <= 1 or seconds < HANDING_OVER else min(threads(), groups)


@lru_cache(maxsize=4)
def pool(workers: int) -> ThreadPoolExecutor:
    """So many threads, which wait for work between runs: starting them again would cost each run."""
    return ThreadPoolExecutor(workers, thread_name_prefix="redmax")


def together(work: Callable[[int, int, Event], int], cuts: Sequence[int]) -> int:
    """work(start, stop, halt) between each two cuts, in a thread each; the largest result.

    However this ends, nobody works any more when it is over, and nobody begins: Ctrl-C may come before all of them are under way, even
    within the call that starts a thread. A thread that went on by itself would write into arrays of others, and keep the process alive.
    """
    halt, under_way = Event(), list[Event]()

    def piece(start: int, stop: int) -> int:
        over = Event()
        under_way.append(over)
        try:
            if halt.is_set():
                raise Halted
            return work(start, stop, halt)
        finally:
            over.set()

    crew, parts = pool(len(cuts) - 1), list[Future[int]]()
    try:
        for start, stop in pairwise(cuts):
            parts.append(crew.submit(piece, start, stop))
        return max(map(result, parts))
    except BaseException:
        halt.set()
        for over in under_way:
            over.wait()
        raise


def result(part: Future[int]) -> int:
    """What a part returns, or raises; Ctrl-C is heard meanwhile, whichever thread the signal comes to."""
    while not part.done():
        try:
            return part.result(LOOK)
        except TimeoutError:
            continue
    return part.result()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # a forked process has the pool, but none of its threads
