"""The kernels of one recursion for one kind of joint, traced together so that what one sweep keeps, a later one reads."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from redmax.program.fields import Fields, Layout
from redmax.program.kernel import EXTRA, PARAMETERS, PARKED, RECORD, Kernel, Store
from redmax.program.known_kernels import KNOWN, Traced
from redmax.program.record import JointView, ParentView, Tracing, WorldView, map_scalars
from redmax.program.sweep import Recursion
from redmax.trace import Graph, Scalar, reachable

if TYPE_CHECKING:
    from redmax.program.routines.routine import Looped


@dataclass(frozen=True)
class Signature:
    """What makes two joints share their kernels.

    text: everything the kernels depend on, as text (joint motion, pattern of constants, options)
    build: graph -> the attributes that sweeps see as j.name, with the constants as inputs constants[i]
    base: graph -> what the parent of a root offers (p.name), where it is not zero
    constants: how many of those inputs there are; parameters: how many inputs parameters[i], which each world has its own of
    """

    text: str
    nq: int
    nv: int
    root: bool
    leaf: bool
    first: bool
    build: Callable[[Graph], tuple[dict[str, Any], dict[str, Any]]] = field(compare=False, repr=False)
    constants: int = 0
    parameters: int = 0

    @property
    def flags(self) -> dict[str, bool]:
        """What sweeps see as j.root, j.leaf and j.first."""
        return {"root": self.root, "leaf": self.leaf, "first": self.first}

    @property
    def key(self) -> str:
        """Text that is equal where kernels are."""
        own = f" parameters={self.parameters}" if self.parameters else ""
        return f"{self.text} nq={self.nq} nv={self.nv} {self.flags}{own}"


def keys_of(signatures: Sequence[Signature]) -> list[str]:
    """The key of each joint's signature; joints share few signatures, so each is written out once."""
    written = {id(s): s.key for s in {id(s): s for s in signatures}.values()}
    return [written[id(s)] for s in signatures]


@dataclass(frozen=True)
class Meta:
    """What a plan needs to know of a group without its code."""

    parked: int
    operations: tuple[int, ...]  # one for each sweep; 0 with no stores means nothing to do
    present: tuple[bool, ...]


class Kernels:
    """What a backend compiles as one object: some kernels, their sizes, and a key for their content."""

    def key(self, source: str) -> str:
        """A hash of all that the compiled code depends on; source: a hash of the package's source."""
        raise NotImplementedError

    @cached_property
    def kernels(self) -> Sequence[Kernel | Looped]:
        """What is compiled, in the order in which rows count it. Traced when first asked for."""
        raise NotImplementedError

    @cached_property
    def meta(self) -> Meta:
        """What a plan needs to know of the kernels. A backend may know it from its cache, without tracing."""
        raise NotImplementedError

    def units(self, places: int) -> list[str]:
        """Of wide kernels: what each place of a row counts, scalars of the "constants", scalars of "memory", the "size" of the memory,
        or a plain "number"."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Group(Kernels):
    """The kernels of a recursion for one signature, one for each sweep."""

    recursion: Recursion
    signature: Signature
    fields: Fields
    parked: int = 0  # size of the parked region before `extra`, the largest of the program's recursions
    keep: bool = False  # whether parked values keep their slots until the end

    @cached_property
    def content(self) -> str:
        """A hash of all that the kernels depend on besides the package's source."""
        parts = [self.recursion.text, self.signature.key, self.fields.key, str(self.parked), *(["keep"] if self.keep else [])]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def key(self, source: str) -> str:
        """The content of the compiled code: sweeps (by the package's source), signature, and layout."""
        return hashlib.sha256((source + self.content).encode()).hexdigest()

    @cached_property
    def layout(self) -> Layout:
        """Where the fields of this kind of joint lie."""
        return Layout(self.fields, self.signature.nq, self.signature.nv, self.signature.parameters)

    @cached_property
    def traced(self) -> Traced:
        """The kernels and what they need, of this group or of one with the same content."""
        return KNOWN.get(self.content, self.trace)

    def trace(self) -> Traced:
        """Run the sweeps over views that record: their stores, with parked values as slots of the record."""
        graph = Graph()
        statics, base = self.signature.build(graph)
        t = Tracing(graph, self.layout, statics, base, self.signature.flags)
        j, p, w = JointView(t), ParentView(t), WorldView(t)
        sweeps: list[list[Store]] = []
        for number, sweep in enumerate(self.recursion.sweeps):
            t.begin(number)
            sweep(j, p, w)
            sweeps.append(t.stores)
            for when, value in t.kept.values():
                if when == number:
                    note_origin(t, when, value)
        sweeps, parked = place_parked(graph, sweeps, t.origin, self.layout, self.keep)
        place_parameters(graph, self.layout)
        shift = max(self.parked, parked)
        move_extra(graph, shift)
        kernels = [Kernel(s.name, place_extra(stores, shift)) for s, stores in zip(self.recursion.sweeps, sweeps, strict=True)]
        graph.close()
        return Traced(kernels, parked, len(graph.nodes))

    @cached_property
    def kernels(self) -> list[Kernel]:
        """One kernel for each sweep (with no stores where there is nothing to do)."""
        for kernel in self.traced.kernels:
            kernel.check_constants(self.signature.constants)
        return self.traced.kernels

    @cached_property
    def meta(self) -> Meta:
        """Of the kernels as they were traced."""
        return Meta(self.traced.parked, tuple(k.operations for k in self.kernels), tuple(bool(k.stores) for k in self.kernels))


