"""Rows of small kernels, one after the other, as one kernel: calls that take longer than what they compute.

The kernels are traced again over a symbolic memory, as in fuse.py; but whatever a row stores is stored, as others may read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.program.blocks import Block, BranchRuns, RepeatRuns, Row, Run
from redmax.program.kernel import CONSTANTS, GATHERED, PARENT, RECORD, UPWARD, WORLD, Kernel, Store
from redmax.program.known_kernels import remembered
from redmax.program.plan import Plan, groups_of
from redmax.program.reverse_kernel import DerivedKernels, hashed
from redmax.trace import Graph, substitute
from redmax.trace.algebra import add

SMALL, NEAR = 45, 12  # operations of a kernel, and numbers that it reads and stores: measured, larger ones are faster by themselves
TOGETHER, FEWEST = 1000, 4  # operations of those that become one; rows below which that is not worth it


@dataclass(frozen=True, eq=False)
class JoinedKernels(DerivedKernels):
    """The one kernel of some rows."""

    rows: tuple[Row, ...]
    behind: int  # the slot behind the workspace, where accumulators begin

    def key(self, source: str) -> str:
        """Of the keys and places of all rows."""
        return hashed("joined", self.behind, *[f"{row.group.key(source)} {row.sweep} {row.places}" for row in self.rows])

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[all rows as one kernel]."""
        return remembered(self.key(""), self.trace)

    def trace(self) -> list[Kernel]:
        """Run the rows one after the other over a symbolic memory, in which a slot is a number of one record."""
        graph, memory = Graph(), dict[int, Any]()
        for row in self.rows:
            self.run(graph, memory, row)
        return [Kernel("joined", tuple(Store(RECORD, slot, v) for slot, v in memory.items() if v is not graph.input(RECORD, slot)))]

    def run(self, graph: Graph, memory: dict[int, Any], row: Row) -> None:
        """Trace one row again."""
        constants, record, parent, gathered, upward = row.places
        start = {RECORD: record, PARENT: parent, WORLD: 0, GATHERED: self.behind + gathered, UPWARD: self.behind + upward}

        def held(base: str, index: int) -> Any:
            if base == CONSTANTS:
                return graph.input(CONSTANTS, constants + index)
            slot = start[base] + index
            return memory[slot] if slot in memory else graph.input(RECORD, slot)

        kernel = row.group.kernels[row.sweep]
        assert isinstance(kernel, Kernel)
        values = substitute(kernel.values, held)
        for s, value in zip(kernel.stores, values, strict=True):
            memory[start[s.base] + s.index] = add(held(s.base, s.index), value) if s.accumulate else value


def joined(plan: Plan) -> Plan:
    """The plan with rows of small kernels as one."""
    blocks = join(plan.blocks, plan.workspace)
    return replace(plan, blocks=blocks, groups=groups_of(blocks))


def join(blocks: Sequence[Block], behind: int) -> tuple[Block, ...]:
    """The same of its blocks."""
    found: list[Block] = []
    for b in blocks:
        if isinstance(b, Run):
            b = replace(b, rows=tuple(row for part in parts(b.rows, behind) for row in part))
        elif isinstance(b, RepeatRuns | BranchRuns):
            b = replace(b, body=join(b.body, behind))
        found.append(b)
    return tuple(found)


def parts(rows: Sequence[Row], behind: int) -> Iterator[list[Row]]:
    """Rows in order, those that become one replaced."""
    waiting: list[Row] = []
    size = 0
    for row in rows:
        kernel = row.group.kernels[row.sweep]
        assert isinstance(kernel, Kernel)
        small, cost = is_small(kernel), kernel.operations + len(kernel.stores)
        if waiting and (not small or size + cost > TOGETHER):
            yield as_one(waiting, behind)
            waiting, size = [], 0
        if small:
            waiting.append(row)
            size += cost
        else:
            yield [row]
    yield as_one(waiting, behind)


def is_small(kernel: Kernel) -> bool:
    """Whether a call takes longer than what it computes. Copies of several numbers at once do that well."""
    tables = bool(kernel.spans) or any(s.scattered for s in kernel.stores)
    return not tables and kernel.operations <= SMALL and len(kernel.stores) + len(kernel.reads()) <= NEAR


def as_one(rows: list[Row], behind: int) -> list[Row]:
    """One row, if there are enough."""
    return rows if len(rows) < FEWEST else [Row(JoinedKernels(tuple(rows), behind), 0, (0, 0, 0, 0, 0))]
