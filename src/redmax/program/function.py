"""A traced function over many sets of numbers at once, one set in a lane: the program that has no joints.

Where thousands of equal elements are evaluated together, each is a world of this program.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.program.blocks import Row, Run
from redmax.program.fields import Fields
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import RECORD, Kernel, Store
from redmax.program.known_kernels import remembered
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.trace import Graph
from redmax.trace.vector import vector_of


@dataclass(frozen=True, eq=False)
class FunctionKernels(Kernels):
    """function(**arrays) -> list of arrays; text: what tells it from others besides the package's source."""

    text: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    function: Callable[..., Any]

    def key(self, source: str) -> str:
        """Of the function's text and the names and sizes of its arrays."""
        text = f"{source} function {self.text} {list(self.inputs.items())} {list(self.outputs.items())}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the function], traced once: its inputs lie in the record one after the other, its outputs behind them."""
        return remembered(self.key(""), self.trace)

    def trace(self) -> list[Kernel]:
        """Call the function on inputs of a graph."""
        graph = Graph()
        arrays: dict[str, Any] = {}
        start = 0
        for name, size in self.inputs.items():
            arrays[name] = vector_of([graph.input(RECORD, start + i) for i in range(size)])
            start += size
        values = [x for part in self.function(**arrays) for x in np.ravel(np.asarray(part, object))]
        if len(values) != sum(self.outputs.values()):
            raise ValueError(f"{self.text} gives {len(values)} numbers, expected {sum(self.outputs.values())}.")
        return [Kernel("function", tuple(Store(RECORD, start + i, x) for i, x in enumerate(values)))]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked, and there is one kernel."""
        return Meta(0, (self.kernels[0].operations,), (True,))


def function_plan(text: str, inputs: Mapping[str, int], outputs: Mapping[str, int], function: Callable[..., Any]) -> Plan:
    """What a backend runs: arrays (sets, size) go in and come out."""
    group = FunctionKernels(text, inputs, outputs, function)
    edges = np.concatenate([[0], np.cumsum([*inputs.values(), *outputs.values()])]).astype(np.int64)
    slots = [np.arange(a, b) for a, b in pairwise(edges.tolist())]
    return Plan(
        program=Program(text, (), Fields(), tuple(inputs), tuple(outputs)),
        blocks=(Run((Row(group, 0, (0, 0, 0, 0, 0)),)),),
        groups=(group,),
        constants=np.zeros(1),
        workspace=int(edges[-1]),
        accumulators=0,
        inputs=tuple(slots[: len(inputs)]),
        outputs=tuple(slots[len(inputs) :]),
        kept=frozenset(),
    )
