"""Hypothesis runs the same examples every time, without a clock: a failure is a failure for everyone.

What is compiled is kept in build/kernels, for all workers and for the next time; tests of the cache itself have one of their own.
What was traced is kept in each worker, more of it than a user needs. Most tests compile many mechanisms and run each for a few steps, so
they ask for code that is compiled soon; those of backends and of published numbers run what users run, and by `make long` all do.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import one_thread  # noqa: F401
from random_examples import LONG
from redmax.program.known_kernels import KNOWN

settings.register_profile("ci", deadline=None, derandomize=True, database=None, max_examples=100 if LONG else 40)
settings.load_profile("ci")
os.environ.setdefault("REDMAX_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "kernels"))
os.environ.setdefault("REDMAX_OPTIMISATION", "1" if LONG else "0")
KNOWN.most = 1_000_000
gc.disable()  # until all tests are there: what is imported and collected stays
AS_USERS_RUN_IT = ("backends", "test_published.py")
HOW_IT_IS_CALLED = ("test_interface.py", "test_release.py")  # of backends, whatever the code that runs


@pytest.fixture(autouse=True, scope="module")
def optimisation(request: pytest.FixtureRequest) -> Iterator[None]:
    """LLVM's level for the tests of a file."""
    with pytest.MonkeyPatch.context() as patch:
        if {request.path.parent.name, request.path.name} & set(AS_USERS_RUN_IT) and request.path.name not in HOW_IT_IS_CALLED:
            patch.setenv("REDMAX_OPTIMISATION", "1")
        yield


def pytest_collection_finish() -> None:
    """What the tests themselves are made of stays: it is not searched for garbage again and again, which took a seventh of the time.

    Traces refer to their graph and it to them, so there is garbage to search for, but not after every 700 new objects.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 5, 10)
