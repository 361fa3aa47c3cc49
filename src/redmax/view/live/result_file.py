"""The result file of a simulation that is watched: it grows with the simulation, so that whatever ends it leaves what was written."""

from __future__ import annotations

import time
from os import PathLike

from redmax.results.writer import ResultWriter
from redmax.run.quantities import STORE
from redmax.view.live.source import Growing

PAUSE = 1.0  # s of wall time between two writes


class ResultFile:
    """Written by the functions that write the file of rm.simulate(out=...), with the same contents."""

    def __init__(self, path: str | PathLike[str], source: Growing) -> None:
        self.source, self.count = source, 0
        self.writer = ResultWriter(path, source.trajectory(), STORE, source.steps + 1)
        self.write()

    def follow(self) -> None:
        """Write what is new, once in a while."""
        if self.source.loop.samples.done != self.count and time.perf_counter() - self.written > PAUSE:
            self.write()

    def write(self) -> None:
        run = self.source.trajectory()
        if len(run) > self.count:
            self.writer.write(self.count, run[self.count :])
        self.writer.commit(len(run), run.steps, run.wall_s, run.compile_s)
        self.count, self.written = len(run), time.perf_counter()

    def close(self) -> None:
        """The simulation is over, at its end or before."""
        try:
            self.write()
        finally:
            complete = self.source.trajectory().complete
            self.writer.close(complete, "complete" if complete else self.source.failure or "interrupted")
