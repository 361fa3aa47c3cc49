"""Where the entries of a table lie when they are not known while tracing: places of one input, evenly spaced.

A `gather` node reads one of them at a computed index. Only the places are part of the trace, so tables with other entries share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.errors import TraceError
from redmax.trace import logic
from redmax.trace.operands import number, traced


@dataclass(frozen=True)
class Span:
    """base[start], base[start + stride], ..., `count` of them."""

    base: str
    start: int
    stride: int
    count: int

    def place(self, index: Any) -> Any:
        """Where the entry with this (whole) number lies."""
        return self.start + self.stride * index

    @property
    def places(self) -> range:
        """The indices of base that may be read."""
        return range(self.start, self.place(self.count), self.stride)

    def __repr__(self) -> str:
        return f"{self.base}[{self.start}:{self.place(self.count)}:{self.stride}]"


def kept_inside(index: Any, count: int) -> Any:
    """An index (a number or an array) rounded down into 0 .. count - 1; 0 for NaN, as compiled code has it."""
    return np.fmin(np.fmax(np.floor(index), 0), count - 1).astype(int)


def numeric_gather(span: Span, leaf: Callable[[str, int], Any], index: Any) -> Any:
    """The entries at an index, or at an array of them; each entry is one number for all worlds, or one for each."""
    wanted, which = np.unique(kept_inside(index, span.count), return_inverse=True)
    entries = np.array([leaf(span.base, span.place(int(i))) for i in wanted])
    rows = which.reshape(np.shape(index))
    if entries.ndim == 1:
        return entries[rows]
    return entries[np.broadcast_to(rows, entries.shape[1:]), np.arange(entries.shape[1])]


def symbolic_gather(span: Span, leaf: Callable[[str, int], Any], index: Any) -> Any:
    """The same entry over other inputs; all places of a span move together, as far apart as the first two."""
    if not traced(index):
        return leaf(span.base, span.place(int(kept_inside(number(index), span.count))))
    return logic.gather(moved(span, leaf), index)


def moved(span: Span, leaf: Callable[[str, int], Any]) -> Span:
    """The same entries among other inputs."""
    first, *second = (leaf(span.base, place) for place in span.places[:2])
    if not traced(first) or first.op != "input":
        raise TraceError(f"The entries {span} of a table are inputs. Got {brief(first)} for the first of them.")
    stride = second[0].args[1] - first.args[1] if second else span.stride
    return replace(span, base=first.args[0], start=first.args[1], stride=stride)


def numeric_scatter(span: Span, _: Callable[[str, int], Any], index: Any, value: Any) -> tuple[Any, Any]:
    """Which place gains, and what: whoever stores it adds it there."""
    return span.place(kept_inside(index, span.count)), value


def symbolic_scatter(span: Span, leaf: Callable[[str, int], Any], index: Any, value: Any) -> Any:
    """The same among other inputs."""
    graph = (index if traced(index) else leaf(span.base, span.start)).graph
    return logic.scatter(moved(span, leaf), index if traced(index) else graph.constant(number(index)), value)
