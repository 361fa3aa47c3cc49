"""Straight-line code: all rows of a run as one kernel, for models so small that calls and loops would cost more than they save.

The rows' kernels are traced again, one after the other, over a symbolic workspace: what one row stores, the next reads as an expression,
so parked values, accumulators and twists never reach memory and cancel where they can.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from redmax.errors import NoInertia, NoValue
from redmax.program.blocks import Block, BranchRuns, RepeatRuns, Row, Run, WideRun
from redmax.program.group import Group, Kernels, Meta
from redmax.program.kernel import CONSTANTS, GATHERED, PARENT, RECORD, UPWARD, WORLD, Kernel, Store
from redmax.program.known_kernels import remembered
from redmax.program.plan import Plan
from redmax.trace import Graph, substitute
from redmax.trace.algebra import add

STRAIGHT = 2500  # traced operations, up to which runs are straight
OF_ITS_OWN = 4800  # and up to which they are where rows share few kernels; measured: 10 to 30 % faster, and above no faster any more
FEW = 0.6  # of a run's operations are in kernels that differ: as one, they take hardly longer to compile


@dataclass(frozen=True, eq=False)
class Fused(Kernels):
    """The one kernel of a run's rows."""

    rows: tuple[Row, ...]
    kept: frozenset[int]

    def key(self, source: str) -> str:
        """Of the keys and places of all rows, and of the slots that must be stored."""
        parts = [f"{row.group.key(source)} {row.sweep} {row.places}" for row in self.rows]
        return hashlib.sha256("\n".join(["fused", *parts, repr(sorted(self.kept))]).encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[all rows as one kernel], which stores what outlives the run and nothing else."""
        return remembered(self.key(""), self.trace)

    def trace(self) -> list[Kernel]:
        """Run the rows one after the other over a symbolic memory."""
        graph = Graph()
        memory: dict[tuple[str, int], Any] = {}
        try:
            for row in self.rows:
                run_symbolically(graph, memory, row)
        except NoValue:  # inertias of several joints that cancel exactly
            raise NoInertia from None
        stores = [
            Store(RECORD, slot, value)
            for (place, slot), value in sorted(memory.items(), key=lambda item: item[0])
            if place == RECORD and slot in self.kept and value is not graph.input(RECORD, slot)
        ]
        return [Kernel("straight", tuple(stores))]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked: what one row keeps for another is an expression."""
        kernel = self.kernels[0]
        return Meta(0, (kernel.operations,), (bool(kernel.stores),))


def run_symbolically(graph: Graph, memory: dict[tuple[str, int], Any], row: Row) -> None:
    """Trace one row again: what rows before it stored is read from `memory`, keyed by (place, slot), and what it stores goes there.

    The joint's record, its parent's and the world's are slots of one workspace; what is gathered, slots of the accumulators.
    """
    constants, record, parent, gathered, upward = row.places
    start = {
        CONSTANTS: (CONSTANTS, constants), RECORD: (RECORD, record), PARENT: (RECORD, parent), WORLD: (RECORD, 0),
        GATHERED: ("accumulators", gathered), UPWARD: ("accumulators", upward),
    }  # fmt: skip

    def address(base: str, index: int) -> tuple[str, int]:
        place, offset = start[base]
        return place, offset + index

    def leaf(base: str, index: int) -> Any:
        at = address(base, index)
        return memory[at] if at in memory else graph.input(*at)

    kernel = row.group.kernels[row.sweep]
    assert isinstance(kernel, Kernel)
    stores = kernel.stores
    values = substitute([s.value for s in stores], leaf)
    for s, value in zip(stores, values, strict=True):
        at = address(s.base, s.index)
        memory[at] = add(memory[at], value) if s.accumulate else value


def can_join(block: Block) -> bool:
    """Whether a block's rows may become one kernel with those beside it."""
    return isinstance(block, Run) and not block.part and all(isinstance(r.group, Group) for r in block.rows)


def fuse(plan: Plan, operations: Any, limit: int = STRAIGHT, longest: int = OF_ITS_OWN) -> Plan:
    """The plan with each run that is short enough as one kernel. `operations(group) -> Meta` gives the sizes without tracing.

    longest: the limit of runs whose rows share few kernels
    """
    groups: list[Kernels] = []

    def short(run: Run) -> bool:
        sizes = {group: operations(group).operations for group in {r.group for r in run.rows}}
        total = sum(sizes[r.group][r.sweep] for r in run.rows)
        different = sum(sizes[group][sweep] for group, sweep in {(r.group, r.sweep) for r in run.rows})
        return total <= limit or (total <= longest and different >= FEW * total)

    def straighten(run: Run) -> Run:
        if len(run.rows) > 1 and short(run) and all(isinstance(r.group, Group) for r in run.rows):
            run = Run((Row(Fused(run.rows, plan.kept), 0, (0, 0, 0, 0, 0)),))
        groups.extend(r.group for r in run.rows)
        return run

    def rebuild(blocks: Sequence[Block]) -> tuple[Block, ...]:
        result: list[Block] = []
        for together, group in groupby(blocks, key=can_join):
            if together:
                runs = [b for b in group if isinstance(b, Run) and b.rows]
                whole = Run(tuple(r for run in runs for r in run.rows))
                result += [straighten(whole)] if short(whole) else [straighten(run) for run in runs]
            else:
                for b in group:
                    if isinstance(b, Run | WideRun):
                        groups.extend(r.group for r in (b.rows if isinstance(b, Run) else b.tables))
                    result.append(replace(b, body=rebuild(b.body)) if isinstance(b, RepeatRuns | BranchRuns) else b)
        return tuple(result)

    blocks = rebuild(plan.blocks)
    return replace(plan, blocks=blocks, groups=tuple(dict.fromkeys(groups)))
