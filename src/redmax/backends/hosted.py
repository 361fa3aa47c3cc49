"""Runs a plan that calls Python on the way: compiled runs between the calls, one world after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from redmax.backends.llvm.executable import Lowered, Workspace, aligned
from redmax.backends.view import View
from redmax.program.plan import Block, BranchRuns, HostCall, Plan, RepeatRuns, Run, rows_of


class Hosted:
    """As `Executable`, with the control flow in Python."""

    def __init__(self, plan: Plan, dtype: str = "float64") -> None:
        self.plan, self.dtype = plan, np.dtype(dtype)
        self.memory = aligned(plan.workspace + plan.accumulators + 1, self.dtype)
        self.compiled: dict[int, Callable[[], int]] = {}
        self.workspaces: list[Workspace] = []  # the compiled calls point into them
        self.prepare(plan.blocks)

    def prepare(self, blocks: Sequence[Block]) -> None:
        """A function for each run, all over the same memory."""
        for block in blocks:
            if isinstance(block, Run):
                groups = tuple(dict.fromkeys(r.group for r in rows_of((block,))))
                workspace = Workspace(Lowered(replace(self.plan, blocks=(block,), groups=groups, inputs=(), outputs=()), 1, self.dtype))
                workspace.words[1] = self.memory.ctypes.data
                workspace.words[2] = self.memory[self.plan.workspace :].ctypes.data
                self.workspaces.append(workspace)
                self.compiled[id(block)] = workspace.bind([], [])
            elif isinstance(block, RepeatRuns | BranchRuns):
                self.prepare(block.body)

    def run(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, count: int = 0, stride: int = 1, lanes: int = 1
    ) -> int:
        for world in range(worlds):
            self.memory[:] = 0.0
            for slots, array in zip(self.plan.inputs, inputs, strict=True):
                self.memory[slots] = array[world] if array.ndim == 2 else array
            self.outputs, self.world, self.count, self.stride, self.sample, self.visit = outputs, world, count, stride, 0, 0
            with np.errstate(over="ignore", invalid="ignore"):  # a run that blows up is noticed by its result
                self.blocks(self.plan.blocks)
            if self.plan.program.straight:
                self.save()
        return int(not all(np.isfinite(a).all() for a in (*inputs, *outputs)))

    def blocks(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if isinstance(block, Run):
                self.compiled[id(block)]()
            elif isinstance(block, HostCall):
                block.function(View(self.memory, block.slots))
            elif isinstance(block, RepeatRuns):
                self.repeat(block)
            elif isinstance(block, BranchRuns):
                if self.memory[block.flag]:
                    self.blocks(block.body)
            else:
                self.visit += 1
                if not block.strided or self.visit == self.stride:
                    self.visit = 0
                    self.save()

    def repeat(self, block: RepeatRuns) -> None:
        done = 0
        while done < self.count if block.until < 0 else not self.memory[block.until]:
            self.blocks(block.body)
            done += 1

    def save(self) -> None:
        for slots, array in zip(self.plan.outputs, self.outputs, strict=True):
            array[self.sample, self.world] = self.memory[slots]
        self.sample += 1
