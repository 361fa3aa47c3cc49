"""Two sweeps over the same joints in the same order as one: what the first computes for a joint, the second reads from registers.

    a_1 a_2 ... a_n  b_1 b_2 ... b_n    =    a_1 b_1  a_2 b_2 ... a_n b_n

if no b_i touches what an a_k after it stores to, and the other way round. (Fusion of loops: Allen and Kennedy 2002, Sec. 6.2.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.program.blocks import Block, BranchRuns, RepeatRuns, Row, Run
from redmax.program.group import Kernels
from redmax.program.kernel import CONSTANTS, Kernel, Store
from redmax.program.known_kernels import remembered
from redmax.program.reverse_kernel import CopyKernels, DerivedKernels, hashed
from redmax.trace import Graph, substitute
from redmax.trace.algebra import add

if TYPE_CHECKING:
    from redmax.program.unread import Unread

FEWEST = 4  # rows, below which it is not worth a kernel


@dataclass(frozen=True, eq=False)
class ZippedKernels(DerivedKernels):
    """Two kernels of one joint, one after the other."""

    first: tuple[Kernels, int]
    second: tuple[Kernels, int]

    def key(self, source: str) -> str:
        """Of the keys of both."""
        return hashed("zipped", *[f"{group.key(source)} {number}" for group, number in (self.first, self.second)])

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[both]."""
        return remembered(self.key(""), self.trace)

    def trace(self) -> list[Kernel]:
        """Run both over symbolic places, no two of which overlap."""
        graph, memory, names = Graph(), dict[tuple[str, int], Any](), list[str]()

        def held(base: str, index: int) -> Any:
            at = base, index
            return memory[at] if base != CONSTANTS and at in memory else graph.input(*at)

        for group, number in (self.first, self.second):
            kernel = group.kernels[number]
            assert isinstance(kernel, Kernel)
            names.append(kernel.name)
            values = substitute(kernel.values, held)
            for s, value in zip(kernel.stores, values, strict=True):
                memory[s.base, s.index] = add(held(s.base, s.index), value) if s.accumulate else value
        stores = [Store(base, index, value) for (base, index), value in memory.items() if value is not graph.input(base, index)]
        return [Kernel(" and ".join(names), tuple(stores))]


class Zipped:
    """unread: what knows where kernels read and store."""

    def __init__(self, unread: Unread) -> None:
        self.unread = unread
        self.made: dict[tuple[Kernels, int, Kernels, int], Kernels] = {}

    def of(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The blocks with sweeps in one where that can be."""
        found: list[Block] = []
        for b in blocks:
            if isinstance(b, Run):
                b = replace(b, rows=self.rows(b.rows))
            elif isinstance(b, RepeatRuns | BranchRuns):
                b = replace(b, body=self.of(b.body))
            found.append(b)
        return tuple(found)

    def rows(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Sweep after sweep; each at most with the one behind it."""
        sweeps = [list(part) for _, part in groupby(rows, lambda row: row.group.kernels[row.sweep].name)]
        found: list[Row] = []
        n = 0
        while n < len(sweeps):
            both = self.both(sweeps[n], sweeps[n + 1]) if n + 1 < len(sweeps) else None
            found += sweeps[n] if both is None else both
            n += 1 if both is None else 2
        return tuple(found)

    def both(self, first: list[Row], second: list[Row]) -> list[Row] | None:
        """Two sweeps as one, joints of one of them alone as they are; None if that cannot be, or would gain little."""
        if min(len(first), len(second)) < FEWEST or not all(self.plain(row) for row in (*first, *second)):
            return None
        found: list[Row] = []
        met = 0
        places: list[int] = []  # of the second sweep: how many of the first come before each
        for k, row in enumerate(first):
            if met < len(second) and second[met].places == row.places:
                found.append(self.zipped(row, second[met]))
                places.append(k + 1)
                met += 1
            else:
                found.append(row)
        few = met < FEWEST or 4 * met < 3 * len(first)
        return None if few or not self.apart(first, second[:met], places) else [*found, *second[met:]]

    @staticmethod
    def plain(row: Row) -> bool:
        """Whether a row is a kernel without tables, and of a joint: its record is another part of memory than the world's."""
        if row.places[1] == 0:
            return False
        kernel = row.group.kernels[row.sweep]
        tables = isinstance(kernel, Kernel) and (bool(kernel.spans) or any(s.scattered for s in kernel.stores))
        return isinstance(kernel, Kernel) and not isinstance(row.group, CopyKernels) and not tables

    def zipped(self, a: Row, b: Row) -> Row:
        """One row for both."""
        key = a.group, a.sweep, b.group, b.sweep
        return Row(self.made.setdefault(key, ZippedKernels(key[:2], key[2:])), 0, a.places)

    def apart(self, first: list[Row], second: list[Row], places: list[int]) -> bool:
        """Whether rows of the second sweep touch nothing that those of the first store to which will come behind them, nor these theirs."""
        used, stored = np.zeros(self.unread.size, bool), np.zeros(self.unread.size, bool)
        n = len(first)
        for row, begin in zip(reversed(second), reversed(places), strict=True):
            for later in first[begin:n]:
                reads, stores = self.touched(later)
                used[reads] = used[stores] = stored[stores] = True
            n = begin
            reads, stores = self.touched(row)
            if stored[reads].any() or used[stores].any():
                return False
        return True

    def touched(self, row: Row) -> tuple[np.ndarray, np.ndarray]:
        """The slots that a row reads, and those that it stores to."""
        found, starts = self.unread.reads_of(row.group, row.sweep), self.unread.starts(row)
        return found.read(starts, np.ones(len(found.kept), bool)), found.stored(starts)
