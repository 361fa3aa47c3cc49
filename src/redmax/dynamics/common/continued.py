"""Runners of programs that carry more than states: one run goes on with what the last one ended with, if it begins where that one ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a run ended, (worlds, n) each: coordinates and rates as they were given out, and what else it carries, by name."""

    q: np.ndarray
    qdot: np.ndarray
    carried: Mapping[str, np.ndarray]

    def goes_on(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(worlds,): whether a run that begins so begins where this one ended, of which all is known."""
        if self.q.shape != q.shape:
            return np.zeros(len(q), bool)
        known = np.all([np.isfinite(values).all(axis=1) for values in self.carried.values()], axis=0)
        return (q == self.q).all(axis=1) & (qdot == self.qdot).all(axis=1) & known


class ContinuedRunner(Runner):
    """carried: what goes in and comes out with the states, name -> how many numbers; told: what comes out beside that, likewise.

    fresh, every: inputs, if any, that say whether a world begins anew, and how many steps there are between samples
    The program runs in doubles; what goes out is rounded.
    """

    run_of: ClassVar[str] = "A run"  # for errors

    def __init__(
        self, inner: Runner, carried: Mapping[str, int], told: Mapping[str, int] | None = None, fresh: str = "", every: str = ""
    ) -> None:
        self.inner, self.carried, self.told_sizes, self.fresh, self.every = inner, dict(carried), dict(told or {}), fresh, every
        self.inputs = tuple(name for name in inner.inputs if name not in (*self.carried, fresh, every))
        self.outputs = tuple(name for name in inner.outputs if name not in self.carried and name not in self.told_sizes)
        self.history: Ends | None = None
        self.seen = {name: np.zeros((0, 0, size)) for name, size in (self.carried | self.told_sizes).items()}

    def prepare(self, worlds: int) -> None:
        """Compile for so many worlds."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """Where the last run ended, and what lies within."""
        return self.history, self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.history, within = (None, None) if past is None else past
        self.inner.restore(within)

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """What came out of the last run beside its states."""
        return {**self.inner.notes, **self.seen}

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        given = {n: np.ascontiguousarray(a, np.float64) for n, a in by_name(inputs, self.inputs, self.run_of).items()}
        wanted = by_name(outputs, self.outputs, self.run_of)
        q, qdot = (np.broadcast_to(given[name], (worlds, given[name].shape[-1])) for name in ("q", "qdot"))
        on = np.zeros(worlds, bool) if self.history is None else self.history.goes_on(q, qdot)
        before = {} if self.history is None or not on.any() else self.history.carried
        given |= {n: np.where(on[:, None], before[n], 0.0) if n in before else np.zeros((worlds, k)) for n, k in self.carried.items()}
        given |= {self.fresh: np.where(on, 0.0, 1.0)[:, None]} if self.fresh else {}
        given |= {self.every: np.full(1, float(stride))} if self.every else {}
        samples = len(next(iter(wanted.values())))
        own = {n: np.full((samples, worlds, k), np.nan) for n, k in (self.carried | self.told_sizes).items()}
        found = {n: np.full(a.shape, np.nan, a.dtype) for n, a in wanted.items()} | own  # rounded, as whoever goes on from here has it
        try:
            status = self.inner.run(given, found, worlds, count, stride)
        finally:  # a run that is given up keeps the samples that it has
            for name, target in wanted.items():
                target[...] = found[name]
        self.seen = own
        if samples:
            last, rates = (np.array(a[-1], np.float64) for a in list(wanted.values())[:2])
            self.history = Ends(last, rates, {n: own[n][-1] for n in self.carried})
        return status
