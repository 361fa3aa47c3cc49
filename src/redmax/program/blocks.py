"""What a plan is made of: rows to run, loops, branches, samples and calls of Python, in the order of execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from redmax.program.group import Kernels
from redmax.program.program import Save


@dataclass(frozen=True)
class Row:
    """One kernel call: which kernel, and where its places begin: constants, record, parent, gathered, upward

    (in scalars; the last two count from behind the records)."""

    group: Kernels
    sweep: int
    places: tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Run:
    """Rows to run one after the other. part: of a recursion that forces cut in two, so that what it keeps must reach memory."""

    rows: tuple[Row, ...]
    part: bool = False


@dataclass(frozen=True, eq=False)
class Rows:
    """Calls of one wide kernel: places (rows, n), as the kernel names them: in the constants, in the memory of a world, or plain numbers.

    The memory of a world is its workspace with the accumulators behind it.
    """

    group: Kernels
    places: np.ndarray


@dataclass(frozen=True, eq=False)
class WideRun:
    """Wide rows to run one after the other. count: the slot of the world that says how many of them there are, or -1: all."""

    tables: tuple[Rows, ...]
    count: int = -1


@dataclass(frozen=True)
class RepeatRuns:
    """Blocks to run again until a flag is set, or a number of times."""

    body: tuple[Block, ...]
    until: int  # slot in the world's record, or -1: a count given with the call


@dataclass(frozen=True)
class BranchRuns:
    """Blocks to run if a flag is set; flag: its slot in the world's record."""

    flag: int
    body: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class HostCall:
    """A call of Python, with the places of the fields it may ask for."""

    function: Callable[[Any], None]
    slots: Callable[[str], np.ndarray]


@dataclass(frozen=True)
class FedRun:
    """Read the row of this turn of some inputs, by their numbers, which have a row for each turn."""

    inputs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class FoundRuns:
    """Blocks whose results are constants on the way back."""

    body: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class DerivedRuns:
    """Blocks that run on the way back alone."""

    body: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class HeldRuns:
    """Blocks that are differentiated by these slots alone."""

    body: tuple[Block, ...]
    by: np.ndarray


def runnable(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same without what is for the way back."""
    found: list[Block] = []
    for b in blocks:
        if isinstance(b, FoundRuns | HeldRuns):
            found += runnable(b.body)
        elif isinstance(b, RepeatRuns | BranchRuns):
            found.append(replace(b, body=runnable(b.body)))
        elif not isinstance(b, DerivedRuns):
            found.append(b)
    return tuple(found)


Block: TypeAlias = "FedRun | Run | WideRun | RepeatRuns | BranchRuns | FoundRuns | DerivedRuns | HeldRuns | Save | HostCall"
