"""Runs with contact: one that begins where the last one ended goes on with the impulses of its contacts; and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.stages import COUNTS, HELD, TABLE

RUN = "A run with contact"


@dataclass(frozen=True, eq=False)
class Told:
    """Contacts of samples: counts (samples, worlds, 6), as of stages.COUNTS; held: how many; table: (samples, worlds, capacity, TOLD)."""

    counts: np.ndarray
    held: np.ndarray
    table: np.ndarray


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a run ended, (worlds, n) each: coordinates and rates as they were given out, and what is told of contacts."""

    q: np.ndarray
    qdot: np.ndarray
    held: np.ndarray
    table: np.ndarray

    def goes_on(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(worlds,): whether a run that begins so begins where this one ended."""
        return (q == self.q).all(axis=1) & (qdot == self.qdot).all(axis=1) & np.isfinite(self.held[:, 0])


class ContactRunner(Runner):
    """capacity: how many contacts there is room for; told: of the samples of the last run."""

    def __init__(self, capacity: int, inner: Runner) -> None:
        self.capacity, self.inner = capacity, inner
        self.inputs = tuple(name for name in inner.inputs if name not in (HELD, TABLE))
        self.outputs = tuple(name for name in inner.outputs if name not in (COUNTS, HELD, TABLE))
        self.history: Ends | None = None
        self.told: Told | None = None

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

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`. The program runs in doubles; what goes out is rounded."""
        given = {n: np.ascontiguousarray(a, np.float64) for n, a in by_name(inputs, self.inputs, RUN).items()}
        wanted, size = by_name(outputs, self.outputs, RUN), TOLD * self.capacity
        q, qdot = (np.broadcast_to(given[name], (worlds, given[name].shape[-1])) for name in ("q", "qdot"))
        held, table = np.zeros((worlds, 1)), np.zeros((worlds, size))
        if self.history is not None and self.history.q.shape == q.shape:
            on = self.history.goes_on(q, qdot)[:, None]
            held, table = np.where(on, self.history.held, 0.0), np.where(on, self.history.table, 0.0)
        given |= {HELD: held, TABLE: table}
        samples = len(next(iter(wanted.values())))
        found = {n: np.full(a.shape, np.nan) for n, a in wanted.items()}
        found |= {n: np.full((samples, worlds, k), np.nan) for n, k in ((COUNTS, 6), (HELD, 1), (TABLE, size))}
        try:
            status = self.inner.run(given, found, worlds, count, stride)
        finally:  # a run that is given up keeps the samples that it has
            for name, target in wanted.items():
                target[...] = found[name]
        table = found[TABLE].reshape(samples, worlds, self.capacity, TOLD)
        self.told = Told(found[COUNTS], found[HELD][..., 0], table)
        if samples:
            last, rates = (np.array(a[-1], np.float64) for a in list(wanted.values())[:2])
            self.history = Ends(last, rates, found[HELD][-1], found[TABLE][-1])
        return status
