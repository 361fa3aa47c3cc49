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
        self.source, self.count, self.done = source, 0, 0
        self.writer = ResultWriter(path, source.trajectory(), STORE, source.steps + 1)
        self.write()

    def follow(self) -> None:
        """Write what is new, once in a while."""
        if self.source.loop.samples.done != self.done and time.perf_counter() - self.written > PAUSE:
            self.write()

    def write(self, last: bool = False) -> None:
        """last: also the last sample, of which a controller is not asked until the simulation goes on."""
        run = self.source.trajectory()
        end = len(run) - (run.controls is not None and not last)
        if end > self.count:
            self.writer.write(self.count, run[self.count : end])
        if end:
            self.writer.commit(end, run.steps, run.wall_s, run.compile_s)
        self.count, self.done, self.written = end, len(run), time.perf_counter()

    def close(self) -> None:
        """The simulation is over, at its end or before."""
        try:
            self.write(last=True)
        finally:
            complete = self.source.trajectory().complete
            self.writer.close(complete, "complete" if complete else self.source.failure or "interrupted")
