"""Tables read at a computed index, and the branch-free search in sorted knots: what carries splines of any size.

A `Table` that is an attribute of a joint is data: while tracing, a `TableInput` stands in for it, which knows where the entries will
lie but not what they are. Either way a read costs the same for any number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import TraceError
from redmax.trace import algebra, logic
from redmax.trace.meter import spend
from redmax.trace.operands import number, traced
from redmax.trace.span import Span, kept_inside

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from redmax.trace.scalar import Graph
    from redmax.types import Value, ValueOrArray

FEW = 16  # entries of a table that take as long as an operation


class Rows:
    """What a table is read by: `table[i]` takes a float or traced index, rounded down and kept inside the table, and gives a row."""

    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def width(self) -> int:
        """How many numbers are in a row."""
        return prod(self.shape[1:])

    def __getitem__(self, index: ValueOrArray) -> Any:
        rows = self.near(index, (0,))
        return np.take(rows, 0, axis=rows.ndim - len(self.shape))

    def __iter__(self) -> Iterator[Any]:  # Python's own way would never end: every index is inside
        return (self[float(i)] for i in range(len(self)))

    def near(self, index: ValueOrArray, offsets: Sequence[int]) -> np.ndarray:
        """The rows index + o for each offset o >= 0, (..., offsets, ...); the index is kept so that all of them are inside.

        They share the work on the index, so that the neighbours of a row cost no more than its other numbers.
        """
        count = len(self) - max(offsets)
        if count < 1 or min(offsets) < 0:
            raise TraceError(f"A table of {len(self)} rows has no row with neighbours {list(offsets)}.")
        return self.read(np.asarray(index), tuple(offsets), count)

    def read(self, index: np.ndarray, offsets: tuple[int, ...], count: int) -> np.ndarray:
        """Rows at an array of indices, entry by entry: (..., offsets, ...) of dtype object."""
        rows = np.empty((index.size, len(offsets), self.width), object)
        for r, i in enumerate(index.ravel()):
            for k, o in enumerate(offsets):
                rows[r, k] = [self.entry(o, column, count, i) for column in range(self.width)]
        return rows.reshape((*index.shape, len(offsets), *self.shape[1:]))

    def entry(self, offset: int, column: int, count: int, index: Value) -> Any:
        """One number of the row `offset` behind the index, which is kept below `count`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Table(Rows):
    """Numbers known when the model is built, (rows,) or (rows, ...): a row is a number, or an array."""

    values: tuple[float, ...]  # row by row
    shape: tuple[int, ...]

    def __init__(self, values: ArrayLike) -> None:
        entries = np.asarray(values, float)
        if entries.ndim == 0 or entries.size == 0:
            raise TraceError(f"A table needs at least one entry, in one axis or more. Got shape {entries.shape}.")
        spend(entries.size // FEW)
        object.__setattr__(self, "values", tuple(entries.ravel().tolist()))
        object.__setattr__(self, "shape", entries.shape)

    def __repr__(self) -> str:
        return f"Table of {' x '.join(map(str, self.shape))}" if len(self.shape) > 1 else f"Table({list(self.values)})"

    @cached_property
    def array(self) -> np.ndarray:
        """The entries as an array that cannot be written to."""
        array = np.array(self.values).reshape(self.shape)
        array.flags.writeable = False
        return array

    def read(self, index: np.ndarray, offsets: tuple[int, ...], count: int) -> np.ndarray:
        """With NumPy where the indices are numbers."""
        if index.dtype == object:
            return super().read(index, offsets, count)
        return self.array[kept_inside(index, count)[..., None] + np.array(offsets)]

    def entry(self, offset: int, column: int, count: int, index: Value) -> Any:
        """A number of the table, or a look-up at a traced index."""
        entries = self.array.reshape(len(self), -1)[offset : offset + count, column]
        return logic.lookup(Table(entries), index) if traced(index) else float(entries[kept_inside(number(index), count)])


@dataclass(frozen=True, eq=False)
class TableInput(Rows):
    """A table whose entries are the inputs base[start], base[start + 1], ..., row by row."""

    graph: Graph
    base: str
    start: int
    shape: tuple[int, ...]

    def number(self, index: int) -> Any:
        """The entry with this number, row by row."""
        self.check(0 <= index < prod(self.shape))
        return self.graph.input(self.base, self.start + index)

    def check(self, inside: bool) -> None:
        """Compiled code knows of a table only where it begins: what is read must be inside of it."""
        if not inside:
            raise TraceError(f"A table of {' x '.join(map(str, self.shape))} entries is read beyond its end.")

    def entry(self, offset: int, column: int, count: int, index: Value) -> Any:
        """One of the inputs, or a gather among them at a traced index."""
        self.check(offset >= 0 and 1 <= count <= len(self) - offset and 0 <= column < self.width)
        span = Span(self.base, self.start + offset * self.width + column, self.width, count)
        if traced(index):
            return logic.gather(span, index)
        return self.graph.input(self.base, span.place(int(kept_inside(number(index), count))))


def locate(knots: ArrayLike | Table | TableInput, x: ValueOrArray) -> Any:
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
