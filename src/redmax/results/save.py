"""A run in memory, as a result file."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike

from redmax.results.target import check_target
from redmax.results.writer import ResultWriter
from redmax.run.trajectory import Trajectory

BLOCK = 1000  # samples that are written together


def save(run: Trajectory, path: str | PathLike[str], store: Collection[str]) -> None:
    """Write the file that `redmax.simulate(..., out=path)` would have left; what is there is replaced when that is whole."""
    target = check_target(path, store)
    writer = ResultWriter(target, run, store, len(run), growing=False)
    try:
        for first in range(0, len(run), BLOCK):
            block = run[first : first + BLOCK]
            writer.write(first, block)
            writer.commit(first + len(block), run.steps, run.wall_s, run.compile_s)
    except BaseException:
        writer.discard()
        raise
    writer.close(
        run.complete, "complete" if run.complete else run.failure.reason if run.failure else getattr(run, "ended", "") or "broke off"
    )
