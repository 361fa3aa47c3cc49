"""Timing on a noisy machine: contestants take turns, so that a ratio compares what ran under the same conditions.

Times are per evaluation: the best of all turns. A ratio is the median over the turns of the quotient within one turn.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np


@dataclass(frozen=True)
class Effort:
    """turns: how often each contestant is timed; seconds: about how long one turn lasts; processes: how many for a start-up figure."""

    turns: int
    seconds: float
    processes: int


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
    calls = [max(1, round(effort.seconds / duration(c.call, 1))) for c in contestants]
    samples = np.empty((len(contestants), effort.turns))
    gc.collect()
    gc.disable()
    try:
        for turn in range(effort.turns):
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
