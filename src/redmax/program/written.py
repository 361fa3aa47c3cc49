"""Which slots of memory blocks store to: what must be kept of a world that waits while others run them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from redmax.program.blocks import Block, Run, WideRun
from redmax.program.group import Kernels
from redmax.program.kernel import Kernel
from redmax.program.plan import Plan, runs_of
from redmax.program.routines.footprint import Footprint
from redmax.program.routines.routine import Looped

Stores: TypeAlias = "list[list[tuple[int, int]]] | None"  # for each kernel, (number of the place, index); None: anywhere


def stores_of(group: Kernels) -> Stores:
    """Where the kernels of a group store to; places are numbered as in their rows, the world's record is -1. Traces them."""
    if not all(isinstance(k, Kernel) for k in group.kernels):
        return None  # a routine finds its places when it runs
    return [sorted({place_of(k, s.base, i) for s in k.stores for i in s.places}) for k in group.kernels if isinstance(k, Kernel)]


def place_of(kernel: Kernel, base: str, index: int) -> tuple[int, int]:
    """A store as (number of the place, index)."""
    return kernel.places.index(base) if base in kernel.places else -1, index


def written(plan: Plan, blocks: Sequence[Block], stores: Callable[[Kernels], Stores] = stores_of) -> np.ndarray:
    """(slots,) whether blocks, and those inside of them, may store to a slot of a world's memory."""
    found = np.zeros(plan.workspace + plan.accumulators + 1, bool)
    for run in runs_of(blocks):
        for group, number, starts in calls_of(plan, run):
            if isinstance(group, Looped) and len(plan.loose):
                for row in starts[:, :-1].tolist():
                    found[:-1] |= Footprint(group.form, row, len(found) - 1, plan.bounds).stored
                continue
            known = stores(group)
            if known is None:
                return np.ones(len(found) - 1, bool)
            for place, index in known[number]:
                found[starts[:, place] + index] = True
    for first, behind in plan.loose.tolist():
        found[first:behind] = False
    return found[:-1]


def calls_of(plan: Plan, run: Run | WideRun) -> list[tuple[Kernels, int, np.ndarray]]:
    """(group, number of its kernel, where its places begin in memory: (rows, places), the last of them the world's record)."""
    behind = plan.workspace
    if isinstance(run, Run):
        starts: dict[tuple[Kernels, int], list[tuple[int, ...]]] = {(r.group, r.sweep): [] for r in run.rows}
        for r in run.rows:
            constants, record, parent, gathered, upward = r.places
            starts[r.group, r.sweep].append((constants, record, parent, behind + gathered, behind + upward, 0))
        return [(group, sweep, np.array(rows)) for (group, sweep), rows in starts.items()]
    return [(t.group, 0, np.column_stack([t.places, np.zeros(len(t.places), np.int64)])) for t in run.tables]
