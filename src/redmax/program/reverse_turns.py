"""Loops and branches reversed: what a turn overwrites of what it reads is kept, turn by turn, so that it can be run again.

    forwards:    until the flag is set:  keep what the body reads and stores to; body
    backwards:   turn by turn, from the last:  bring it back; body; body reversed

(Griewank and Walther 2008, Sec. 12.2: a checkpoint for each turn.) Nothing else is kept of a turn, whatever it computes, and inner loops
keep theirs while one turn of the outer is reversed. A branch is a loop of at most one turn. Each world has its own turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from redmax.program.activity import NOTHING, Piece, RunAgain
from redmax.program.blocks import BranchRuns, RepeatRuns
from redmax.program.level import Level, blocks_of
from redmax.program.routines.turns import empty, longest, pop, push


@dataclass(eq=False)
class Turns(RunAgain):
    """Blocks that run as often as a flag or a count says.

    carried: what the body reads and stores to; fresh: cotangents that must be zero before the way back; lost: those that a turn ends
    """

    body: Level
    flag: int
    carried: np.ndarray = field(init=False)
    fresh: np.ndarray = field(init=False)
    lost: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.tape = self.body.tape
        self.carried = np.intersect1d(self.body.reads, self.body.stores)
        self.reads = np.union1d(self.body.reads, [self.flag] if self.flag >= 0 else NOTHING).astype(np.int64)
        self.stores = self.body.stores
        self.fixed = np.setdiff1d(self.body.reads, self.body.stores)  # what the turns read and leave as it is

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """Until a further turn changes nothing."""
        self.note(version)
        while True:
            after = varied.copy()
            self.body.forwards(after)
            if not (after & ~varied).any():
                break
            varied |= after
        version[self.stores] += 1

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """Until a further turn changes nothing."""
        begin = reached.copy()
        while True:
            before = reached.copy()
            self.body.backwards(before)
            if not (before & ~reached).any():
                break
            reached |= before
        self.fresh, self.lost = np.flatnonzero(reached & ~begin), np.flatnonzero(reached & ~before)

    @property
    def active(self) -> bool:
        """Whether cotangents come through, or end here."""
        return self.body.active or len(self.lost) > 0

    def again_and_back(self) -> list[Piece]:
        """One turn: forwards from what was kept, then backwards."""
        return [*self.body.ahead(first=False), *self.body.back(), *self.tape.clear(2 * self.lost + 1)]


class Loop(Turns):
    """A counted loop (flag is -1), or one until a flag of the world is set."""

    def settle(self) -> None:
        """Room for the turns."""
        self.body.settle()
        self.count, self.empty = self.tape.reserve(1), self.tape.reserve(1)
        self.stack = self.tape.reserve_stack(len(self.carried) * self.tape.turns)

    def kept(self) -> tuple[object, ...]:
        """What the routines of the stack are told."""
        return self.stack, self.count, len(self.carried), self.tape.turns, (2 * self.carried).tolist()

    def repeat(self, pieces: Sequence[Piece], flag: int) -> RepeatRuns:
        """The loop around these, until a flag of doubled memory is set."""
        return RepeatRuns(blocks_of(pieces), flag if self.flag >= 0 else -1)

    def plain(self, first: bool) -> list[Piece]:
        """The loop as it is."""
        return [self.repeat(self.body.plain(first), 2 * self.flag)]

    def ahead(self, first: bool) -> list[Piece]:
        """Each turn keeps what it begins with."""
        turn = [self.tape.call(push, *self.kept()), *self.body.plain(first)]
        return [*self.tape.clear(np.array([self.count])), self.repeat(turn, 2 * self.flag)]

    def back(self) -> list[Piece]:
        """As many turns as there were."""
        asked = [self.tape.call(empty, self.count, self.empty)] if self.flag >= 0 else []
        turn = [self.tape.call(pop, *self.kept()), *self.again_and_back(), *asked]
        noted = self.tape.call(longest, self.count, self.tape.most)
        return [*self.tape.clear(2 * self.fresh + 1), noted, *asked, self.repeat(turn, self.empty)]


class Choice(Turns):
    """A branch."""

    def settle(self) -> None:
        """Room for one turn, and for the flag."""
        self.body.settle()
        self.asked, self.place = self.tape.reserve(1), self.tape.reserve(len(self.carried))

    def plain(self, first: bool) -> list[Piece]:
        """The branch as it is."""
        return [BranchRuns(2 * self.flag, blocks_of(self.body.plain(first)))]

    def ahead(self, first: bool) -> list[Piece]:
        """The flag is kept, as the body may change it."""
        kept = self.tape.copies([(self.place + k, 2 * int(s)) for k, s in enumerate(self.carried)], 1, 2)
        asked = self.tape.copies([(self.asked, 2 * self.flag)], 1, 2)
        return [*asked, BranchRuns(self.asked, blocks_of([*kept, *self.body.plain(first)]))]

    def back(self) -> list[Piece]:
        """Where it was taken."""
        brought = self.tape.copies([(2 * int(s), self.place + k) for k, s in enumerate(self.carried)], 2, 1)
        turn = BranchRuns(self.asked, blocks_of([*brought, *self.again_and_back()]))
        return [*self.tape.clear(2 * self.fresh + 1), turn]
