"""A trace called as the function that it was traced from: with numbers, with traced scalars of any graph, with sites of a force and tables.

Whatever it is called with is compared with what it was declared to take, so that it reads nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from redmax.errors import NoValue, SceneError
from redmax.io.traces import PARTS, SITE, Operation, Ref, Shape, TableShape, Trace, filled, leaves, nested
from redmax.io.valid_trace import Mistake, mistakes, worded, wrong_parameter
from redmax.math import array
from redmax.trace import Scalar, Span, Table, TableInput
from redmax.trace.evaluate import NUMERIC, SYMBOLIC
from redmax.trace.meter import listening, spend
from redmax.trace.span import kept_inside

WIDE = 500  # points that one operation of Python is worth
STUMPFF = 50  # operations that a Stumpff function is worth


class InvalidTrace(SceneError):
    """A trace that may not be run. mistakes: part of it, number of the operation and sentence of each."""

    def __init__(self, name: str, mistakes: list[Mistake]) -> None:
        part, number, message = mistakes[0]
        where = part if number < 0 else f"operation {number}"
        super().__init__(f"The function {name!r} is no valid trace, {where}: {message}.")
        self.mistakes = mistakes


class Recorded:
    """A valid trace that can be called as the function it was traced from."""

    def __init__(self, trace: Trace) -> None:
        wrong = list(mistakes(trace))
        if wrong:
            raise InvalidTrace(trace.name, wrong)
        self.trace = trace
        self.__name__ = trace.name
        positional = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in trace.arguments]
        named = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in trace.parameters]
        self.__signature__ = inspect.Signature([*positional, *named])

    def __repr__(self) -> str:
        return f"<function {self.__name__} of {len(self.trace.operations)} operations>"

    def __call__(self, *arguments: Any, **parameters: Any) -> Any:
        bound = self.__signature__.bind(*arguments, **parameters).arguments
        inputs: dict[str, Any] = {}
        for name, shape in self.trace.arguments.items():
            inputs.update(self.entries(name, bound[name], shape))
        for name, shape in self.trace.parameters.items():
            wrong = wrong_parameter(name, bound[name], shape)
            if wrong is not None:
                raise SceneError(f"The function {self.__name__!r}: {wrong}.")
            inputs |= {name: bound[name]} if isinstance(shape, TableShape) else self.entries(name, bound[name], shape)
        self.pay(inputs)
        rules = SYMBOLIC if any(map(holds_traced, inputs.values())) else NUMERIC
        values: list[Any] = []
        try:
            with np.errstate(all="ignore"):
                run(self.trace.operations, inputs, rules, values)
        except NoValue as error:
            raise SceneError(f"The function {self.__name__!r} has no value, in its operation {len(values)}: {error.why}.") from None
        result = nested(self.trace.returns, values)
        batched = any(isinstance(x, np.ndarray) and x.ndim for x in leaves(result))
        return array(result) if batched and isinstance(result, list) else filled(result)

    def pay(self, inputs: Mapping[str, Any]) -> None:
        """Tell of the operations to come, of which each may be over many points."""
        if listening.get() is not None:
            wide = max((np.size(e) for x in inputs.values() if isinstance(x, list) for e in x[:1]), default=1)
            count = len(self.trace.operations)
            spend((count + STUMPFF * self.stumpffs) * (1 + wide // WIDE), 8 * wide * count)

    @cached_property
    def stumpffs(self) -> int:
        """How many of the operations are Stumpff functions, each of which is a series."""
        return sum(operation[0] == "stumpff" for operation in self.trace.operations)

    def entries(self, name: str, value: Any, shape: Shape | TableShape) -> dict[str, Any]:
        """What inputs with this name stand for: lists of entries."""
        if shape == SITE:
            parts = {part: np.asarray(getattr(value, part, None), object) for part in PARTS}
            if any(parts[part].shape != s for part, s in PARTS.items()):
                raise SceneError(f"The function {self.__name__!r} takes a site as {name!r}. Got another thing.")
            return {f"{name}.{part}": np.ravel(entries) for part, entries in parts.items()}
        if shape == ():
            return {name: [value]}
        assert isinstance(shape, tuple)
        flat = flattened(value, shape)
        if flat is None:
            raise SceneError(f"The function {self.__name__!r} takes {worded(shape)} as {name!r}. Got shape {list(np.shape(value))}.")
        return {name: flat}


def flattened(value: Any, shape: tuple[int, ...]) -> list[Any] | None:
    """The entries of an array of this shape, each over its leading axes; None where it has another."""
    if isinstance(value, list | tuple):
        flat = list(value)
        for _ in shape[1:]:
            flat = [x for row in flat for x in row]
        return flat if len(flat) == prod(shape) else None
    value = np.asarray(value)
    if value.shape[max(value.ndim - len(shape), 0) :] != shape:
        return None
    batched = value.ndim > len(shape)  # its leading axes
    return [value[(..., *index)] if batched else value[index] for index in np.ndindex(*shape)]


def holds_traced(entries: Any) -> bool:
    """Whether a table or an array has traced entries."""
    return isinstance(entries, TableInput) or (not isinstance(entries, Table) and any(isinstance(x, Scalar) for x in entries))


def run(operations: tuple[Operation, ...], inputs: Mapping[str, Any], rules: Mapping[str, Callable[..., Any]], values: list[Any]) -> None:
    """Append the value of every operation to `values`."""
    for op, *args in operations:
        if op == "const":
            values.append(args[0])
        elif op == "input":
            values.append(entry(inputs[args[0]], args[1]))
        elif op == "gather":
            values.append(gathered(inputs[args[0].base], args[0], values[args[1]]))
        else:
            values.append(rules[op](*[values[a] if isinstance(a, Ref) else a for a in args]))


def entry(given: Any, index: int) -> Any:
    """One number of what an argument holds."""
    if isinstance(given, TableInput):
        return given.number(index)
    return given.values[index] if isinstance(given, Table) else given[index]


def gathered(table: Any, span: Span, index: Any) -> Any:
    """The entry of a table at an index that was not known when the function was traced."""
    if isinstance(table, Table) and not isinstance(index, Scalar):
        return table.array.ravel()[span.place(kept_inside(index, span.count))]
    return table.entry(span.start // table.width, span.start % table.width, span.count, index)
