"""What a result file holds beside the states: found from them as a Trajectory finds it, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from redmax.errors import RedmaxError
from redmax.results.layout import Column
from redmax.results.verified import DamagedSamples
from redmax.run.trajectory import Trajectory

BYTES = 32 * 2**20  # of poses that are looked at together


def derived(block: Trajectory, wanted: Sequence[Column]) -> Iterator[tuple[int, Trajectory, dict[str, np.ndarray]]]:
    """Parts of the block, each with its first sample's number in the block and the columns that are not states by name."""
    worlds = int(np.prod(block.q.shape[1:-1]))
    size = max(1, BYTES // (worlds * len(block.model.links) * 30 * 8))
    nearby = block.nearby
    for first in range(0, len(block), size):
        part = replace(block[first : first + size], nearby=nearby)
        yield first, part, found_or_nan(part, [c for c in wanted if c.of])
        nearby = last_mapped(part)


def last_mapped(part: Trajectory) -> np.ndarray | None:
    """q_R of the last sample, from where that of the next is found."""
    return part.q_R[-1] if part.model.map is not None and "mapped" in vars(part) else part.nearby


def found_or_nan(part: Trajectory, wanted: Sequence[Column]) -> dict[str, np.ndarray]:
    """The columns of some samples; not a number where a run that breaks off has none any more."""
    alone = part.q.shape[:-1] == (1,)
    seen = part.part(([0, 0],)) if alone else part  # a state by itself would take other code than those of whole runs
    found: dict[str, np.ndarray] = {}
    missing: list[Column] = []
    for column in wanted:
        try:
            found[column.name] = column.values(seen)[: len(part)]
        except DamagedSamples:
            raise
        except (RedmaxError, FloatingPointError, np.linalg.LinAlgError):
            missing.append(column)
    if missing and len(part) == 1:
        found |= {c.name: np.full((*part.q.shape[:-1], *c.shape), np.nan) for c in missing}
    elif missing:
        middle = len(part) // 2
        halves = [found_or_nan(half, missing) for half in (part[:middle], part[middle:])]
        found |= {c.name: np.concatenate([half[c.name] for half in halves]) for c in missing}
    return found
