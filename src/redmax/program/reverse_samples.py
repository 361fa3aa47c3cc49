"""Samples and inputs that come turn by turn, in a program that is reversed: both become rows of memory.

A sample is a row of values on the way out, and on the way back a row of cotangents that is added to those of the outputs. A row of inputs
is kept, so that a turn can be run again, and on the way back the cotangents that have come to the inputs are its row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.program.activity import NOTHING, Node, Piece
from redmax.program.blocks import FedRun
from redmax.program.routines.turns import add_row, clear_rows, longest, look, move_row, push
from redmax.program.tape import Tape


class Series:
    """As many rows of some slots, by their parts, as there may be turns. count: the slot of how many there are."""

    def __init__(self, tape: Tape, parts: Sequence[np.ndarray], count: int) -> None:
        self.tape, self.count = tape, count
        self.slots = np.concatenate([NOTHING, *parts])
        self.first = np.cumsum([0, *map(len, parts)]).tolist()
        self.start = tape.reserve(len(self.slots) * tape.turns)

    def part(self, n: int) -> np.ndarray:
        """Where one part lies, row after row."""
        turns, columns = np.arange(self.tape.turns), np.arange(self.first[n], self.first[n + 1])
        return (self.start + len(self.slots) * turns[:, None] + columns).ravel()

    def told(self, cotangents: bool) -> tuple[object, ...]:
        """What the routines of rows are told."""
        return self.start, self.count, len(self.slots), self.tape.turns, (2 * self.slots + cotangents).tolist()

    def clear(self) -> Piece:
        """Zeros in all rows."""
        return self.tape.call(clear_rows, self.start, len(self.slots) * self.tape.turns)


class Samples:
    """All samples of a program. weighted: the numbers of the outputs whose cotangents are given."""

    def __init__(self, tape: Tape, weighted: Sequence[int]) -> None:
        self.tape, self.count = tape, tape.reserve(1)
        self.values = Series(tape, tape.plan.outputs, self.count)
        self.weights = Series(tape, [tape.plan.outputs[n] for n in weighted], self.count)

    def begin(self) -> list[Piece]:
        """No sample yet."""
        return [*self.tape.clear(np.array([self.count])), self.values.clear()]

    def noted(self) -> Piece:
        """Once all are taken: how many turns they ask for."""
        return self.tape.call(longest, self.count, self.tape.most)


class Sample(Node):
    """Where a sample is taken; each visit is one."""

    def __init__(self, samples: Samples) -> None:
        self.tape, self.values, self.weights = samples.tape, samples.values, samples.weights
        self.reads = np.unique(self.values.slots)

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """Nothing changes."""

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """The outputs are reached."""
        slots = self.weights.slots
        self.fresh = np.unique(slots[~reached[slots]])
        reached[slots] = True

    @property
    def active(self) -> bool:
        """Always, as samples are counted."""
        return True

    def early(self) -> np.ndarray:
        """See `Node.early`."""
        return self.reads

    def ahead(self, first: bool) -> list[Piece]:
        """A row of values."""
        return [self.tape.call(push, *self.values.told(False))] if first else []

    def back(self) -> list[Piece]:
        """The last row of cotangents."""
        return [*self.tape.clear(2 * self.fresh + 1), self.tape.call(add_row, *self.weights.told(True))]


class Feed(Node):
    """Where the rows of a turn are read. wanted: the numbers of those inputs whose cotangents are asked for."""

    def __init__(self, tape: Tape, inputs: tuple[int, ...], wanted: Sequence[int]) -> None:
        self.tape, self.inputs, self.count = tape, inputs, tape.reserve(1)
        self.wanted = [n for n in inputs if n in wanted]
        self.values = Series(tape, [tape.plan.inputs[n] for n in inputs], self.count)
        self.found = Series(tape, [tape.plan.inputs[n] for n in self.wanted], self.count)
        self.stores = self.replaces = np.unique(self.values.slots)

    def begin(self) -> list[Piece]:
        """No row yet."""
        return [*self.tape.clear(np.array([self.count])), self.found.clear()]

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """What is wanted varies."""
        self.before = version[self.stores]
        varied[self.stores] = False
        varied[self.found.slots] = True
        version[self.stores] += 1

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """What comes to the inputs leaves here."""
        self.fresh = np.unique(self.found.slots[~reached[self.found.slots]])
        reached[self.stores] = False

    @property
    def active(self) -> bool:
        """Always, as rows are counted."""
        return True

    def replaced(self) -> set[tuple[int, int]]:
        """See `Node.replaced`."""
        return set(zip(self.stores.tolist(), self.before.tolist(), strict=True))

    def ahead(self, first: bool) -> list[Piece]:
        """The next row, which is kept; or once more the one that was kept last."""
        kept = self.values.told(False)
        return [FedRun(self.inputs), self.tape.call(push, *kept)] if first else [self.tape.call(look, *kept)]

    def back(self) -> list[Piece]:
        """The cotangents are a row."""
        return [*self.tape.clear(2 * self.fresh + 1), self.tape.call(move_row, *self.found.told(True))]
