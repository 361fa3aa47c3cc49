"""Walks the blocks of a plan in Python: loops, branches, samples and calls of Python. What a run of rows does is left to who walks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.backends.base import Runner
from redmax.program.blocks import Block, BranchRuns, HostCall, RepeatRuns, Run, WideRun
from redmax.program.plan import Plan


class Walker(Runner):
    """Subclasses hold the memory, and say how rows run, whether a flag is set, how Python is called and where a sample goes."""

    def __init__(self, plan: Plan) -> None:
        self.plan, (self.inputs, self.outputs) = plan, plan.names

    def walk(self, outputs: Sequence[np.ndarray], count: int, stride: int) -> None:
        """Run the whole plan; a straight one ends with its one sample."""
        self.arrays, self.count, self.stride, self.sample, self.visit = outputs, count, stride, 0, 0
        self.blocks(self.plan.blocks)
        if self.plan.program.straight:
            self.save()

    def blocks(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if isinstance(block, Run | WideRun):
                self.execute(block)
            elif isinstance(block, RepeatRuns):
                done = 0
                while done < self.count if block.until < 0 else not self.is_set(block.until):
                    self.blocks(block.body)
                    done += 1
            elif isinstance(block, BranchRuns):
                if self.is_set(block.flag):
                    self.blocks(block.body)
            elif isinstance(block, HostCall):
                self.call(block)
            elif not block.strided:
                self.save()
            else:
                self.visit += 1
                if self.visit == self.stride:
                    self.visit = 0
                    self.save()

    def save(self) -> None:
        if self.arrays and self.sample >= len(self.arrays[0]):
            return  # as in compiled code: there is no room for it
        for slots, array in zip(self.plan.outputs, self.arrays, strict=True):
            self.keep(array, slots)
        self.sample += 1

    def execute(self, run: Run | WideRun) -> None:
        raise NotImplementedError

    def is_set(self, slot: int) -> bool:
        raise NotImplementedError

    def call(self, block: HostCall) -> None:
        raise NotImplementedError

    def keep(self, array: np.ndarray, slots: np.ndarray) -> None:
        raise NotImplementedError


def not_finite(arrays: Sequence[np.ndarray]) -> int:
    """1 if an entry of the arrays is not finite, else 0."""
    return int(not all(np.isfinite(a).all() for a in arrays))
