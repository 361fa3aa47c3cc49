"""Runs a plan that calls Python on the way: compiled runs between the calls, one world after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.base import Arrays, Door
from redmax.backends.llvm.executable import Lowered, Workspace
from redmax.backends.llvm.loop_values import MARGIN
from redmax.backends.llvm.target import aligned
from redmax.backends.walk import Walker, not_finite
from redmax.backends.world_memory import WorldMemory
from redmax.program.blocks import Block, BranchRuns, HostCall, RepeatRuns, Run, WideRun
from redmax.program.plan import Plan, groups_of


class Hosted(Walker):
    """As `Executable`, with the control flow in Python."""

    def __init__(self, plan: Plan, dtype: str = "float64") -> None:
        super().__init__(plan)
        self.dtype = np.dtype(dtype)
        self.door = Door(plan, self.dtype)
        self.memory = aligned(plan.workspace + plan.accumulators + 1 + MARGIN, self.dtype)
        self.compiled: dict[int, Callable[[], int]] = {}
        self.workspaces: list[Workspace] = []  # the compiled calls point into them
        self.compile(plan.blocks)

    def compile(self, blocks: Sequence[Block]) -> None:
        """A function for each run, all over the same memory."""
        for block in blocks:
            if isinstance(block, Run | WideRun):
                groups = groups_of((block,))
                workspace = Workspace(Lowered(replace(self.plan, blocks=(block,), groups=groups, inputs=(), outputs=()), 1, self.dtype))
                workspace.words[1] = self.memory.ctypes.data
                workspace.words[2] = self.memory[self.plan.workspace :].ctypes.data
                self.workspaces.append(workspace)
                self.compiled[id(block)] = workspace.bind([], [])
            elif isinstance(block, RepeatRuns | BranchRuns):
                self.compile(block.body)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """World by world; see `Runner.run`."""
        inputs, outputs = self.door.ordered(inputs, outputs)
        self.door.check(inputs, outputs, worlds, count, contiguous=False)
        apart, self.given = Apart(worlds), inputs
        for self.world in range(worlds):
            own = {n: a[self.world] if a.ndim == 2 else a for n, a in enumerate(inputs) if n not in self.plan.fed}
            if not apart.begins(*own.values()):
                continue
            self.memory[:], self.sample, self.visit = 0.0, 0, 0
            for n, x in own.items():
                self.memory[self.plan.inputs[n]] = x
            with apart.world(self.world), np.errstate(over="ignore", invalid="ignore"):  # a run that blows up is noticed by its result
                self.walk(outputs, count, stride)
        apart.end()
        return not_finite((*inputs, *outputs))

    def execute(self, run: Run | WideRun) -> None:
        """Run rows by the call that was compiled for them."""
        self.compiled[id(run)]()

    def enter(self, flag: int, value: bool, body: Sequence[Block]) -> bool:
        """There is one world, which the flag lets in or not."""
        if bool(self.memory[flag]) != value:
            return False
        self.blocks(body)
        return True

    def feed(self, number: int) -> None:
        """This turn's row of an input: that of this world, or the one that all share."""
        row = self.given[number][self.turn]
        self.memory[self.plan.inputs[number]] = row[self.world] if row.ndim == 2 else row

    def call(self, block: HostCall) -> None:
        """On the memory that the compiled runs work in: they go on with what Python wrote."""
        block.function(WorldMemory(self.memory, block.slots))

    def save(self, stride: int = 1) -> None:
        """The outputs become the next sample of this world, at each stride-th visit and where there is room."""
        if stride > 1:
            self.visit = (self.visit + 1) % stride
            if self.visit:
                return
        if self.arrays and self.sample >= len(self.arrays[0]):
            return
        for slots, array in zip(self.plan.outputs, self.arrays, strict=True):
            array[self.sample, self.world] = self.memory[slots]
        self.sample += 1
