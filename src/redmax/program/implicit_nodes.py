"""What is not reversed as it runs: solutions of equations are differentiated by the equation, not by the iterations that led to them.

    r(x, p) = 0  found by iteration;  x = x0 - H^-1 r(x0, p)  at x0 = x with H = dr/dx:  the same number, with  dx/dp = -H^-1 dr/dp

`Found` blocks give x0, a constant, which is noted on the way out (Griewank and Walther 2008, Ch. 15). `Derived` blocks make the step from
there, and run on the way back alone; in it H is `Held`, so that its reverse is one transposed solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from redmax.program.activity import NOTHING, Node, Piece
from redmax.program.blocks import Block, BranchRuns, FoundRuns, RepeatRuns, runnable
from redmax.program.level import Level, blocks_of
from redmax.program.plan import Plan
from redmax.program.reverse_turns import Choice
from redmax.program.tape import Tape


@dataclass(eq=False)
class FoundNode(Node):
    """kept: the slots that others read after it; room: where in doubled memory they come in, turn by turn."""

    body: Level
    blocks: FoundRuns
    kept: np.ndarray = field(default_factory=lambda: NOTHING)
    room: int = 0

    def __post_init__(self) -> None:
        self.tape = self.body.tape
        self.reads, self.stores, self.replaces = self.body.reads, self.body.stores, self.body.replaces
        self.again = False

    def keep(self, slots: np.ndarray) -> None:
        """Others read no more of what it stores. Nothing else changes on the way back, where it does not run."""
        self.kept = self.stores = self.replaces = slots

    @property
    def active(self) -> bool:
        """It has no reverse."""
        return False

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """What it stores depends on nothing."""
        self.before = version[self.stores]
        varied[self.stores] = False
        version[self.stores] += 1

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """No cotangent comes through."""
        reached[self.stores] = False

    def replaced(self) -> set[tuple[int, int]]:
        """All that it stores to."""
        return set(zip(self.stores.tolist(), self.before.tolist(), strict=True))

    def settle(self) -> None:
        """Room for what comes in."""
        self.room = self.tape.reserve(len(self.kept))

    def ahead(self, first: bool) -> list[Piece]:
        """What was found, brought in."""
        return list(self.tape.copies([(2 * int(s), self.room + k) for k, s in enumerate(self.kept)], 2, 1))

    def back(self) -> list[Piece]:
        """Nothing."""
        return []


@dataclass(eq=False)
class FoundOnTheWay(FoundNode):
    """Found by the program that goes back as well."""

    def settle(self) -> None:
        """Nothing comes in, and nothing is reversed."""

    def ahead(self, first: bool) -> list[Piece]:
        """As it runs."""
        return self.body.plain(first)


@dataclass(eq=False)
class DerivedNode(Node):
    """Blocks that run just before they are reversed: who runs forwards finds the same numbers without them.

    What they store to counts as stored when they are passed, so that others have it kept from them.
    """

    inner: Level

    def __post_init__(self) -> None:
        self.reads, self.stores, self.replaces = self.inner.reads, self.inner.stores, self.inner.replaces

    @property
    def active(self) -> bool:
        """Whether a cotangent comes through."""
        return self.inner.active

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """As a level of its own, which keeps what its reverse needs."""
        self.before = version[self.stores]
        self.inner.forwards(varied)
        version[self.stores] += 1
        self.after = version[self.reads]

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """See `Node.backwards`."""
        self.inner.backwards(reached)

    def early(self) -> np.ndarray:
        """See `Node.early`."""
        return self.reads

    def needed(self, version: np.ndarray) -> set[tuple[int, int]]:
        """What it reads, where others store to that after it."""
        again = self.after != version[self.reads]
        return set(zip(self.reads[again].tolist(), self.after[again].tolist(), strict=True)) if self.active else set()

    def replaced(self) -> set[tuple[int, int]]:
        """All that it stores to."""
        return set(zip(self.stores.tolist(), self.before.tolist(), strict=True))

    def settle(self) -> None:
        """See `Node.settle`."""
        self.inner.settle()

    def ahead(self, first: bool) -> list[Piece]:
        """Not yet."""
        return []

    def back(self) -> list[Piece]:
        """From what was found."""
        return [*self.inner.ahead(first=False), *self.inner.back()]


class HeldBegin(Node):
    """From here on nothing varies but these slots, as far as the end."""

    again = False

    def __init__(self, by: np.ndarray) -> None:
        self.by = by

    @property
    def active(self) -> bool:
        """It runs nothing."""
        return False

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """What varied is remembered."""
        self.varied, own = varied.copy(), varied[self.by]
        varied[:] = False
        varied[self.by] = own

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """Nothing."""

    def ahead(self, first: bool) -> list[Piece]:
        """Nothing."""
        return []

    def back(self) -> list[Piece]:
        """Nothing."""
        return []


class HeldEnd(HeldBegin):
    """What was stored since varies as it was found to, what was not as it did before."""

    def __init__(self, begin: HeldBegin, between: Sequence[Node]) -> None:
        super().__init__(begin.by)
        self.begin, self.between = begin, between

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """See above."""
        old = self.begin.varied
        for node in self.between:
            old[node.replaces] = False
        varied |= old


def held(by: np.ndarray, nodes: Sequence[Node]) -> list[Node]:
    """These nodes, differentiated by some slots alone."""
    begin = HeldBegin(by)
    return [begin, *nodes, HeldEnd(begin, nodes)]


def find_kept(level: Level, live: np.ndarray) -> list[FoundNode]:
    """Say of what was found what is read after it. live: (slots,) what is read after the level."""
    found: list[FoundNode] = []
    live = live.copy()
    for node in reversed(level.nodes):
        if isinstance(node, Choice):
            found += find_kept(node.body, live)
        if isinstance(node, FoundNode):
            node.keep(node.stores[live[node.stores]])
            found.append(node)
        if not isinstance(node, DerivedNode):
            live[node.replaces] = False
        live[node.reads] = True
    return found


def out_of_loops(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same where loops run as they are: what is found in a turn of them would have to be kept for each."""
    found: list[Block] = []
    for b in blocks:
        inner = {RepeatRuns: runnable, BranchRuns: out_of_loops}.get(type(b))
        found.append(b if inner is None else replace(b, body=inner(b.body)))  # type: ignore[union-attr, call-arg]
    return tuple(found)


def noting(plan: Plan, blocks: Sequence[Block], found: Sequence[FoundNode], start: int) -> tuple[Block, ...]:
    """Blocks that run, and copy what was found behind all memory, from a slot on: one after the other."""
    places = dict(zip([id(node.blocks) for node in found], np.cumsum([start, *[len(node.kept) for node in found]]).tolist(), strict=False))
    tape, kept = Tape(plan, 1), {id(node.blocks): node.kept for node in found}

    def noted(b: Block) -> tuple[Block, ...]:
        if isinstance(b, FoundRuns):
            rows = tape.copies([(places[id(b)] + k, int(s)) for k, s in enumerate(kept[id(b)])], 1, 1)
            return *runnable(b.body), *blocks_of(rows)
        if isinstance(b, BranchRuns):
            return (replace(b, body=tuple(x for inner in b.body for x in noted(inner))),)
        return runnable([b])

    return tuple(x for b in blocks for x in noted(b))
