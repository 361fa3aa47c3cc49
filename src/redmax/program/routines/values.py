"""What names stand for while a routine's source is read: expressions, and the views that become loads and stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redmax.program.routines.form import WHOLE, Expression, load, number, operation

ONE = number(1)


def word(index: Expression) -> Expression:
    """An entry of the row that calls the routine."""
    return Expression("word", (index,), WHOLE, index.shared)


def add(a: Expression, b: Expression) -> Expression:
    """Of whole numbers."""
    return operation("add", a, b)


def times(a: Expression, b: Expression) -> Expression:
    """Of whole numbers."""
    return operation("mul", a, b)


@dataclass(frozen=True)
class Run:
    """Entries of memory: slot(k) is that of the k-th of `count`."""

    start: Expression
    count: Expression
    stride: Expression = ONE

    def slot(self, k: Expression) -> Expression:
        """start + stride k."""
        return add(self.start, times(self.stride, k))

    def entry(self, k: Expression) -> Expression:
        """What lies there."""
        return load(self.slot(k))


@dataclass(frozen=True)
class Entries:
    """An expression of runs, entry by entry."""

    count: Expression
    entry: Callable[[Expression], Expression]


@dataclass(frozen=True)
class VectorAt:
    """A Vector, by its first slot."""

    start: Expression

    def slot(self, i: Expression) -> Expression:
        """Of entry i."""
        return add(self.start, i)

    def run(self, first: Expression, stop: Expression) -> Run:
        """v[first:stop]."""
        return Run(add(self.start, first), operation("sub", stop, first))


@dataclass(frozen=True)
class MatrixAt:
    """A Matrix, by its first slot and the distance of its rows."""

    start: Expression
    leading: Expression

    def row(self, i: Expression) -> VectorAt:
        """A[i]."""
        return VectorAt(add(self.start, times(i, self.leading)))

    def column(self, first: Expression, stop: Expression, j: Expression) -> Run:
        """A[first:stop, j]."""
        return Run(add(self.row(first).start, j), operation("sub", stop, first), self.leading)


@dataclass(frozen=True)
class TableAt:
    """Wholes or Places, by the word of the first entry."""

    first: Expression
    places: bool

    def entry(self, i: Expression) -> Expression | VectorAt:
        """A whole number, or the vector that begins there."""
        found = word(add(self.first, i))
        return VectorAt(found) if self.places else found


def as_entries(value: Any) -> Callable[[Expression], Expression]:
    """k -> the k-th entry of a run, of an expression of runs, or of one number for all."""
    if isinstance(value, Run | Entries):
        return value.entry
    fixed: Expression = value
    return lambda k: fixed


def elementwise(op: Callable[..., Expression], *args: Any) -> Entries:
    """An operation on runs, entry by entry. All are as long as the first of them."""
    count = next(a.count for a in args if isinstance(a, Run | Entries))
    parts = [as_entries(a) for a in args]
    return Entries(count, lambda k: op(*[part(k) for part in parts]))
