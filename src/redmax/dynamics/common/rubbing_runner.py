"""Runs with joints that rub: one that begins where the last one ended goes on with its friction; others begin with none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name

RUN = "A run with joints that rub"
KEPT = ("rub_b", "rub_t", "rub_torque", "rub_impulse")  # from step to step, and from program to program


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a run ended, (worlds, n) each: coordinates and rates as they were given out, and what is kept of friction."""

    q: np.ndarray
    qdot: np.ndarray
    kept: dict[str, np.ndarray]

    def goes_on(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(worlds,): whether a run that begins so begins where this one ended."""
        known = np.all([np.isfinite(a).all(axis=1) for a in self.kept.values()], axis=0)
        return (q == self.q).all(axis=1) & (qdot == self.qdot).all(axis=1) & known


class RubbingRunner(Runner):
    """sizes: how many numbers there are of each that is kept or seen, of one world."""

    def __init__(self, sizes: Mapping[str, int], inner: Runner) -> None:
        self.sizes, self.inner = dict(sizes), inner
        self.inputs = tuple(name for name in inner.inputs if name not in self.sizes)
        self.outputs = tuple(name for name in inner.outputs if name not in self.sizes)
        self.history: Ends | None = None
        self.seen = {name: np.zeros((0, 0, size)) for name, size in self.sizes.items()}

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
        """What joints bore and rubbed with at the samples of the last run."""
        return {**self.inner.notes, **self.seen}

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`. The program runs in doubles; what goes out is rounded."""
        given = {n: np.ascontiguousarray(a, np.float64) for n, a in by_name(inputs, self.inputs, RUN).items()}
        wanted = by_name(outputs, self.outputs, RUN)
        q, qdot = (np.broadcast_to(given[name], (worlds, given[name].shape[-1])) for name in ("q", "qdot"))
        on = np.zeros(worlds, bool)
        if self.history is not None and self.history.q.shape == q.shape:
            on = self.history.goes_on(q, qdot)
        for name in KEPT:
            past = self.history.kept[name] if self.history is not None and on.any() else np.zeros((worlds, self.sizes[name]))
            given[name] = np.where(on[:, None], past, 0.0)
        samples = len(next(iter(wanted.values())))
        found = {n: np.full(a.shape, np.nan) for n, a in wanted.items()}
        found |= {n: np.full((samples, worlds, size), np.nan) for n, size in self.sizes.items()}
        try:
            status = self.inner.run(given, found, worlds, count, stride)
        finally:  # a run that is given up keeps the samples that it has
            for name, target in wanted.items():
                target[...] = found[name]
        self.seen = {name: found[name] for name in self.sizes}
        if samples:
            last, rates = (np.array(a[-1], np.float64) for a in list(wanted.values())[:2])
            self.history = Ends(last, rates, {name: found[name][-1] for name in KEPT})
        return status
