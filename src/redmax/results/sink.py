"""The samples of a run that go to a file while it is computed: memory holds a block of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from redmax.model.state import State
from redmax.results.reader import opened
from redmax.results.writer import ResultWriter
from redmax.run.loop import MOST
from redmax.run.samples import Samples
from redmax.run.simulation import Simulation
from redmax.run.trajectory import Trajectory

PAUSE = 1.0  # s of wall time between two writes, unless memory asks for one before
BYTES = 32 * 2**20  # of a block


class FileSamples(Samples):
    """Samples, of which at most a block is in memory."""

    def __init__(self, sim: Simulation, count: int, every: int, settings: Mapping[str, Any], path: Any, store: Collection[str]) -> None:
        held = min(count, MOST + 1, max(2, BYTES // max(sim.q.nbytes + sim.qdot.nbytes, 1)))
        super().__init__(sim, held, every, settings)
        self.writer = ResultWriter(path, self.held(complete=False), store, count)
        try:
            self.write_out()
            self.start_clock()
        except BaseException as error:
            self.abandon(f"{type(error).__name__}: {error}")
            raise

    def room(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        if self.span[1] + count > len(self.q) or time.perf_counter() - self.written > PAUSE:
            self.write_out()
        if count > len(self.q):  # a portion of many worlds
            self.q, self.qdot = self.sim.room(count)
            self.drift = None if self.drift is None else np.full((count, *self.drift.shape[1:]), np.nan)
            self.impulse = None if self.impulse is None else np.full((2, count, *self.impulse.shape[2:]), np.nan)
            if self.contacts is not None:
                self.contacts.restart(self.span[1] - 1 if self.span[1] else None, count)
            self.noted = {name: np.full((count, *kept.shape[1:]), np.nan) for name, kept in self.noted.items()}
        return super().room(count)

    def write_out(self, last: bool = False) -> None:
        """Write what is in memory, and forget it. last: also the last sample, of which a controller is not asked until the run goes on."""
        first, held = self.span
        kept = 1 if self.answers is not None and not last else 0
        if held > kept:
            self.writer.write(first, self.held(complete=False)[: held - kept])
            self.commit(held - kept)
            for array in (self.q, self.qdot, self.drift, self.answers, *self.noted.values()):
                if kept and array is not None:
                    array[0] = array[held - 1]
            if kept and self.impulse is not None:
                self.impulse[:, 0] = self.impulse[:, held - 1]
            if self.contacts is not None:
                self.contacts.restart(held - 1 if kept else None, len(self.contacts.count))
            self.span = (first + held - kept, kept)
        self.written = time.perf_counter()

    def commit(self, held: int = 0, broken: bool = True) -> None:
        """All samples count that are in the file, and so many of those in memory."""
        self.writer.commit(self.span[0] + held, self.steps(broken), time.perf_counter() - self.started, self.sim.compile_s)

    def state(self, k: int) -> State:
        if k >= self.span[0]:
            return super().state(k)
        file, configurations = self.writer.file, self.sim.model.configurations
        row = {name: np.asarray(file[name][k]).reshape(len(self.sim.q), -1) for name in ("q", "qdot", "charts") if name in file}
        return State(float(file["t"][k]), configurations.join(row["q"], row.get("charts")), row["qdot"])

    def forget(self, kept: int) -> None:
        if kept >= self.span[0]:
            super().forget(kept)
        else:
            self.span = (kept, 0)

    def finish(self, ended: str) -> Trajectory:
        self.write_out(last=True)
        self.writer.note_failures(self.sim.failures, anew=True)
        self.commit(broken=bool(ended))
        self.writer.close(not ended, ended or "complete")
        return opened(self.writer.path, self.sim.model, self.sim.engine)

    def abandon(self, why: str) -> None:
        with contextlib.suppress(Exception):
            self.write_out(last=True)
        with contextlib.suppress(Exception):
            self.writer.close(False, why)
