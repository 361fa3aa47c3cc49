"""Routines in a program: data by name in a world's memory, and the stage that calls a routine on some of it, row after row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import TraceError
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import Routine

if TYPE_CHECKING:
    from redmax.program.blocks import WideRun
    from redmax.program.interaction import Acting
    from redmax.program.plan import Planner

LINE = 8  # scalars in a line of the cache


@dataclass(frozen=True)
class Data:
    """A matrix (rows, columns) or a vector (rows,) of a program, by its name."""

    name: str
    rows: int
    columns: int | None = None
    by_rows: bool = False  # whether whole rows are read at a time, which lie on lines of the cache if they are as long as some of these

    @property
    def leading(self) -> int:
        """How far the rows of a matrix are apart: an odd number, so that columns in lanes do not share a part of the cache."""
        columns = self.columns or 1
        return columns if self.by_rows and columns % LINE == 0 else columns + 1 - columns % 2

    @property
    def size(self) -> int:
        """Scalars that it takes."""
        return self.rows * self.leading

    def entries(self) -> np.ndarray:
        """Where its entries lie behind its first one, row after row."""
        return (self.leading * np.arange(self.rows)[:, None] + np.arange(1 if self.columns is None else self.columns)).ravel()


@dataclass(frozen=True, eq=False)
class Call:
    """Call a routine or a formula once for each row; `rows(addresses)` gives the arguments of each, in the order of its parameters.

    A Vector is given by its first slot or by its Data, a Matrix by (slot, leading) or by its Data, tables by lists.
    data: all that is named; a program may have any number of matrices and vectors.
    """

    routine: Routine | Formula
    rows: Callable[[Addresses], Iterable[Sequence[Any]]]
    data: tuple[Data, ...] = ()


class Addresses:
    """Where things lie in the memory of a world, in scalars, once a program is laid out for a model."""

    def __init__(self, planner: Planner, data: Iterable[Data]) -> None:
        self.planner, self.tree, self.records = planner, planner.tree, planner.record.tolist()
        self.place = cache(lambda key, name: planner.layouts[key].place(name, planner.parked[key]))  # of a kind of joint
        self.data: dict[str, tuple[Data, int]] = {}
        for d in data:
            if d.name in self.data and self.data[d.name][0] != d:
                raise TraceError(f"Two parts of a program name their data {d.name!r}, and do not agree on its size.")
            if d.name in planner.program.fields.found_by_name:
                raise TraceError(f"A program has a field and data of the same name, {d.name!r}. Give one of them another.")
            if d.name not in self.data:
                self.data[d.name] = (d, planner.reserve(d.size, LINE))

    def __getitem__(self, data: Data) -> int:
        """The first slot of a matrix or vector."""
        return self.data[data.name][1]

    def slots(self, name: str) -> np.ndarray:
        """All slots of a matrix or vector, row after row."""
        data, start = self.data[name]
        return start + data.entries()

    def field(self, j: int, name: str) -> int:
        """Where a field of joint j begins."""
        return self.records[j] + self.place(self.planner.keys[j], name)[0]

    def size(self, j: int, name: str) -> int:
        """How many scalars a field of joint j has."""
        return self.place(self.planner.keys[j], name)[1]

    def world(self, name: str) -> int:
        """Where a field of the world begins."""
        return self.planner.world[name][0]

    def columns(self, name: str, i: int) -> tuple[int, int]:
        """The matrix of the columns that move body i, of a stage `Columns` by its name."""
        return self.planner.columns[name].matrix(i)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of joints that forces couple."""
        return list(self.planner.interactions.pairs) if self.planner.interactions else []

    def block(self, i: int, j: int) -> int:
        """Where the (6, 6) of two joints that a force couples begins."""
        assert self.planner.interactions
        return self.planner.interactions.block(i, j)

    @property
    def blocks(self) -> tuple[int, int]:
        """Where the blocks of all those pairs begin, and how many scalars they are."""
        found = self.planner.interactions
        return (found.base, found.size) if found else (0, 0)

    @property
    def touched(self) -> list[int]:
        """The joints whose bodies forces touch."""
        acting = self.planner.interactions.acting if self.planner.interactions else ()
        return sorted({int(m) for a in acting if not a.kept for m in np.ravel(a.members)})

    def kept(self, acting: Acting, k: int) -> int:
        """Where what the k-th of these keeps begins."""
        found = self.planner.interactions
        assert found
        return found.kept[found.acting.index(acting)] + k * acting.kept

    def words(self, call: Call) -> list[list[int]]:
        """The rows of a call."""
        return [call.routine.row(*[self.resolved(x) for x in row]) for row in call.rows(self)]

    def resolved(self, argument: Any) -> Any:
        """Data as a place, or as a place with its leading dimension."""
        if not isinstance(argument, Data):
            return argument
        return self[argument] if argument.columns is None else (self[argument], argument.leading)

    def run(self, call: Call) -> WideRun:
        """The rows as a block of the plan, filled up to the longest."""
        from redmax.program.blocks import Rows, WideRun

        rows = self.words(call)
        places = np.zeros((len(rows), max(map(len, rows), default=0)), np.int64)
        for row, given in zip(places, rows, strict=True):
            row[: len(given)] = given
        return WideRun((Rows(call.routine, places),) if rows else ())
