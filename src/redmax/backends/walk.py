"""Walks the blocks of a plan in Python: loops, branches, samples and calls of Python. What a run of rows does is left to who walks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.backends.base import Runner
from redmax.program.blocks import Block, BranchRuns, FedRun, HostCall, RepeatRuns, Run, WideRun
from redmax.program.plan import Plan
from redmax.program.program import Save


class Walker(Runner):
    """Subclasses hold the memory, and say how rows run, which worlds a flag lets in, how Python is called and where a sample goes."""

    def __init__(self, plan: Plan) -> None:
        self.plan, (self.inputs, self.outputs) = plan, plan.names

    def walk(self, outputs: Sequence[np.ndarray], count: int, stride: int) -> None:
        """Run the whole plan; a straight one ends with its one sample."""
        self.arrays, self.count, self.stride, self.turn = outputs, count, stride, 0
        self.blocks(self.plan.blocks)
        if self.plan.program.straight:
            self.save()

    def blocks(self, blocks: Sequence[Block]) -> None:
        """Run blocks one after the other; bodies of loops and branches come back here."""
        for block in blocks:
            if isinstance(block, Run | WideRun):
                self.execute(block)
            elif isinstance(block, RepeatRuns):
                self.repeat(block)
            elif isinstance(block, BranchRuns):
                self.enter(block.flag, True, block.body)
            elif isinstance(block, HostCall):
                self.call(block)
            elif isinstance(block, FedRun):
                for n in block.inputs:
                    self.feed(n)
                self.turn += 1
            elif isinstance(block, Save):
                self.save(self.stride if block.strided else 1)

    def repeat(self, block: RepeatRuns) -> None:
        """A number of times, or until the flag is set in all worlds."""
        if block.until < 0:
            for _ in range(self.count):
                self.blocks(block.body)
        else:
            while self.enter(block.until, False, block.body):
                pass

    def enter(self, flag: int, value: bool, body: Sequence[Block]) -> bool:
        """Run blocks in the worlds in which a flag is set, or is not; False if there are none."""
        raise NotImplementedError

    def execute(self, run: Run | WideRun) -> None:
        """Run rows."""
        raise NotImplementedError

    def feed(self, number: int) -> None:
        """Read this turn's row of an input."""
        raise NotImplementedError

    def call(self, block: HostCall) -> None:
        """Call Python."""
        raise NotImplementedError

    def save(self, stride: int = 1) -> None:
        """Write the outputs as the next sample, at each stride-th visit, unless there is no room for it (as in compiled code)."""
        raise NotImplementedError


def not_finite(arrays: Sequence[np.ndarray]) -> int:
    """1 if an entry of the arrays is not finite, else 0."""
    return int(not all(np.isfinite(a).all() for a in arrays))
