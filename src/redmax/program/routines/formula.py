"""A formula: a traced function from some places of a world's memory to others, called row by row as a routine is.

    Formula({"t": 1, "R": 9}, {"target": 3}, lambda t, R: [velocity(t[0], R.reshape(3, 3))])

It has no loops, and what it computes is what its trace says: functions that users write, and whatever is straight-line arithmetic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.errors import TraceError
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import Kernel, Store
from redmax.trace import Graph
from redmax.trace.vector import vector_of


@dataclass(frozen=True, eq=False)
class Formula(Kernels):
    """function(*vectors) -> values of the outputs, in order. inputs, outputs: name -> how many numbers, one behind the other."""

    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    function: Callable[..., Any]

    def key(self, source: str) -> str:
        """Of its trace."""
        return hashlib.sha256(f"{source} formula {self.inputs} {self.outputs} {self.kernels[0]}".encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the function], traced once."""
        graph = Graph()
        given = [vector_of([graph.input(name, i) for i in range(size)]) for name, size in self.inputs.items()]
        stores: list[Store] = []
        for (name, size), value in zip(self.outputs.items(), self.function(*given), strict=True):
            entries = np.asarray(value, object).ravel()
            if len(entries) != size:
                raise TraceError(f"{name} of a formula holds {size} numbers. Got {len(entries)}.")
            stores += [Store(name, i, x) for i, x in enumerate(entries)]
        return [Kernel("formula", tuple(stores), (*self.inputs, *self.outputs))]

    @property
    def traceable(self) -> bool:
        """Whether the function can be traced, as not all that users write can."""
        try:
            return bool(self.kernels)
        except TraceError:
            return False

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked."""
        return Meta(0, (self.kernels[0].operations,), (bool(self.kernels[0].stores),))

    def row(self, *places: int) -> list[int]:
        """The words of a row: where each input and output begins."""
        if len(places) != len(self.inputs) + len(self.outputs):
            raise TraceError(f"A formula of {', '.join([*self.inputs, *self.outputs])} takes as many places. Got {len(places)}.")
        return list(places)

    def units(self, places: int) -> list[str]:
        """Scalars of memory."""
        return ["memory"] * places
