"""A kernel: what one sweep does for one kind of joint, as a list of stores whose values are traced expressions.

Its inputs and stores name one of six places, whole words, as letters are for the symbols of the equations:

    constants   of the joint or force; the same for all worlds        gathered   what the joint has gathered from its children
    record      the joint's own record                                upward     what its parent gathers
    parent      its parent's record                                   world      the world's record

A kernel therefore says by itself what it reads, writes and accumulates. A kernel over another relation (a force and the bodies it
touches) names its own places, one for each entry of a row of that relation, after the constants; they may lie anywhere in the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from redmax.errors import TraceError
from redmax.trace import Scalar, Span, Value, listing, reachable
from redmax.trace.logic import scatter

CONSTANTS, RECORD, PARENT, GATHERED, UPWARD, WORLD = PLACES = ("constants", "record", "parent", "gathered", "upward", "world")
KEPT = "kept"  # what a constraint keeps of its rows, in a world's memory
PARKED, EXTRA, PARAMETERS = "parked", "extra", "parameters"  # while a recursion is traced: parts of a record, of offsets not known yet


@dataclass(frozen=True)
class Store:
    """`base[index] = value`, or `+=`; or, with a value of the kind `scatter`, += at the entry of a table that its index says."""

    base: str
    index: int
    value: Value
    accumulate: bool = False

    @property
    def scattered(self) -> bool:
        """Whether the place is found when the kernel runs."""
        return isinstance(self.value, Scalar) and self.value.op == "scatter"

    @property
    def places(self) -> Sequence[int]:
        """The indices of base that it may store to."""
        return self.value.args[0].places if isinstance(self.value, Scalar) and self.scattered else (self.index,)


def amounts(values: Sequence[Value]) -> list[Value]:
    """What is stored, or added at a computed place: what derivatives are of."""
    return [v.args[2] if isinstance(v, Scalar) and v.op == "scatter" else v for v in values]


def added_at(span: Span, index: Scalar, value: Value) -> Store:
    """`table[index] += value`."""
    return Store(span.base, span.start, scatter(span, index, value), accumulate=True)


def memory_gathers(values: Sequence[Value]) -> list[Scalar]:
    """The reads of tables in memory at a computed index: inputs of the trace, as single numbers are."""
    return [e for e in reachable(values) if e.op == "gather" and e.args[0].base != CONSTANTS]


@dataclass(frozen=True)
class Kernel:
    """The stores of one sweep for one kind of joint; places: what its inputs and stores may name."""

    name: str
    stores: tuple[Store, ...]
    places: tuple[str, ...] = PLACES

    @property
    def values(self) -> list[Value]:
        """What is stored, in the order of the stores."""
        return [s.value for s in self.stores]

    @cached_property
    def nodes(self) -> list[Scalar]:
        """All nodes of the trace, arguments before users."""
        return reachable(self.values)

    @cached_property
    def operations(self) -> int:
        """Arithmetic operations, the measure for the choice between rolled and straight-line code."""
        return sum(e.op not in ("const", "input") for e in self.nodes) + sum(s.accumulate for s in self.stores)

    @property
    def wide(self) -> bool:
        """Whether it finds its places in its row by itself."""
        return self.places != PLACES

    def reads(self, places: Sequence[str] = PLACES) -> set[tuple[str, int]]:
        """What the kernel may read of these places."""
        single = {(e.args[0], e.args[1]) for e in self.nodes if e.op == "input" and e.args[0] in places}
        return single.union(*[{(s.base, place) for place in s.places} for s in self.spans if s.base in places])

    def check_constants(self, count: int) -> None:
        """Raise unless it reads no more than so many constants: compiled code knows only where they begin."""
        if self.constants > count:
            read = f"reads constant {self.constants} of {count}"
            raise TraceError(f"The kernel {self.name!r} {read}: its tables are not those it was traced for.")

    @cached_property
    def constants(self) -> int:
        """How many constants it may read."""
        needed = 0
        for e in self.nodes:
            if e.op == "input" and e.args[0] == CONSTANTS:
                needed = max(needed, e.args[1] + 1)
            elif e.op == "gather" and e.args[0].base == CONSTANTS:
                needed = max(needed, e.args[0].places[-1] + 1)
        return needed

    @property
    def spans(self) -> set[Span]:
        """The tables among the inputs, of which an entry is chosen when the kernel runs."""
        return {e.args[0] for e in self.nodes if e.op == "gather"}

    def __str__(self) -> str:
        outputs = {f"{s.base}[{s.index}]{' +' if s.accumulate else ''}": s.value for s in self.stores}
        return f"kernel {self.name}\n{listing(outputs)}"
