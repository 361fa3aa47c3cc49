"""Blocks without copies that change nothing: what was copied away comes back to where it still is.

Values are numbered in the order in which they come to be; a copy gives its place the number of what it copies, and changes nothing if the
place has that number already (Briggs, Cooper and Simpson 1997). Loops and branches begin and end with numbers that nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, Row, Rows, Run, WideRun
from redmax.program.program import Save
from redmax.program.reverse_kernel import CopyKernels
from redmax.program.routines.routine import Routine
from redmax.program.routines.turns import add_each, clear_each, move_each

EACH = (add_each, clear_each, move_each)  # routines that move single values
ZERO = 0  # the number of zero


def copied(row: Row) -> tuple[np.ndarray, np.ndarray]:
    """Where a copy stores to, and what it reads: nothing, if it stores zeros."""
    group, (_, to, source, _, _) = row.group, row.places
    assert isinstance(group, CopyKernels)
    k = np.arange(group.count)
    return to + group.to * k, source + group.step * k[: group.count * (group.step > 0)]


def moved(routine: Routine, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a call of a routine that moves single values."""
    count, head = int(row[1]), routine.head
    return row[head : head + count], row[head + count : head + 2 * count]


def moving(routine: Routine, to: np.ndarray, source: np.ndarray) -> Rows:
    """The call of it that moves these."""
    places = [to.tolist(), *([source.tolist()] if routine is not clear_each else [])]
    return Rows(routine, np.array([routine.row(len(to), *places)], np.int64))


class Unmoved:
    """size: of memory;  stored: which slots a row or a row of a table may store to;  inputs: the slots of inputs, by their numbers"""

    def __init__(self, size: int, stored: Any, inputs: Sequence[np.ndarray]) -> None:
        self.size, self.stored, self.inputs = size, stored, inputs
        self.forget()

    def forget(self) -> None:
        """All values are new."""
        self.number, self.next = np.arange(1, self.size + 1), self.size + 1

    def change(self, slots: np.ndarray) -> None:
        """New values come there."""
        self.number[slots] = np.arange(self.next, self.next + len(slots))
        self.next += len(slots)

    def without(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The blocks that change something."""
        found: list[Block] = []
        for b in blocks:
            if isinstance(b, Run):
                b = replace(b, rows=tuple(row for row in b.rows if self.row(row)))
            elif isinstance(b, WideRun):
                b = replace(b, tables=tuple(t for table in b.tables for t in self.table(table)))
            elif isinstance(b, RepeatRuns | BranchRuns):
                self.forget()
                b = replace(b, body=self.without(b.body))
                self.forget()
            elif isinstance(b, FedRun):
                self.change(np.concatenate([self.inputs[n] for n in b.inputs]))
            elif not isinstance(b, Save):
                self.forget()
            found.append(b)
        return tuple(found)

    def row(self, row: Row) -> bool:
        """Whether a row changes something, which is noted."""
        if not isinstance(row.group, CopyKernels) or row.group.adds:
            self.change(self.stored(row))
            return True
        to, source = copied(row)
        numbers = self.number[source] if len(source) else np.full(len(to), ZERO)
        if (self.number[to] == numbers).all():
            return False
        self.number[to] = numbers
        return True

    def table(self, table: Rows) -> list[Rows]:
        """What of a table changes something."""
        if table.group not in (clear_each, move_each) or len(table.places) > 1:
            for n in range(len(table.places)):
                self.change(self.stored(table, n))
            return [table]
        assert isinstance(table.group, Routine)
        to, source = moved(table.group, table.places[0])
        left: list[int] = []
        for k, slot in enumerate(to):
            number = self.number[source[k]] if len(source) else ZERO
            if self.number[slot] != number:
                left.append(k)
                self.number[slot] = number
        return [moving(table.group, to[left], source[left] if len(source) else source)] if left else []
