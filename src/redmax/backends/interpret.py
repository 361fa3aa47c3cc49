"""The backend `interpret` runs the same plans with NumPy, row by row, all worlds at once: slow, for tests and debugging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Backend, Door, Runner
from redmax.backends.walk import Walker, not_finite
from redmax.backends.world_memory import WorldMemory
from redmax.program.blocks import Block, HostCall, Row, Rows, Run, WideRun
from redmax.program.kernel import CONSTANTS, PLACES, WORLD, Kernel
from redmax.program.plan import Plan
from redmax.program.routines.routine import Looped
from redmax.trace import evaluate_numeric


class Interpret(Backend):
    """Plans stay as they are laid out."""

    def runner(self, plan: Plan, dtype: str) -> Runner:
        """With NumPy, also where the plan calls Python."""
        return Interpreter(plan, dtype)


class Interpreter(Walker):
    """A plan over arrays of worlds: slots are rows of (slot, world). dtype: of the arrays; it computes with float64."""

    def __init__(self, plan: Plan, dtype: str = "float64") -> None:
        super().__init__(plan)
        self.door = Door(plan, np.dtype(dtype))

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        inputs, outputs = self.door.ordered(inputs, outputs)
        self.door.check(inputs, outputs, worlds, count, contiguous=False)
        self.memory = np.zeros((self.plan.workspace + self.plan.accumulators + 1, worlds))
        self.given = inputs
        for n, (slots, array) in enumerate(zip(self.plan.inputs, inputs, strict=True)):
            if n not in self.plan.fed:
                self.memory[slots] = np.broadcast_to(array, (worlds, len(slots))).T
        self.members = np.arange(worlds)  # the worlds that the memory is of: all, or those that are in a loop or branch
        self.samples, self.visits = np.zeros(worlds, int), np.zeros(worlds, int)
        self.apart = Apart(worlds)
        self.lost = np.asarray(~np.isfinite(self.memory).all(axis=0) & (worlds > 1))  # worlds that have failed
        self.walk(outputs, count, stride)
        self.apart.end()
        self.door.leave(outputs)
        return not_finite((*inputs, *outputs))

    def execute(self, run: Run | WideRun) -> None:
        """Row by row; where worlds differ in how many rows they have, as many as the world with most."""
        if isinstance(run, Run):
            for row in run.rows:
                self.row(row)
        else:
            for table in run.tables:
                self.table(table if run.count < 0 else replace(table, places=table.places[: self.most(run.count)]))

    def most(self, slot: int) -> int:
        """The largest of the numbers of rows that the worlds have."""
        return int(np.nan_to_num(self.memory[slot], nan=0.0, posinf=2.0**31, neginf=0.0).clip(0, 2**31).max())

    def enter(self, flag: int, value: bool, body: Sequence[Block]) -> bool:
        """The worlds let in run in a memory of their own, as if there were no others; it is put back afterwards."""
        inside = (self.memory[flag] != 0.0) == value
        if not inside.any():
            return False
        if inside.all():
            self.blocks(body)
            return True
        everyone, members = self.memory, self.members
        self.memory, self.members = everyone[:, inside], members[inside]
        self.blocks(body)
        everyone[:, inside] = self.memory
        self.memory, self.members = everyone, members
        return True

    def feed(self, number: int) -> None:
        """This turn's row of an input, to the worlds that are in this loop or branch: each its own, or all the same."""
        slots, row = self.plan.inputs[number], self.given[number][self.turn]
        self.memory[slots] = np.broadcast_to(row if row.ndim == 1 else row[self.members], (len(self.members), len(slots))).T

    def call(self, block: HostCall) -> None:
        """World by world; one whose call fails holds NaN from here on, and Python is not called for it again."""
        for column, world in enumerate(self.members.tolist()):
            if not self.lost[world]:
                with self.apart.world(world), np.errstate(over="ignore", invalid="ignore"):
                    block.function(WorldMemory(self.memory[:, column], block.slots))
                if world in self.apart.reasons:
                    self.lost[world], self.memory[:, column] = True, np.nan

    def save(self, stride: int = 1) -> None:
        """The outputs of each world become its own next sample, as worlds leave loops at different turns."""
        due = self.samples[self.members] < (len(self.arrays[0]) if self.arrays else 0)
        if stride > 1:
            self.visits[self.members] = (self.visits[self.members] + 1) % stride
            due &= self.visits[self.members] == 0
        worlds = self.members[due]
        for slots, array in zip(self.plan.outputs, self.arrays, strict=True):
            array[self.samples[worlds], worlds] = self.memory[np.ix_(slots, due)].T
        self.samples[worlds] += 1

    def row(self, row: Row) -> None:
        """The kernel of one joint in one sweep; what joints gather lies behind the workspace."""
        constants, record, parent, gathered, upward = row.places
        behind = self.plan.workspace
        start = (constants, record, parent, behind + gathered, behind + upward, 0)
        self.kernel(row.group.kernels[row.sweep], dict(zip(PLACES, start, strict=True)))

    def table(self, table: Rows) -> None:
        """One kernel or routine at row after row of places."""
        kernel = table.group.kernels[0]
        for places in table.places.tolist():
            if isinstance(kernel, Looped):
                kernel.numeric(self.memory, places)
            else:
                self.kernel(kernel, {**dict(zip(kernel.places, places, strict=True)), WORLD: 0})

    def kernel(self, kernel: Kernel | Looped, start: dict[str, int]) -> None:
        """One kernel, its places at these scalars of the memory (or of the constants)."""
        assert isinstance(kernel, Kernel)
        memory = self.memory[:, 0] if self.memory.shape[1] == 1 else self.memory  # of one world, numbers: quicker than arrays of one

        def leaf(base: str, index: int) -> np.ndarray:
            if base == CONSTANTS:
                return self.plan.constants[start[CONSTANTS] + index]
            return memory[start[base] + index].copy()

        with np.errstate(all="ignore"):
            values = evaluate_numeric(kernel.values, leaf, kernel.nodes)
        for s, value in zip(kernel.stores, values, strict=True):
            if s.scattered:
                place, value = value
                self.memory[start[s.base] + place, np.arange(self.memory.shape[1])] += value
                continue
            at = start[s.base] + s.index
            self.memory[at] = self.memory[at] + value if s.accumulate else value
