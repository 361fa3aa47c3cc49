"""Which cotangents a reverse sweep meets, found before it runs: what depends on the inputs, and what the outputs depend on.

Forwards, a slot varies if it depends on an input that is asked for. Backwards, a slot is reached once a cotangent has come to it: those of
the outputs at first. A read gains where it varies and a store that depends on it is reached. Who comes first stores, others add, so that
nothing need be zeroed, and what nobody reaches costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.blocks import Block, Row, Rows
from redmax.program.dependence import Dependence
from redmax.program.group import Kernels
from redmax.program.kernel import Kernel
from redmax.program.reverse_kernel import Pattern

if TYPE_CHECKING:
    from redmax.program.tape import Tape

Piece: TypeAlias = "Row | Rows | Block"  # of a plan: rows beside each other become runs
NOTHING = np.zeros(0, np.int64)


class Node(ABC):
    """What runs as one: a row, a table of rows, a routine, a loop, a branch, a sample.

    reads: slots whose values from before it may read; stores: slots that it may store to; replaces: those that it stores to in any case
    again: whether its reverse runs it forwards once more, and so leaves other values where it stores
    """

    reads: np.ndarray = NOTHING
    stores: np.ndarray = NOTHING
    replaces: np.ndarray = NOTHING
    again: bool = True

    @abstractmethod
    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """Note what varies, and how often each slot has been stored to."""

    @abstractmethod
    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """Find what its reverse does, and note what is reached by it. lasting: the slots that keep the one value they ever have."""

    @property
    @abstractmethod
    def active(self) -> bool:
        """Whether its reverse does anything."""

    def early(self) -> np.ndarray:
        """The slots that it reads before anything was stored to them."""
        return NOTHING

    def needed(self, version: np.ndarray) -> set[tuple[int, int]]:
        """(slot, version) of old values that its reverse reads, where the slot was stored to again. version: of all slots in the end."""
        return set()

    def replaced(self) -> set[tuple[int, int]]:
        """(slot, version) of the values that are lost when it stores."""
        return set()

    def settle(self) -> None:  # noqa: B027  most need nothing
        """The analysis is done: reserve what is needed."""

    @abstractmethod
    def ahead(self, first: bool) -> Sequence[Piece]:
        """Forwards, so that its reverse may follow. first: the run is on its way out, so that samples are taken."""

    def plain(self, first: bool) -> Sequence[Piece]:
        """Forwards alone."""
        return self.ahead(first)

    @abstractmethod
    def back(self) -> Sequence[Piece]:
        """Backwards."""


class RunAgain(Node):
    """What its reverse runs forwards once more, from what it began with.

    fixed: what it reads and leaves as it is, with versions: how often each of these had been stored to when it began, and before: each of
    the slots that it stores to
    """

    fixed: np.ndarray
    versions: np.ndarray
    before: np.ndarray

    def note(self, version: np.ndarray) -> None:
        """The versions that it begins with."""
        self.versions, self.before = version[self.fixed], version[self.stores]

    def early(self) -> np.ndarray:
        """See `Node.early`."""
        return self.reads

    def needed(self, version: np.ndarray) -> set[tuple[int, int]]:
        """What it reads, and others store to afterwards."""
        again = self.versions != version[self.fixed]
        return set(zip(self.fixed[again].tolist(), self.versions[again].tolist(), strict=True)) if self.active else set()

    def replaced(self) -> set[tuple[int, int]]:
        """All that it may store to."""
        return set(zip(self.stores.tolist(), self.before.tolist(), strict=True))


@dataclass(eq=False)
class Call(Node):
    """A row of a run, or a table of wide rows. starts: (rows, places) where the places of its kernel begin in memory.

    varies: (reads,) whether they depend on what is asked for; versions: (rows, reads) how often each slot had been stored to when it was
    read, and before: (rows, stores) when it was stored to; pattern: of its reverse; fresh: the cotangents that must be zero before it
    """

    tape: Tape
    of: Row | Rows
    kernel: Kernel
    dependence: Dependence
    starts: np.ndarray
    varies: np.ndarray = field(init=False)
    versions: np.ndarray = field(init=False)
    before: np.ndarray = field(init=False)
    pattern: Pattern | None = None
    fresh: np.ndarray = field(default_factory=lambda: NOTHING)
    again = False

    def __post_init__(self) -> None:
        d = self.dependence
        stored = d.slots_stored(self.starts)
        self.reads = np.union1d(d.slots_read(self.starts), stored[:, d.accumulates])
        self.stores, self.replaces = np.unique(stored), np.unique(stored[:, ~d.accumulates])

    @property
    def wide(self) -> bool:
        """Whether it is a table of rows."""
        return isinstance(self.of, Rows)

    @property
    def number(self) -> int:
        """Which kernel of its group it calls."""
        return self.of.sweep if isinstance(self.of, Row) else 0

    @property
    def active(self) -> bool:
        """Whether a cotangent comes through."""
        return self.pattern is not None

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """See `Node.forwards`."""
        d = self.dependence
        read, stored = d.slots_read(self.starts), d.slots_stored(self.starts)
        self.varies = np.zeros(read.shape[1], bool)
        self.versions, self.before = np.empty_like(read), np.empty_like(stored)
        for n in range(len(self.starts)):
            self.versions[n], self.before[n] = version[read[n]], version[stored[n]]
            moves = varied[read[n]]
            self.varies |= moves
            varied[stored[n][~d.accumulates]] = False
            np.logical_or.at(varied, stored[n], (d.depends & moves).any(axis=1))
            version[stored[n]] += 1

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """See `Node.backwards`."""
        d = self.dependence
        self.pattern, self.fresh = None, NOTHING
        read, stored = d.slots_read(self.starts), d.slots_stored(self.starts)
        if not self.wide:
            active = lost(reached, stored[0], d.accumulates)
            gains = self.varies & (d.depends & active[:, None]).any(axis=0)
            once = np.array([(stored[0] == slot).sum() == 1 for slot in stored[0]], bool)
            there = np.flatnonzero(lasting[stored[0]] & once & ~d.accumulates)
            fresh = ~reached[read[0]]
            self.pattern = self.patterned(active, gains, fresh & ~d.chosen, (), there)
            self.fresh = np.unique(read[0][gains & fresh & d.chosen])  # nobody knows which of them is met first
            reached[read[0][gains]] = True
            return
        begin, active, gains = reached.copy(), np.zeros(stored.shape[1], bool), np.zeros(read.shape[1], bool)
        for n in reversed(range(len(self.starts))):
            active |= lost(reached, stored[n], d.accumulates)
            gains |= self.varies & (d.depends & active[:, None]).any(axis=0)
            reached[read[n][gains]] = True
        if not gains.any():
            return
        overwritten = {tuple(place) for place in d.stored[active & ~d.accumulates].tolist()}
        again = np.array([tuple(place) in overwritten for place in d.read.tolist()], bool)
        gone = overwritten - {tuple(place) for place in d.read[gains].tolist()}
        self.pattern = self.patterned(active, gains, again, sorted((d.places[p], i) for p, i in gone))
        used = np.unique(np.concatenate([stored[:, active].ravel(), read[:, gains].ravel()]))
        self.fresh = used[~begin[used]]
        reached[used] = True

    def patterned(self, active: np.ndarray, gains: np.ndarray, overwrites: np.ndarray, cleared: Any, there: Any = ()) -> Pattern | None:
        """The pattern of its reverse; None where nothing comes through."""
        if not gains.any():
            return None
        gaining = [(*self.dependence.reads[i], bool(overwrites[i])) for i in np.flatnonzero(gains)]
        number = self.dependence.number
        stores = np.zeros(len(self.kernel.stores), bool)
        np.logical_or.at(stores, number, active)
        return Pattern(tuple(stores.tolist()), tuple(gaining), tuple(cleared), tuple(number[np.asarray(there, int)].tolist()))

    def early(self) -> np.ndarray:
        """See `Node.early`."""
        return self.dependence.slots_read(self.starts)[self.versions == 0]

    def needed(self, version: np.ndarray) -> set[tuple[int, int]]:
        """See `Node.needed`."""
        slots = self.dependence.slots_read(self.starts)
        again = self.versions != version[slots]
        if self.pattern is None or not again.any():
            return set()
        kernel = self.tape.reverse_of(self).kernels[0]
        assert isinstance(kernel, Kernel)
        reads = kernel.reads(self.dependence.places)
        again &= np.array([(base, 2 * i) in reads for base, i in self.dependence.reads], bool)
        return set(zip(slots[again].tolist(), self.versions[again].tolist(), strict=True))

    def replaced(self) -> set[tuple[int, int]]:
        """See `Node.replaced`."""
        stored = self.dependence.slots_stored(self.starts)
        return set(zip(stored.ravel().tolist(), self.before.ravel().tolist(), strict=True))

    def check(self, kept: set[tuple[int, int]]) -> None:
        """Raise where an old value is to be kept that one row of a table replaces after another has: it cannot be copied before both."""
        first: dict[int, int] = {}
        for s, v in sorted(self.replaced()):
            first.setdefault(s, v)
        if self.wide and kept - set(first.items()):
            raise RedmaxError(
                f"{self.kernel.name!r} of {self.tape.plan.program.name!r} has no cotangent: its rows change what others read."
            )

    def ahead(self, first: bool) -> Sequence[Piece]:
        """The kernel as it is, over doubled slots."""
        return [self.doubled(self.tape.value_of(self), self.number)]

    def back(self) -> Sequence[Piece]:
        """Its vjp; tables from the last row to the first."""
        cleared = self.tape.clear(2 * self.fresh + 1)
        return [*cleared, self.doubled(self.tape.reverse_of(self), 0, backwards=True)] if self.active else cleared

    def doubled(self, group: Kernels, number: int, backwards: bool = False) -> Row | Rows:
        """The same places over doubled slots."""
        if isinstance(self.of, Row):
            k, *rest = self.of.places
            return Row(group, number, (k, *[2 * x for x in rest]))  # type: ignore[arg-type]
        places = self.of.places
        steps = [1 if unit == "constants" else 2 for unit in group.units(places.shape[1])]
        return Rows(group, (places[::-1] if backwards else places) * np.array(steps))


def lost(reached: np.ndarray, stored: np.ndarray, accumulates: np.ndarray) -> np.ndarray:
    """(stores,) whether each store is reached, from the last to the first; what was overwritten is not reached any more."""
    active = np.zeros(len(stored), bool)
    for k in reversed(range(len(stored))):
        active[k] = reached[stored[k]]
        if not accumulates[k]:
            reached[stored[k]] = False
    return active
