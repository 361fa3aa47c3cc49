"""What compiled code is told of a plan: its shape, which the entry function is written for, and its rows as tables of addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.program.blocks import Block, BranchRuns, RepeatRuns, Run, WideRun
from redmax.program.plan import Plan
from redmax.program.program import Save


def shape_of(plan: Plan) -> str:
    """What the driver depends on: the nesting of blocks and the number of arrays."""

    def text(blocks: Sequence[Block]) -> str:
        return " ".join(
            "run" if isinstance(b, Run)
            else f"wide({b.count})" if isinstance(b, WideRun)
            else f"repeat({b.until}: {text(b.body)})" if isinstance(b, RepeatRuns)
            else f"branch({b.flag}: {text(b.body)})" if isinstance(b, BranchRuns)
            else f"save({b.strided})" if isinstance(b, Save)
            else "host"
            for b in blocks
        )  # fmt: skip

    return f"{text(plan.blocks)} inputs={len(plan.inputs)} outputs={len(plan.outputs)} straight={plan.program.straight}"


def row_table(run: Run | WideRun, addresses: dict, scalar: int, lanes: int, memory: int) -> np.ndarray:
    """Rows of (kernel address, byte offsets of K, W, P, I, J), without those that have nothing to do."""
    if isinstance(run, WideRun):
        return wide_table(run, addresses, scalar, lanes, memory)
    size = np.array([1, scalar, scalar * lanes, scalar * lanes, scalar * lanes, scalar * lanes], np.int64)
    rows = [(addresses[r.group][r.sweep], *r.places) for r in run.rows if addresses[r.group][r.sweep]]  # 0: nothing to store, no code
    return np.ascontiguousarray(np.array(rows, np.int64).reshape(-1, 6) * size)


def wide_table(run: WideRun, addresses: dict, scalar: int, lanes: int, memory: int) -> np.ndarray:
    """Rows of (kernel address, byte offsets or numbers), all as long as the longest."""
    tables = [t for t in run.tables if addresses[t.group][0]]
    words = 1 + max((t.places.shape[1] for t in tables), default=0)
    result = np.zeros((sum(len(t.places) for t in tables), words), np.int64)
    bytes_of = {"constants": scalar, "memory": scalar * lanes, "size": memory, "number": 1}
    start = 0
    for t in tables:
        part = result[start : start + len(t.places)]
        part[:, 0] = addresses[t.group][0]
        part[:, 1 : 1 + t.places.shape[1]] = t.places * np.array([bytes_of[u] for u in t.group.units(t.places.shape[1])], np.int64)
        start += len(t.places)
    return result
