"""Blocks without what nobody reads: stores whose values are stored to again, or forgotten, before anything asks for them.

A way back runs a program forwards again for the values that its reverse kernels read, which are few of those that it computes. Kernels are
left with the stores that are read (live variables: Appel and Palsberg 2002, Sec. 10.1), and what was copied away and is still there is not
brought back. All rows that call one kernel keep the same stores, so that there are no more kernels than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, Row, Rows, Run, WideRun
from redmax.program.group import Kernels
from redmax.program.kernel import Kernel
from redmax.program.plan import Plan, groups_of
from redmax.program.program import Save
from redmax.program.read_kernels import ReadKernels, Reads
from redmax.program.reverse_kernel import CopyKernels
from redmax.program.routines.footprint import Footprint
from redmax.program.routines.routine import Looped, Routine
from redmax.program.routines.turns import add_each
from redmax.program.unmoved import EACH, Unmoved, copied, moved, moving


class Unread:
    """What is read in the memory of a plan. turns: the most that a loop takes of which memory decides.

    asked: of inputs that come turn by turn, which of their numbers are read, once the blocks without the unread are found
    """

    def __init__(self, plan: Plan, turns: int) -> None:
        self.plan, self.size, self.bounds, self.turns = plan, plan.workspace + plan.accumulators + 1, plan.bounds, turns
        self.outputs = np.concatenate(plan.outputs)
        self.reads: dict[tuple[Kernels, int], Reads] = {}
        self.footprints: dict[tuple[Kernels, bytes], Footprint] = {}
        self.made: dict[Kernels, Kernels] = {}
        self.asked: dict[int, np.ndarray] = {}
        self.grown = False

    def without(self) -> Plan:
        """The plan with what is read alone."""
        changing = Unmoved(self.size, self.stored, self.plan.inputs).without(self.settled(self.plan.blocks))
        blocks = self.lessened(self.settled(changing))
        return replace(self.plan, blocks=blocks, groups=groups_of(blocks))

    def settled(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Until no kernel keeps a store more than when the blocks were last walked."""
        while True:
            self.grown, self.asked = False, {}
            live = np.zeros(self.size, bool)
            live[self.outputs] = True
            found = self.walk(blocks, live)
            if not self.grown:
                return found

    def walk(self, blocks: Sequence[Block], live: np.ndarray) -> tuple[Block, ...]:
        """The blocks that are read. live: (slots,) what is read after them, and then what is before."""
        found: list[Block] = []
        for b in reversed(blocks):
            kept = self.block(b, live)
            found += [kept] if kept is not None else []
        return tuple(found[::-1])

    def block(self, b: Block, live: np.ndarray) -> Block | None:
        """What is read of one block, if anything."""
        if isinstance(b, Run):
            rows = [row for row in reversed(b.rows) if self.row(row, live)]
            return replace(b, rows=tuple(rows[::-1])) if rows else None
        if isinstance(b, WideRun):
            tables = [self.table(t, live) for t in reversed(b.tables)]
            left = tuple(t for t in reversed(tables) if t is not None)
            return replace(b, tables=left) if left else None
        if isinstance(b, RepeatRuns):
            return self.repeat(b, live)
        if isinstance(b, BranchRuns):
            inner = live.copy()
            body = self.walk(b.body, inner)
            live |= inner
            live[b.flag] = True
            return replace(b, body=body) if body else None
        if isinstance(b, Save):
            live[self.outputs] = True
        elif isinstance(b, FedRun):
            for n in b.inputs:
                self.asked[n] = live[self.plan.inputs[n]]
            live[np.concatenate([self.plan.inputs[n] for n in b.inputs])] = False
        else:
            live[:] = True
        return b

    def repeat(self, b: RepeatRuns, live: np.ndarray) -> Block:
        """A turn leaves what the next one reads, or what is read behind the last."""
        if b.until >= 0:
            live[b.until] = True
        while True:
            before = live.copy()
            body = self.walk(b.body, before)
            if not (before & ~live).any():
                return replace(b, body=body)
            live |= before

    def row(self, row: Row, live: np.ndarray) -> bool:
        """Whether a row is read."""
        if isinstance(row.group, CopyKernels):
            to, source = copied(row)
            if not live[to].any():
                return False
            live[to] |= row.group.adds
            live[to] &= row.group.adds
            live[source] = True
            return True
        return self.call(row.group, row.sweep, self.starts(row), live)

    def starts(self, row: Row) -> np.ndarray:
        """Where the places of a row begin in memory, in the order of PLACES."""
        _, record, parent, gathered, upward = row.places
        return np.array([0, record, parent, self.plan.workspace + gathered, self.plan.workspace + upward, 0])

    def stored(self, of: Row | Rows, n: int = 0) -> np.ndarray:
        """The slots that a row, or the n-th of a table, may store to."""
        if isinstance(of, Row):
            if isinstance(of.group, CopyKernels):
                return copied(of)[0]
            return self.reads_of(of.group, of.sweep).stored(self.starts(of))
        if isinstance(of.group, Routine):
            return np.flatnonzero(self.footprint(of.group, of.places[n]).stored)
        if isinstance(of.group, Looped):
            return np.arange(self.size)
        return self.reads_of(of.group, 0).stored(np.pad(of.places[n], (0, 1)))

    def reads_of(self, group: Kernels, number: int) -> Reads:
        """Of a kernel, once for all its rows."""
        if (group, number) not in self.reads:
            kernel = group.kernels[number]
            assert isinstance(kernel, Kernel)
            self.reads[group, number] = Reads(kernel)
        return self.reads[group, number]

    def call(self, group: Kernels, number: int, starts: np.ndarray, live: np.ndarray) -> bool:
        """Whether a call of a kernel is read, which keeps what is then."""
        reads = self.reads_of(group, number)
        stored = reads.stored(starts)
        wanted = np.zeros(len(reads.kept), bool)
        wanted[reads.number[live[stored]]] = True
        if not wanted.any():
            return False
        if (wanted & ~reads.kept).any():
            reads.kept, self.grown = reads.kept | wanted, True
        live[stored[reads.replaces & reads.kept[reads.number]]] = False
        live[reads.read(starts)] = True
        return True

    def table(self, table: Rows, live: np.ndarray) -> Rows | None:
        """What is read of a table of wide rows, or of calls of a routine."""
        if table.group in EACH:
            found = [self.moves(table.group, row, live) for row in table.places[::-1]]
            return next((row for row in found if row is not None), None) if len(found) == 1 else table
        if isinstance(table.group, Looped):
            for row in table.places[::-1]:
                self.routine(table.group, row, live)
            return table
        starts = np.pad(table.places, ((0, 0), (0, 1)))
        called = [self.call(table.group, 0, row, live) for row in starts[::-1]][::-1]
        return replace(table, places=table.places[called]) if any(called) else None

    def routine(self, group: Looped, row: np.ndarray, live: np.ndarray) -> None:
        """It always runs; of one that is derived from another it is not asked what it reads."""
        if not isinstance(group, Routine):
            live[:] = True
            return
        found = self.footprint(group, row)
        live[found.sure] = False
        live |= found.live

    def footprint(self, group: Routine, row: np.ndarray) -> Footprint:
        """Of one call."""
        key = group, row.tobytes()
        if key not in self.footprints:
            self.footprints[key] = Footprint(group.form, row.tolist(), self.size, self.bounds, turns=self.turns)
        return self.footprints[key]

    def moves(self, group: Any, row: np.ndarray, live: np.ndarray) -> Rows | None:
        """Those of single values, moved or added or cleared, that are read."""
        to, source = moved(group, row)
        left: list[int] = []
        for k in reversed(range(len(to))):
            if live[to[k]]:
                left.append(k)
                live[to[k]] = group is add_each
                live[source[k : k + 1]] = True
        at = left[::-1]
        return moving(group, to[at], source[at] if len(source) else source) if at else None

    def lessened(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """With kernels that keep what is read."""
        found: list[Block] = []
        for b in blocks:
            if isinstance(b, Run):
                b = replace(b, rows=tuple(replace(row, group=self.read_of(row.group)) for row in b.rows))
            elif isinstance(b, WideRun):
                b = replace(b, tables=tuple(replace(t, group=self.read_of(t.group)) for t in b.tables))
            elif isinstance(b, RepeatRuns | BranchRuns):
                b = replace(b, body=self.lessened(b.body))
            found.append(b)
        return tuple(found)

    def read_of(self, group: Kernels) -> Kernels:
        """A group with fewer stores, or itself if all are read."""
        if isinstance(group, CopyKernels | Looped):
            return group
        if group not in self.made:
            kernels = [k for k in group.kernels if isinstance(k, Kernel)]
            nothing = [np.zeros(len(k.stores), bool) for k in kernels]
            kept = [self.reads[group, n].kept if (group, n) in self.reads else none for n, none in enumerate(nothing)]
            self.made[group] = group if all(k.all() for k in kept) else ReadKernels(group, tuple(tuple(k.tolist()) for k in kept))
        return self.made[group]
