"""Runs whose constraints carry coordinates: one that begins where the last one ended goes on with them, on the same branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name
from redmax.dynamics.common.closing import INPUTS, OUTPUTS, world
from redmax.model.model import Model

RUN = "A run with closed loops"


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a run ended, (worlds, n) each: coordinates and rates as they were given out, and those that constraints carry."""

    q: np.ndarray
    qdot: np.ndarray
    closing: np.ndarray

    def goes_on(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(worlds,): whether a run that begins so begins where this one ended."""
        known = np.isfinite(self.closing).all(axis=1)
        return (q == self.q).all(axis=1) & (qdot == self.qdot).all(axis=1) & known


def closing_runner(model: Model, inner: Runner) -> Runner:
    """What runs a program of `closing.begun`; the runner itself, where no constraint carries coordinates."""
    size = world(model).get("closing_q", 0)
    return ClosingRunner(size, inner) if size else inner


class ClosingRunner(Runner):
    """size: how many coordinates are carried."""

    def __init__(self, size: int, inner: Runner) -> None:
        self.size, self.inner = size, inner
        self.inputs = tuple(name for name in inner.inputs if name not in INPUTS)
        self.outputs = tuple(name for name in inner.outputs if name not in OUTPUTS)
        self.history: Ends | None = None

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
        wanted = by_name(outputs, self.outputs, RUN)
        q, qdot = (np.broadcast_to(given[name], (worlds, given[name].shape[-1])) for name in ("q", "qdot"))
        on, closing = np.zeros(worlds, bool), np.zeros((worlds, self.size))
        if self.history is not None and self.history.q.shape == q.shape:
            on, closing = self.history.goes_on(q, qdot), self.history.closing
        given |= {"closing_fresh": np.where(on, 0.0, 1.0)[:, None], "closing_q": np.where(on[:, None], closing, 0.0)}
        samples = len(next(iter(wanted.values())))
        found = {n: np.full(a.shape, np.nan) for n, a in wanted.items()} | {"closing_q": np.full((samples, worlds, self.size), np.nan)}
        try:
            status = self.inner.run(given, found, worlds, count, stride)
        finally:  # a run that is given up keeps the samples that it has
            for name, target in wanted.items():
                target[...] = found[name]
        if samples:
            last, rates = (np.array(a[-1], np.float64) for a in list(wanted.values())[:2])
            self.history = Ends(last, rates, found["closing_q"][-1])
        return status