def note_origin(t: Tracing, sweep: int, value: Any) -> None:
    """Remember which sweep computes the scalars of a value that it keeps, for those that read it later."""

    def note(x: Any) -> Any:
        if isinstance(x, Scalar):
            inner = x.args[0] if x.op == "neg" else x
            t.origin.setdefault(inner.id, sweep)
        return x

    map_scalars(value, note)


def place_parked(
    graph: Graph, sweeps: list[list[Store]], origin: dict[int, int], layout: Layout, keep: bool
) -> tuple[list[list[Store]], int]:
    """Give each value that a later sweep reads a slot of the record, reused once its last reader has run unless they are to be kept.

    A value that is itself a field, and that no sweep changes, is read where it is; so is one that goes into a field that nothing else
    is stored to.
    """
    last_use: dict[int, int] = {}
    needed: list[set[int]] = [set() for _ in sweeps]
    for number in reversed(range(len(sweeps))):
        roots = [s.value for s in sweeps[number]] + [graph.nodes[i] for i in needed[number]]
        for e in reachable(roots):
            if e.op == "input" and e.args[0] == PARKED:
                last_use.setdefault(e.args[1], number)
                needed[origin[e.args[1]]].add(e.args[1])
    stored = {s.index for stores in sweeps for s in stores if s.base == RECORD}
    unchanged = {n for wanted in needed for n in wanted if is_input(graph.nodes[n]) and graph.nodes[n].args[1] not in stored}
    slots: dict[int, int] = {}
    free: list[int] = []
    count = 0
    kept = {} if keep else stored_once(sweeps, needed, layout)
    unchanged |= set(kept)
    for number in range(len(sweeps)):
        for node in sorted(needed[number] - unchanged):
            if not free:
                free.append(count)
                count += 1
            slots[node] = free.pop()
        free += [] if keep else sorted((slots[n] for n, last in last_use.items() if last == number and n in slots), reverse=True)
    start = layout.parked
    for e in graph.nodes:  # the trace is complete: its inputs now learn their place
        if e.op == "input" and e.args[0] == PARKED and e.args[1] in slots:
            e.args = (RECORD, start + slots[e.args[1]])
        elif e.op == "input" and e.args[0] == PARKED and e.args[1] in kept:
            e.args = (RECORD, kept[e.args[1]])
        elif e.op == "input" and e.args[0] == PARKED and e.args[1] in unchanged:
            e.args = graph.nodes[e.args[1]].args
    parked = [[Store(RECORD, start + slots[n], graph.nodes[n]) for n in sorted(wanted - unchanged)] for wanted in needed]
    return [[*stores, *more] for stores, more in zip(sweeps, parked, strict=True)], count


def stored_once(sweeps: list[list[Store]], needed: list[set[int]], layout: Layout) -> dict[int, int]:
    """Node -> index of the record, of what later sweeps need and the sweep that computes it stores to a field, once and for all."""
    times = Counter(s.index for stores in sweeps for s in stores if s.base == RECORD)
    own = [layout.state[name] for name in layout.fields.state if name not in layout.fields.sums]
    lasting = {k for start, size in own for k in range(start, start + size)}
    found: dict[int, int] = {}
    for stores, wanted in zip(sweeps, needed, strict=True):
        for s in stores:
            once = s.base == RECORD and not s.accumulate and times[s.index] == 1 and s.index in lasting
            if once and isinstance(s.value, Scalar) and s.value.id in wanted:
                found.setdefault(s.value.id, s.index)
    return found


def is_input(e: Scalar) -> bool:
    """Whether a node is a field of the joint's record."""
    return e.op == "input" and e.args[0] == RECORD


def place_parameters(graph: Graph, layout: Layout) -> None:
    """The trace is complete: parameters[i] becomes record[i + offset], and so do the entries of tables."""
    for e in graph.nodes if layout.parameters else ():
        if e.op == "input" and e.args[0] == PARAMETERS:
            e.args = (RECORD, layout.parameter + e.args[1])
        elif e.op == "gather" and e.args[0].base == PARAMETERS:
            e.args = (replace(e.args[0], base=RECORD, start=layout.parameter + e.args[0].start), e.args[1])


def move_extra(graph: Graph, shift: int) -> None:
    """Move the integrator's fields behind the parked values, where they are read: extra[i] becomes record[i + shift]."""
    for e in graph.nodes:
        if e.op == "input" and e.args[0] == EXTRA:
            e.args = (RECORD, e.args[1] + shift)


def place_extra(stores: list[Store], shift: int) -> tuple[Store, ...]:
    """And where they are written."""
    return tuple(Store(RECORD, s.index + shift, s.value, s.accumulate) if s.base == EXTRA else s for s in stores)
