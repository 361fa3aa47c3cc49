"""Rows that come and go: a relation of at most so many rows, of which each world says at run time how many it has.

Contacts, limits that are reached: a routine finds them, writes the numbers of each into its row and their count into a field of the
world; a traced function then runs for each of the rows that are there. It reads and stores fields of its own row and reads fields of the
world, and nothing else, so that in lanes a row which only a neighbour has disturbs nobody: what rows do to bodies is said by routines,
which know of each world how far its rows go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import TraceError
from redmax.program.fields import Fields, Layout
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import Kernel
from redmax.program.record import Tracing, WorldView
from redmax.program.routines.call import Data
from redmax.program.sweep import code_text
from redmax.trace import Graph

if TYPE_CHECKING:
    from redmax.program.blocks import WideRun
    from redmax.program.plan import Planner

ROW = "active"  # the place of a kernel over rows


@dataclass(frozen=True, eq=False)
class ActiveRows:
    """Run `function(row, w)` for the first rows, as many as the world's field `count` says, at most `capacity`.

    fields: name -> size, of each row; the rows are the data of this name, one row of the matrix each.
    """

    name: str
    capacity: int
    count: str
    fields: Mapping[str, int]
    function: Callable[[Any, WorldView], None]

    @property
    def data(self) -> Data:
        """All rows, as a matrix that routines fill and read."""
        return Data(self.name, self.capacity, sum(self.fields.values()))

    def offset(self, name: str) -> int:
        """Where a field lies in its row: the column of its first number."""
        if name not in self.fields:
            raise TraceError(f"A row of {self.name!r} has {', '.join(self.fields)}. Got {name!r}.")
        return sum(size for key, size in self.fields.items() if list(self.fields).index(key) < list(self.fields).index(name))

    def run(self, planner: Planner) -> WideRun:
        """One row of the plan for each that there may be."""
        from redmax.program.blocks import Rows, WideRun

        assert planner.addresses
        start, leading = planner.addresses[self.data], self.data.leading
        places = (start + leading * np.arange(self.capacity))[:, None]
        return WideRun((Rows(RowKernels(self, planner.program.fields), places),), planner.flag(self.count))


class RowView:
    """`row` while its function is traced: a read gives traced numbers, an assignment stores."""

    def __init__(self, tracing: Tracing, rows: ActiveRows) -> None:
        object.__setattr__(self, "_", (tracing, rows))

    def __getattr__(self, name: str) -> Any:
        tracing, rows = object.__getattribute__(self, "_")
        if name in tracing.now:
            return tracing.now[name]
        offset = rows.offset(name)
        return tracing.vector(ROW, offset, rows.fields[name])

    def __setattr__(self, name: str, value: Any) -> None:
        tracing, rows = object.__getattribute__(self, "_")
        tracing.store(ROW, rows.offset(name), rows.fields[name], value, name)
        tracing.now[name] = value


@dataclass(frozen=True, eq=False)
class RowKernels(Kernels):
    """The kernel of one function over rows; fields: of the program, of which it may read those of the world."""

    rows: ActiveRows
    fields: Fields

    def key(self, source: str) -> str:
        """Of the function's code, the fields of a row and those of the world."""
        text = "\n".join([source, code_text(self.rows.function.__code__), repr(dict(self.rows.fields)), self.fields.key])
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the function], traced once."""
        tracing = Tracing(Graph(), Layout(self.fields, 0, 0), {}, {}, {})
        self.rows.function(RowView(tracing, self.rows), WorldView(tracing))
        if any(s.base != ROW for s in tracing.stores):
            raise TraceError(f"A row of {self.rows.name!r} stores into its own fields only: {', '.join(self.rows.fields)}.")
        return [Kernel(self.rows.name, tuple(tracing.stores), (ROW,))]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked."""
        kernel = self.kernels[0]
        return Meta(0, (kernel.operations,), (bool(kernel.stores),))

    def units(self, places: int) -> list[str]:
        """Its one place lies in memory."""
        return ["memory"] * places
