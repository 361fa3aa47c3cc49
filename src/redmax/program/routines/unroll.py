"""A call of a routine as a traced kernel: its loops written out for the counts and places of one row.

The function itself runs on a memory of traced scalars; what it has changed in the end are the kernel's stores. So what can be done with
kernels (their reverse, above all) can be done with a routine, as long as no world goes its own way in it, and it is small.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.program.group import Kernels, Meta
from redmax.program.kernel import WORLD, Kernel, Store
from redmax.program.routines.form import REAL, Assign, Expression, Form, Put, Statement
from redmax.program.routines.names import inner
from redmax.program.routines.routine import Looped
from redmax.program.routines.views import Matrix, Vector
from redmax.trace import Graph, Scalar


class Unrolled:
    """A memory for a routine that runs on traced scalars, or on whatever else: zeros where nothing was stored yet."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stored: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.size

    def entry(self, slot: int) -> Any:
        """What lies in one slot."""
        return self.stored.get(slot, 0.0)

    def __getitem__(self, key: int | slice) -> Any:
        slots = range(self.size)[key] if isinstance(key, slice) else [key]
        found = np.empty(len(slots), object)
        found[:] = [self.entry(slot) for slot in slots]
        return found if isinstance(key, slice) else found.reshape(())

    def __setitem__(self, key: int | slice, value: Any) -> None:
        slots = range(self.size)[key] if isinstance(key, slice) else [key]
        values = np.broadcast_to(np.asarray(value, object), (len(slots),))
        self.stored |= dict(zip(slots, values, strict=True))


class VectorOf(Vector):
    """A vector in such a memory, whose entries are what was stored."""

    def __getitem__(self, key: Any) -> Any:
        return self.memory.entry(self.at(key)) if isinstance(key, int) else super().__getitem__(key)  # type: ignore[attr-defined]


class MatrixOf(Matrix):
    """A matrix, likewise."""

    def __getitem__(self, key: Any) -> Any:
        single = isinstance(key, tuple) and isinstance(key[0], int) and isinstance(key[1], int)
        return self.memory.entry(self.at(key)) if single else super().__getitem__(key)  # type: ignore[attr-defined]


class TracedMemory(Unrolled):
    """The memory of a world while a routine is traced: inputs where nothing was stored yet."""

    def __init__(self, graph: Graph, size: int) -> None:
        super().__init__(size)
        self.graph = graph

    def entry(self, slot: int) -> Any:
        """What lies in one slot."""
        return self.stored[slot] if slot in self.stored else self.graph.input(WORLD, slot)


@dataclass(frozen=True, eq=False)
class UnrolledKernels(Kernels):
    """One row of a routine as one kernel, over the whole memory of the world; size: of that memory."""

    base: Looped
    row: tuple[int, ...]
    size: int

    def key(self, source: str) -> str:
        """Of the routine and the row."""
        return hashlib.sha256(f"unrolled {self.row} {self.base.key(source)}".encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the whole call]."""
        graph = Graph()
        memory: Any = TracedMemory(graph, self.size)
        self.base.call(memory, self.row)
        stores = [Store(WORLD, s, v) for s, v in sorted(memory.stored.items()) if v is not graph.input(WORLD, s)]
        kernel = Kernel(self.base.name, tuple(Store(s.base, s.index, plain(s.value)) for s in stores))
        return [kernel]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked."""
        kernel = self.kernels[0]
        return Meta(0, (kernel.operations,), (bool(kernel.stores),))


def plain(value: Any) -> Any:
    """A traced scalar, or a float."""
    return value if isinstance(value, Scalar) else float(value)


def asks_nothing(form: Form) -> bool:
    """Whether no value decides what a routine does: all of it is arithmetic."""
    return not form.parting and not any(chooses(e) for s in inner(form.statements) for e in expressions_of(s))


def expressions_of(s: Statement) -> list[Expression]:
    """The real expressions of a statement."""
    return [s.value] if isinstance(s, Assign | Put) and s.value.kind == REAL else []


def chooses(e: object) -> bool:
    """Whether an expression takes one value or another."""
    if not isinstance(e, Expression) or e.kind != REAL:
        return False
    return e.op in ("select", "min", "max", "abs") or any(chooses(a) for a in e.args)
