"""A call of a routine in a program that is reversed: forwards as it is; backwards it runs again, notes what it changes, and is undone.

What it reads and stores to is copied away before, so that it can run again from there. Notes of all calls share one stack.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.program.activity import Piece, RunAgain
from redmax.program.blocks import Rows
from redmax.program.routines.footprint import Footprint
from redmax.program.routines.form import Form
from redmax.program.routines.names import Names, notes_of
from redmax.program.routines.reverse import reverse_form
from redmax.program.routines.routine import Looped
from redmax.program.routines.tangent import value_form
from redmax.program.routines.walk import Walker
from redmax.program.tape import Tape


@dataclass(frozen=True, eq=False)
class RoutineValues(Looped):
    """A routine over doubled memory, as it is."""

    base: Looped

    @property
    def name(self) -> str:
        """Of the routine."""
        return self.base.name

    def key(self, source: str) -> str:
        """Of the key of the routine."""
        return hashlib.sha256(f"values {self.base.key(source)}".encode()).hexdigest()

    @cached_property
    def form(self) -> Form:
        """Its statements, with twice the slots."""
        return value_form(self.base.form)

    def call(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """The routine itself, which sees every second slot."""
        self.base.call(memory[::2], row)


@dataclass(frozen=True, eq=False)
class RoutineReverse(Looped):
    """A routine run again and undone. Its rows are those of the routine, with four words more behind the first."""

    base: Looped

    @property
    def name(self) -> str:
        """Of what is reversed."""
        return f"reverse of {self.base.name}"

    def key(self, source: str) -> str:
        """Of the key of what is reversed."""
        return hashlib.sha256(f"reverse {self.base.key(source)}".encode()).hexdigest()

    def line_of_lookup(self, name: str) -> str:
        """Of what is reversed."""
        return self.base.line_of_lookup(name)

    @cached_property
    def form(self) -> Form:
        """Forwards with notes, then backwards."""
        return reverse_form(self.base.form)

    def call(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """Statement by statement."""
        Walker(memory, row).walk(self.form.statements)


class RoutineCall(RunAgain):
    """One row of a routine."""

    def __init__(self, tape: Tape, routine: Looped, row: np.ndarray) -> None:
        self.tape, self.routine, self.row = tape, routine, row
        names = Names(routine.form)
        found = Footprint(routine.form, row.tolist(), tape.size, tape.plan.bounds, lambda s: notes_of(names, s), tape.turns)
        self.reads, self.stores, self.replaces = (np.flatnonzero(x) for x in (found.live, found.stored, found.sure))
        self.carried, self.fixed = np.intersect1d(self.reads, self.stores), np.setdiff1d(self.reads, self.stores)
        self.notes, self.guessed = found.notes, found.guessed

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """All that it stores depends on all that it reads."""
        self.note(version)
        self.varies = self.reads[varied[self.reads]]
        varied[self.replaces] = False
        varied[self.stores] |= len(self.varies) > 0
        version[self.stores] += 1

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """What varies among its reads is reached, if a store is."""
        perhaps = np.setdiff1d(self.stores, self.replaces)
        self.active_now = bool(reached[self.stores].any() and len(self.varies)) or bool(reached[perhaps].any())
        used = np.union1d(self.stores, self.varies)
        self.fresh = used[~reached[used]]
        if self.active_now:
            reached[used] = True
        reached[np.setdiff1d(self.replaces, self.reads)] = False

    @property
    def active(self) -> bool:
        """Whether a cotangent comes through, or may end here."""
        return self.active_now

    def settle(self) -> None:
        """Room for what it changes of what it reads, and for its notes."""
        self.kept = self.tape.reserve(len(self.carried)) if self.active else 0
        self.tape.notes = max(self.tape.notes, self.notes if self.active else 0)

    def plain(self, first: bool) -> list[Piece]:
        """The routine as it is."""
        group = self.tape.made.setdefault(("values", self.routine), RoutineValues(self.routine))
        return [Rows(group, self.row[None])]

    def ahead(self, first: bool) -> list[Piece]:
        """And what it reads before."""
        copies = self.tape.copies([(self.kept + k, 2 * int(s)) for k, s in enumerate(self.carried)], 1, 2)
        return [*copies, *self.plain(first)]

    def back(self) -> list[Piece]:
        """From what it has read."""
        copies = self.tape.copies([(2 * int(s), self.kept + k) for k, s in enumerate(self.carried)], 2, 1)
        group = self.tape.made.setdefault(("reverse", self.routine), RoutineReverse(self.routine))
        room = [self.tape.stack, self.tape.stack + self.tape.notes, self.tape.most, self.tape.turns]
        return [*copies, *self.tape.clear(2 * self.fresh + 1), Rows(group, np.array([[self.row[0], *room, *self.row[1:]]]))]
