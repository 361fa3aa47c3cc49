"""Runs the same plans with NumPy, row by row, all worlds at once: slow, for tests and debugging."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.backends.view import View
from redmax.program.plan import Block, BranchRuns, HostCall, Plan, RepeatRuns, Row, Run
from redmax.trace import evaluate_numeric


class Interpreter:
    """A plan over arrays of worlds: slots are rows of (slot, world)."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, count: int = 0, stride: int = 1) -> int:
        """As `Executable.run`: inputs (worlds, columns) or (columns,), outputs (samples, worlds, columns)."""
        self.memory = np.zeros((self.plan.workspace + self.plan.accumulators + 1, worlds))
        self.gathered = self.memory[self.plan.workspace :]
        self.outputs, self.count, self.stride, self.sample, self.visit = outputs, count, stride, 0, 0
        for slots, array in zip(self.plan.inputs, inputs, strict=True):
            self.memory[slots] = np.broadcast_to(array, (worlds, len(slots))).T
        self.blocks(self.plan.blocks)
        if self.plan.program.straight:
            self.save()
        return int(not all(np.isfinite(a).all() for a in (*inputs, *outputs)))

    def blocks(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if isinstance(block, Run):
                for row in block.rows:
                    self.row(row)
            elif isinstance(block, RepeatRuns):
                done = 0
                while done < self.count if block.until < 0 else not self.memory[block.until].any():
                    self.blocks(block.body)
                    done += 1
            elif isinstance(block, BranchRuns):
                if self.memory[block.flag].any():
                    self.blocks(block.body)
            elif isinstance(block, HostCall):
                for world in range(self.memory.shape[1]):
                    block.function(View(self.memory[:, world], block.slots))
            elif not block.strided:
                self.save()
            else:
                self.visit += 1
                if self.visit == self.stride:
                    self.visit = 0
                    self.save()

    def row(self, row: Row) -> None:
        kernel = row.group.kernels[row.sweep]
        k, w, p, i, j = row.places
        start = {"K": k, "W": w, "P": p, "I": i, "J": j, "G": 0}
        store = {"W": self.memory, "P": self.memory, "G": self.memory, "I": self.gathered, "J": self.gathered}

        def leaf(base: str, index: int) -> np.ndarray:
            if base == "K":
                return self.plan.constants[k + index]
            return store[base][start[base] + index].copy()

        with np.errstate(all="ignore"):
            values = evaluate_numeric(kernel.values, leaf)
        for s, value in zip(kernel.stores, values, strict=True):
            at = start[s.base] + s.index
            store[s.base][at] = store[s.base][at] + value if s.accumulate else value

    def save(self) -> None:
        for slots, array in zip(self.plan.outputs, self.outputs, strict=True):
            array[self.sample] = self.memory[slots].T
        self.sample += 1
