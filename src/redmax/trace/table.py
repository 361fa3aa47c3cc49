"""Tables read at a computed index, and the branch-free search in sorted knots: what carries splines of any size.

A `Table` that is an attribute of a joint is data: while tracing, a `TableInput` stands in for it, which knows where the entries will
lie but not what they are. Either way a read costs the same for any number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import TraceError
from redmax.trace import algebra, logic
from redmax.trace.operands import number, traced
from redmax.trace.span import Span, kept_inside

if TYPE_CHECKING:
    from redmax.trace.scalar import Graph


@dataclass(frozen=True)
class Table:
    """Numbers known when the model is built, (rows,) or (rows, ...).

    `table[i]` takes a float or traced index, rounded down and kept inside the table, and gives a row: a number, or an array.
    """

    values: tuple[float, ...]  # row by row
    shape: tuple[int, ...]

    def __init__(self, values: Any) -> None:
        entries = np.asarray(values, float)
        if entries.ndim == 0 or entries.size == 0:
            raise TraceError(f"A table needs at least one entry, in one axis or more. Got shape {entries.shape}.")
        object.__setattr__(self, "values", tuple(entries.ravel().tolist()))
        object.__setattr__(self, "shape", entries.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        at = np.asarray(index)
        if at.dtype != object:
            return self.array[kept_inside(at, len(self))]
        return read(index, self.shape, lambda column, i: logic.lookup(self.columns[column], i) if traced(i) else self.columns[column][i])

    def __iter__(self) -> Iterator[Any]:  # Python's own way would never end: every index is inside
        return iter(self.array)

    @cached_property
    def array(self) -> np.ndarray:
        """The entries as an array that cannot be written to."""
        array = np.array(self.values).reshape(self.shape)
        array.flags.writeable = False
        return array

    @cached_property
    def columns(self) -> tuple[Table, ...]:
        """Each place of a row as a table of its own."""
        return (self,) if len(self.shape) == 1 else tuple(Table(c) for c in self.array.reshape(len(self), -1).T)


@dataclass(frozen=True, eq=False)
class TableInput:
    """A table whose entries are the inputs base[start], base[start + 1], ..., row by row."""

    graph: Graph
    base: str
    start: int
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return read(index, self.shape, self.entry)

    def __iter__(self) -> Iterator[Any]:
        return (self[float(i)] for i in range(len(self)))

    def entry(self, column: int, index: Any) -> Any:
        span = Span(self.base, self.start + column, prod(self.shape[1:]), len(self))
        if traced(index):
            return logic.gather(span, index)
        return self.graph.input(self.base, span.place(int(kept_inside(number(index), len(self)))))


def read(index: Any, shape: tuple[int, ...], entry: Any) -> Any:
    """The row at an index, or at each of an array of them, of a table with this shape, from `entry(column, index)`."""
    at = np.asarray(index, object)
    rows = np.empty((at.size, prod(shape[1:])), object)
    for r, i in enumerate(at.ravel()):
        rows[r] = [entry(column, i) for column in range(rows.shape[1])]
    rows = rows.reshape(at.shape + shape[1:])
    return rows if rows.ndim else rows.item()


def locate(knots: Any, x: Any) -> Any:
    """The i with knots[i] <= x < knots[i+1], kept within [0, len(knots) - 2]; knots (an array or a table) ascend.

    A binary search unrolled into selects: its derivative is zero and its cost is log2 of the number of knots.
    """
    table = knots if isinstance(knots, Table | TableInput) else Table(knots)
    if isinstance(table, Table) and np.any(np.diff(table.array) < 0):
        raise TraceError("locate() needs ascending knots.")
    if isinstance(x, np.ndarray) and x.ndim > 0:
        found = algebra.spread(lambda v, _: locate(table, v), x, 0.0)
        return found if x.dtype == object or isinstance(table, TableInput) else found.astype(float)
    low: Any = 0.0
    step = 1 << max(len(table) - 2, 1).bit_length() - 1
    while step:
        probe = algebra.add(low, float(step))
        inside = logic.both(logic.compare("le", probe, float(len(table) - 2)), logic.compare("le", table[probe], x))
        low = logic.select(inside, probe, low)
        step >>= 1
    return low
