"""A function as the list of operations that it was traced to: exact, and nothing but arithmetic.

Any function that can be traced is recorded once, over inputs that stand for its arguments, and can be called as the function was
(recorded.py). What it computes is the same, since it is the trace that is compiled in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from redmax.errors import SceneError
from redmax.forces.base import Site
from redmax.trace import Graph, Scalar, Table, TableInput, reachable
from redmax.trace.vector import vector_of

MOST = 50_000  # operations of one function
PARTS = {"x": (3,), "v": (3,), "R": (3, 3), "omega": (3,)}  # of a site
SITE = "site"

Shape: TypeAlias = "tuple[int, ...] | str"  # of an array; () of a number; SITE
Operation: TypeAlias = "tuple[Any, ...]"  # its name and what it takes: numbers of earlier operations, and what is no operation


@dataclass(frozen=True)
class TableShape:
    """A parameter that is a table, (rows, ...)."""

    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """arguments: by position; parameters: by name; operations: each of earlier ones; returns: numbers of operations, in nested lists."""

    name: str
    arguments: Mapping[str, Shape]
    parameters: Mapping[str, Shape | TableShape]
    operations: tuple[Operation, ...]
    returns: Any

    @property
    def size(self) -> int:
        """How much there is to do in a call: operations, and numbers that are handed over."""
        shapes = (*self.arguments.values(), *self.parameters.values())
        return len(self.operations) + sum(prod(s) for s in shapes if isinstance(s, tuple))

    def is_constant(self) -> bool:
        """Whether its result depends on nothing."""
        return all(op[0] == "const" for op in self.operations)

    def constants(self) -> Any:
        """What a constant one returns: numbers, in nested lists."""
        return nested(self.returns, [op[1] for op in self.operations])


def record(function: Callable[..., Any], name: str, arguments: Mapping[str, Shape], parameters: Mapping[str, Any]) -> Trace:
    """The trace of a function that is called with these arguments by position and these parameters (their values) by name."""
    graph = Graph()
    given = [opened(graph, base, shape) for base, shape in arguments.items()]
    shapes = {key: TableShape(v.shape) if isinstance(v, Table) else np.shape(v) for key, v in parameters.items()}
    by_name = {key: opened(graph, key, shape) for key, shape in shapes.items()}
    result = as_lists(function(*given, **by_name))
    outputs = leaves(result)
    numbers: dict[int, int] = {}
    operations: list[Operation] = []
    constants: dict[str, int] = {}

    def constant(value: Any) -> int:
        key = float(value).hex()
        if key not in constants:
            constants[key] = len(operations)
            operations.append(("const", float(value)))
        return constants[key]

    for e in reachable([x for x in outputs if isinstance(x, Scalar)]):
        if e.graph is not graph:
            raise SceneError(f"The function {name!r} returns traced values of another call. Let it return what follows from its arguments.")
        if e.op == "const":
            numbers[e.id] = constant(e.args[0])
            continue
        numbers[e.id] = len(operations)
        operations.append((e.op, *[Ref(numbers[a.id]) if isinstance(a, Scalar) else a for a in e.args]))
        if len(operations) > MOST:
            raise SceneError(f"The function {name!r} has more than {MOST} operations, too many for a file.")
    returns = nested_map(result, lambda x: None if x is None else numbers[x.id] if isinstance(x, Scalar) else constant(x))
    return Trace(name, dict(arguments), shapes, tuple(operations), returns)


class Ref(int):
    """The number of an earlier operation."""


def opened(graph: Graph, base: str, shape: Shape | TableShape) -> Any:
    """Inputs in the place of an argument."""
    if isinstance(shape, TableShape):
        return TableInput(graph, base, 0, shape.shape)
    if shape == SITE:
        return Site(**{part: opened(graph, f"{base}.{part}", s) for part, s in PARTS.items()})
    assert not isinstance(shape, str)
    entries = vector_of(graph.inputs(base, prod(shape))).reshape(shape)
    return entries.item() if shape == () else entries


def as_lists(value: Any) -> Any:
    """Arrays and tuples as lists; numbers and traced scalars as they are."""
    if isinstance(value, np.ndarray):
        return value.item() if value.ndim == 0 else [as_lists(x) for x in value]
    return [as_lists(x) for x in value] if isinstance(value, list | tuple) else value


def leaves(value: Any) -> list[Any]:
    """All values of nested lists, in order."""
    return [x for part in value for x in leaves(part)] if isinstance(value, list) else [value]


def nested_map(value: Any, f: Callable[[Any], Any]) -> Any:
    """Nested lists with f of each value."""
    return [nested_map(x, f) for x in value] if isinstance(value, list) else f(value)


def nested(returns: Any, values: list[Any]) -> Any:
    """Values in the places that nested lists of numbers say."""
    return nested_map(returns, lambda i: None if i is None else values[i])


def filled(value: Any) -> Any:
    """Nested lists as arrays, where they are full ones."""
    if not isinstance(value, list):
        return value
    inner = [filled(x) for x in value]
    if any(x is None or isinstance(x, list) for x in inner) or len({np.shape(x) for x in inner}) > 1:
        return inner
    if any(isinstance(x, Scalar) or (isinstance(x, np.ndarray) and x.dtype == object) for x in inner):
        result = np.empty((len(inner), *np.shape(inner[0])), object)
        for i, x in enumerate(inner):
            result[i] = x
        return result
    return np.array(inner, float)
