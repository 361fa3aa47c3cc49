"""The relation (body, ancestor's column): what a column of a joint becomes at each body below it.

J(i, a) = Ad J(p, a) for every ancestor joint a of body i with parent p (RedMax supplement Alg. 1) is one kernel over this
relation. Columns live behind the accumulators, one after the other: for each body in order, for each of its ancestors from the
root down, for each degree of freedom. Where a stage asks for rows, the columns of a body are those of a matrix instead, stored by rows,
so that what is done to all of them goes along vector registers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.program.group import Kernels, Meta
from redmax.program.kernel import GATHERED, RECORD, UPWARD, Kernel, Store
from redmax.program.program import Columns
from redmax.program.sweep import code_text
from redmax.trace import Graph
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.program.blocks import Row
    from redmax.program.plan import Planner


@dataclass(frozen=True, eq=False)
class ColumnKernels(Kernels):
    """Two kernels: a column's beginning at its own joint, and its step to a child. Places: `record` the joint's
    fields, `upward` the column it comes from, `gathered` the one it becomes."""

    stage: Columns
    frame_size: int
    starts: tuple[int, ...]  # where each start field lies beside the first
    stride: int  # from one number of a column to the next

    def key(self, source: str) -> str:
        """Of the step's code and the sizes of what it reads."""
        text = f"{source} {self.stage.name} {code_text(self.stage.step.__code__)} {self.frame_size} {self.starts} {self.stride}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[begin, step], each a list of stores of 6 numbers a column."""
        graph, stride = Graph(), self.stride
        begin = [Store(GATHERED, stride * (6 * k + i), graph.input(RECORD, s + i)) for k, s in enumerate(self.starts) for i in range(6)]
        frame = vector_of(graph.inputs(RECORD, self.frame_size))
        old = [vector_of([graph.input(UPWARD, stride * (6 * k + i)) for i in range(6)]) for k in range(len(self.starts))]
        new = self.stage.step(frame, *old)
        step = [Store(GATHERED, stride * (6 * k + i), x) for k, column in enumerate(new) for i, x in enumerate(column)]
        return [Kernel("begin", tuple(begin)), Kernel("step", tuple(step))]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked, and both kernels have something to do."""
        return Meta(0, tuple(k.operations for k in self.kernels), (True, True))


class ColumnStore:
    """Where the columns of one `Columns` stage lie."""

    def __init__(self, planner: Planner, stage: Columns) -> None:
        self.planner, self.stage = planner, stage
        self.width = 6 * len(stage.start)  # of one column: 6 scalars for each of the fields that it begins with
        tree, nv = planner.tree, [s.nv for s in planner.signatures]
        bodies = range(tree.led or len(tree))
        moving = [[(a, c) for a in reversed(tree.ancestors(i)) for c in range(nv[a])] for i in bodies]
        most = max(map(len, moving), default=0)
        self.stride = most + (8 if most % 64 == 0 else 0) if stage.rows else 1  # rows a page apart would share their place in the cache
        packed = [self.width * (self.stride if stage.rows else len(columns)) for columns in moving]
        self.first = np.concatenate([[0], np.cumsum(packed)]).astype(int).tolist()  # where the columns of each body begin
        step = 1 if stage.rows else self.width
        self.index = {(i, a, c): self.first[i] + step * k for i in bodies for k, (a, c) in enumerate(moving[i])}
        self.size = self.first[-1]
        self.base = planner.reserve(self.size) - int(planner.record[-1])

    def matrix(self, i: int) -> tuple[int, int]:
        """Of a stage that asks for rows: where those of body i begin, and how far they are apart."""
        return int(self.planner.record[-1]) + self.base + self.first[i], self.stride

    def slots(self) -> np.ndarray:
        """The slots of all columns, in order."""
        start = int(self.planner.record[-1]) + self.base
        begin = np.array(list(self.index.values()), np.int64)[:, None]
        return (start + begin + self.stride * np.arange(self.width, dtype=np.int64)).ravel()

    def rows(self) -> list[Row]:
        """One row for each column of each body, parents first: it begins at its own joint, and steps from the parent elsewhere."""
        from redmax.program.blocks import Row

        planner, stage, groups, rows = self.planner, self.stage, {}, []
        for (i, a, c), place in self.index.items():
            target = self.base + place
            key = planner.keys[i]
            layout = planner.layouts[key]
            places = [layout.place(n, planner.parked[key])[0] for n in (stage.frame, *stage.start)]
            size = layout.place(stage.frame, planner.parked[key])[1]
            group = groups.setdefault((size, *places), ColumnKernels(stage, size, tuple(p - places[1] for p in places[1:]), self.stride))
            if i == a:
                rows.append(Row(group, 0, (0, int(planner.record[i]) + places[1] + 6 * c, 0, target, 0)))
            else:
                source = self.base + self.index[planner.tree.parent[i], a, c]
                rows.append(Row(group, 1, (0, int(planner.record[i]) + places[0], 0, target, source)))
        return rows


def column_table(tree: Any, nv: list[int]) -> np.ndarray:
    """(columns, 2): body and coordinate of each column, in the order in which they are stored."""
    offsets = np.concatenate([[0], np.cumsum(nv)])
    table = [(i, offsets[a] + c) for i in range(len(tree)) for a in reversed(tree.ancestors(i)) for c in range(nv[a])]
    return np.array(table, int).reshape(-1, 2)
