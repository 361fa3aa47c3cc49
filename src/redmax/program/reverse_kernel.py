"""Kernels over doubled slots, of which a cotangent is made: slot i of the plan is slot 2i, its cotangent slot 2i + 1.

    y = f(x)        forwards: the kernel as it is                   xbar += (df/dx)^T ybar        backwards: the vjp of its trace

A store that overwrites leaves nothing of the old value, so that its cotangent is zero before; one that accumulates passes its cotangent on.
Entries of tables are read at computed places forwards, and added to there backwards, however many they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.program.group import Kernels, Meta
from redmax.program.kernel import CONSTANTS, PARENT, RECORD, Kernel, Store, added_at, amounts, memory_gathers
from redmax.program.known_kernels import remembered
from redmax.trace import Graph, Scalar, Span, substitute, vjp
from redmax.trace.logic import gather


def hashed(*parts: object) -> str:
    """A hash of these, as texts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


class DerivedKernels(Kernels):
    """Kernels that are made from others: nothing is parked beside what already is."""

    @cached_property
    def meta(self) -> Meta:
        """Of the kernels as they are."""
        kernels = [k for k in self.kernels if isinstance(k, Kernel)]
        return Meta(0, tuple(k.operations for k in kernels), tuple(bool(k.stores) for k in kernels))


@dataclass(frozen=True, eq=False)
class ValueKernels(DerivedKernels):
    """The kernels of a group over doubled slots, as they are."""

    base: Kernels

    def key(self, source: str) -> str:
        """Of the key of the kernels."""
        return hashed("values", self.base.key(source))

    @cached_property
    def kernels(self) -> list[Kernel]:
        """Each kernel, its values at even slots."""
        return remembered(self.key(""), lambda: [value_kernel(k) for k in self.base.kernels if isinstance(k, Kernel)])

    def units(self, places: int) -> list[str]:
        """As those of the kernels."""
        return self.base.units(places)


def value_kernel(kernel: Kernel) -> Kernel:
    """The same stores, at twice their index."""
    graph = Graph()
    values = substitute(kernel.values, lambda base, i: graph.input(base, i if base == CONSTANTS else 2 * i))
    stores = [Store(s.base, 2 * s.index, value, s.accumulate) for s, value in zip(kernel.stores, values, strict=True)]
    return Kernel(kernel.name, tuple(stores), kernel.places)


@dataclass(frozen=True)
class Pattern:
    """Which cotangents there are when a kernel is reversed.

    active: for each store, whether its cotangent may be something; gains: (place, index, overwrites) of the reads that gain from it, those
    that had none before with overwrites; cleared: what was overwritten and gains nothing, where zero must be said
    there: the stores whose values are still in memory, so that they are read rather than computed again
    """

    active: tuple[bool, ...]
    gains: tuple[tuple[str, int, bool], ...]
    cleared: tuple[tuple[str, int], ...] = ()
    there: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class ReverseKernels(DerivedKernels):
    """The vjp of one kernel of a group, for one pattern of cotangents."""

    base: Kernels
    number: int
    pattern: Pattern

    def key(self, source: str) -> str:
        """Of the key of the kernels, and of the pattern."""
        return hashed("reverse", self.number, self.pattern, self.base.key(source))

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the vjp]."""
        return remembered(self.key(""), self.reverse)

    def reverse(self) -> list[Kernel]:
        """Differentiate the kernel."""
        kernel = self.base.kernels[self.number]
        assert isinstance(kernel, Kernel)
        return [reverse_kernel(kernel, self.pattern)]

    def units(self, places: int) -> list[str]:
        """As those of the kernels."""
        return self.base.units(places)


def reverse_kernel(kernel: Kernel, pattern: Pattern) -> Kernel:
    """Of values and cotangents at doubled slots: what the reads gain."""
    graph = Graph()
    values = substitute(kernel.values, lambda base, i: graph.input(base, i if base == CONSTANTS else 2 * i))
    active = [k for k, there in enumerate(pattern.active) if there]
    weights = [cotangent_of(graph, kernel.stores[k], values[k]) for k in active]
    read = [graph.input(base, 2 * i) for base, i, _ in pattern.gains]
    chosen = memory_gathers(values)
    slopes = vjp(amounts([values[k] for k in active]), weights, [*read, *chosen])
    slopes, of_tables = slopes[: len(read)], slopes[len(read) :]
    for k in pattern.there:
        read_back(values[k], kernel.stores[k])
    gained = [gain(graph, *g, slope) for g, slope in zip(pattern.gains, slopes, strict=True)]
    cleared = [Store(base, 2 * i + 1, 0.0) for base, i in pattern.cleared]
    met = table_gains(chosen, of_tables, {(base, 2 * i) for base, i, _ in pattern.gains})
    return Kernel(f"reverse of {kernel.name}", (*filter(None, gained), *cleared, *met), kernel.places)


def cotangent_of(graph: Graph, store: Store, value: Any) -> Scalar:
    """Of what is stored; where the place is a computed one, of the entry that it met."""
    if store.scattered:
        return gather(beside(value.args[0]), value.args[1])
    return graph.input(store.base, 2 * store.index + 1)


def table_gains(chosen: Sequence[Scalar], slopes: Sequence[Any], gaining: set[tuple[str, int]]) -> list[Store]:
    """A read at a computed index adds its cotangent to that of the entry which it met, if the entries of its table gain anything."""
    there = [isinstance(x, Scalar) or bool(x) for x in slopes]
    met = [(*e.args, slope) for e, slope, x in zip(chosen, slopes, there, strict=True) if x]
    return [added_at(beside(span), index, slope) for span, index, slope in met if any((span.base, i) in gaining for i in span.places)]


def beside(span: Span) -> Span:
    """The cotangents of the entries of a table at doubled slots."""
    return replace(span, start=span.start + 1)


def read_back(value: Any, store: Store) -> None:
    """A value that the kernel has stored becomes an input: the trace is complete, so that what it was computed from is no part of it."""
    if isinstance(value, Scalar) and value.op not in ("input", "const"):
        value.op, value.args = "input", (store.base, 2 * store.index)


def gain(graph: Graph, base: str, index: int, overwrites: bool, slope: Any) -> Store | None:
    """The store of one cotangent, unless it changes nothing."""
    if overwrites:
        return None if slope is graph.input(base, 2 * index + 1) else Store(base, 2 * index + 1, slope)
    return Store(base, 2 * index + 1, slope, accumulate=True) if isinstance(slope, Scalar) or slope else None


@dataclass(frozen=True, eq=False)
class CopyKernels(DerivedKernels):
    """record[to k] = parent[step k] for k below count; with no step, zero. adds: to what is there. Where they lie, rows say."""

    count: int
    to: int
    step: int
    adds: bool = False

    def key(self, source: str) -> str:
        """Of how many there are, and how far apart."""
        return hashed("copy", self.count, self.to, self.step, self.adds, source)

    @cached_property
    def kernels(self) -> list[Kernel]:
        """[the copy]."""
        graph = Graph()
        values = [graph.input(PARENT, self.step * k) if self.step else 0.0 for k in range(self.count)]
        return [Kernel("copy", tuple(Store(RECORD, self.to * k, value, self.adds) for k, value in enumerate(values)))]
