"""Which slots of memory one call of a routine reads and stores to, found without running it: whole numbers are followed, real ones are not.

A place that memory decides is somewhere in the part of memory (a matrix, a record) that it is counted from. Loops of which memory decides
the number of turns are taken to have as many as there is room for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.program.routines.form import Assign, Expression, For, Form, If, Put, Statement, While, assigned


@dataclass(frozen=True)
class Somewhere:
    """A slot that memory decides, in the part of memory that this one lies in."""

    slot: int


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a, "abs": abs,
    "floordiv": lambda a, b: a // b, "min": np.minimum, "max": np.maximum, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
}  # fmt: skip


class Footprint:
    """Of one row. live: (slots,) read before they are stored to; stored: perhaps stored to; sure: in any case; notes: the most there are.

    guessed: whether memory decides how many turns a loop has
    bounds: where the parts of memory begin; cost: how many notes one visit of a statement takes; turns: of loops that memory decides
    """

    def __init__(
        self, form: Form, row: Sequence[int], size: int, bounds: np.ndarray, cost: Callable[[Statement], int] = lambda s: 0, turns: int = 1
    ) -> None:
        self.row, self.bounds, self.cost, self.turns = np.asarray(row), bounds, cost, turns
        self.live, self.stored, self.sure = (np.zeros(size, bool) for _ in range(3))
        self.names: dict[str, Any] = {}
        self.notes, self.certain, self.axes, self.guessed = 0, True, 0, False
        self.walk(form.statements)

    def walk(self, statements: Sequence[Statement]) -> None:
        """Statements in order."""
        for s in statements:
            self.notes += self.cost(s)
            if isinstance(s, Assign):
                self.names[s.name] = self.value(s.value)
            elif isinstance(s, Put):
                self.value(s.value)
                self.store(self.value(s.slot))
            elif isinstance(s, For):
                self.loop(s)
            elif isinstance(s, While):
                self.repeat(s)
            else:
                self.choose(s)

    def part(self, slot: int) -> slice:
        """The part of memory that a slot lies in."""
        n = int(np.searchsorted(self.bounds, slot, side="right"))
        ends = [0, *self.bounds.tolist(), len(self.live)]
        return slice(ends[n], ends[n + 1])

    def place(self, slot: Any) -> Any:
        """The slots that may be meant."""
        return self.part(slot.slot) if isinstance(slot, Somewhere) else slice(None) if slot is None else slot

    def load(self, slot: Any) -> None:
        """A slot is read."""
        at = self.place(slot)
        self.live[at] |= ~self.sure[at]

    def store(self, slot: Any) -> None:
        """A slot is stored to."""
        at = self.place(slot)
        self.stored[at] = True
        if self.certain and slot is not None and not isinstance(slot, Somewhere):
            self.sure[at] = True

    def value(self, e: Expression) -> Any:
        """A whole number or flag, several of them, Somewhere, or None where memory decides; what is read on the way is noted."""
        if e.op == "number":
            return e.args[0] if e.kind != "real" else None
        if e.op == "name":
            return self.names.get(e.args[0])
        if e.op in ("load", "agreed"):
            return self.load(self.value(e.args[0]))
        if e.op == "sum":
            return self.total(*e.args)
        args = [self.value(a) for a in e.args]
        if e.op == "word":
            return None if unknown(args[0]) else self.row[args[0] - 1]
        if e.op == "select" and not any(unknown(a) for a in args):
            return np.where(*args)
        if e.op not in OPERATIONS:
            return None
        return OPERATIONS[e.op](*args) if not any(unknown(a) for a in args) else around(e.op, args)

    def total(self, name: str, count: Expression, term: Expression) -> None:
        """A sum, all terms at once."""
        many = self.value(count)
        self.names[name] = None if unknown(many) else self.counted(np.arange(np.max(many)))
        self.value(term)
        self.axes -= not unknown(many)

    def counted(self, turns: np.ndarray) -> np.ndarray:
        """Numbers of turns that are looked at all at once, along an axis of their own."""
        self.axes += 1
        return turns.reshape(-1, *[1] * (self.axes - 1))

    def loop(self, s: For) -> None:
        """Turn by turn; all at once where no turn reads what another writes, and once where memory decides how many there are."""
        start, stop = self.value(s.start), self.value(s.stop)
        if unknown(start) or unknown(stop):
            self.perhaps(s.body, [*assigned(s.body), s.name])
        elif s.apart and self.axes == 0:
            before, turns = self.notes, np.arange(start, stop, s.step)
            self.names[s.name] = self.counted(turns)
            self.walk(s.body)
            self.axes -= 1
            self.notes = before + (self.notes - before) * len(turns)
        else:
            for turn in range(int(start), int(stop), s.step):
                self.names[s.name] = turn
                self.walk(s.body)

    def repeat(self, s: While) -> None:
        """As long as the condition is known to hold."""
        while not unknown(condition := self.value(s.condition)):
            if not condition:
                return
            self.walk(s.body)
        self.perhaps(s.body, list(assigned(s.body)))
        self.value(s.condition)

    def perhaps(self, body: Sequence[Statement], changed: Sequence[str]) -> None:
        """A body of which nobody knows how often it runs."""
        certain, before = self.certain, self.notes
        self.certain, self.guessed = False, True
        self.names |= dict.fromkeys(changed)
        self.walk(body)
        self.names |= dict.fromkeys(changed)
        self.certain, self.notes = certain, before + (self.notes - before) * self.turns

    def choose(self, s: If) -> None:
        """One body, or perhaps either."""
        condition = self.value(s.condition)
        if not unknown(condition):
            return self.walk(s.body if condition else s.otherwise)
        certain, names, notes = self.certain, dict(self.names), []
        begin = self.notes
        for body in (s.body, s.otherwise):
            self.certain, self.names, self.notes = False, dict(names), begin
            self.walk(body)
            notes.append(self.notes)
        self.certain, self.notes = certain, max(notes)
        self.names = names | dict.fromkeys(assigned(s.body) | assigned(s.otherwise))
        return None


def unknown(value: Any) -> bool:
    """Whether memory decides."""
    return value is None or isinstance(value, Somewhere)


def around(op: str, args: Sequence[Any]) -> Any:
    """Of numbers of which some are unknown: a place counted from a known one lies somewhere near it."""
    if op not in ("add", "sub", "mul"):
        return None
    first, second = args
    if op == "mul":
        known, other = (first, second) if isinstance(second, Somewhere) else (second, first)
        return Somewhere(int(np.max(known)) * other.slot) if isinstance(other, Somewhere) and not unknown(known) else None
    if isinstance(first, Somewhere):
        return first
    return None if first is None else Somewhere(int(np.max(first)))
