"""Timing on a noisy machine: contestants take turns, so that a ratio compares what ran under the same conditions.

Times are per evaluation: the best of all turns. A ratio is the median over the turns of the quotient within one turn. Turns are short where
calls are, so that most of them end before the system gives the core to somebody else.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np


@dataclass(frozen=True)
class Effort:
    """turns, seconds: how often each contestant is timed, and about how long; if calls are short, more often and less long instead
    processes: how many for a start-up figure
    """

    turns: int
    seconds: float
    processes: int


SHORT = 2e-3  # s of a turn, if calls allow it
FULL, QUICK = Effort(15, 0.04, 5), Effort(5, 0.02, 2)


@dataclass(frozen=True)
class Contestant:
    """call: does `evaluations` evaluations; accelerations: (evaluations, nv) of the last call, in redmax's coordinates."""

    name: str
    call: Callable[[], object]
    evaluations: int
    accelerations: Callable[[], np.ndarray]


@dataclass(frozen=True)
class Times:
    """samples: (turns,) seconds per evaluation."""

    samples: np.ndarray

    @property
    def best(self) -> float:
        return float(self.samples.min())

    def ratio(self, other: Times) -> float:
        """How long this takes, as a multiple of the other."""
        return float(np.median(self.samples / other.samples))


def compete(contestants: Sequence[Contestant], effort: Effort) -> list[Times]:
    """Time the contestants in turns."""
    single = [min(duration(c.call, 1) for _ in range(3)) for c in contestants]
    length = min(effort.seconds, max(SHORT, *single))
    calls = [max(1, round(length / s)) for s in single]
    turns = round(effort.turns * effort.seconds / length)
    samples = np.empty((len(contestants), turns))
    gc.collect()
    gc.disable()
    try:
        for turn in range(turns):
            for i, (c, n) in enumerate(zip(contestants, calls)):
                samples[i, turn] = duration(c.call, n) / (n * c.evaluations)
    finally:
        gc.enable()
    return [Times(s) for s in samples]


def duration(call: Callable[[], object], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        call()
    return perf_counter() - start
