"""How many threads worlds are spread over, and those threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from redmax.arguments import brief
from redmax.errors import RedmaxError


def threads() -> int:
    """REDMAX_THREADS, or the number of cores this process may use."""
    text = os.environ.get("REDMAX_THREADS", "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise RedmaxError(f"REDMAX_THREADS is {brief(text)}, expected a whole number from 1 up.")
    return int(text)


@lru_cache(maxsize=4)
def pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="redmax")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # a forked process has the pool, but none of its threads
