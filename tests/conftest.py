"""Hypothesis runs the same examples every time, without a clock: a failure is a failure for everyone."""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci")


def pytest_collection_finish() -> None:
    """What the tests themselves are made of stays: it is not searched for garbage again and again, which took a seventh of the time.

    Traces refer to their graph and it to them, so there is garbage to search for, but not after every 700 new objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 10)
