"""Runs the same plans with NumPy, row by row, all worlds at once: slow, for tests and debugging."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.backends.view import View
from redmax.backends.walk import Walker, not_finite
from redmax.program.plan import HostCall, Row, Run
from redmax.trace import evaluate_numeric


class Interpreter(Walker):
    """A plan over arrays of worlds: slots are rows of (slot, world)."""

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, count: int = 0, stride: int = 1) -> int:
        """As `Executable.run`: inputs (worlds, columns) or (columns,), outputs (samples, worlds, columns)."""
        self.memory = np.zeros((self.plan.workspace + self.plan.accumulators + 1, worlds))
        self.gathered = self.memory[self.plan.workspace :]
        for slots, array in zip(self.plan.inputs, inputs, strict=True):
            self.memory[slots] = np.broadcast_to(array, (worlds, len(slots))).T
        self.walk(outputs, count, stride)
        return not_finite((*inputs, *outputs))

    def execute(self, run: Run) -> None:
        for row in run.rows:
            self.row(row)

    def is_set(self, slot: int) -> bool:
        return bool(self.memory[slot].any())

    def call(self, block: HostCall) -> None:
        for world in range(self.memory.shape[1]):
            block.function(View(self.memory[:, world], block.slots))

    def keep(self, array: np.ndarray, slots: np.ndarray) -> None:
        array[self.sample] = self.memory[slots].T

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
