"""The memory of a plan with its reverse: doubled slots, behind them what is kept for the way back; and the kernels that both ways share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from redmax.program.blocks import Row, Rows
from redmax.program.group import Kernels
from redmax.program.plan import Plan
from redmax.program.reverse_kernel import CopyKernels, ReverseKernels, ValueKernels
from redmax.program.routines.routine import Routine
from redmax.program.routines.turns import add_each, clear_each, move_each

if TYPE_CHECKING:
    from redmax.program.activity import Call

LONGEST = 32  # scalars that one copy moves
MANY, SHORT = 6, 3  # copies of so few scalars each, on average, become one loop


@dataclass(eq=False)
class Tape:
    """Slot i of the plan is slot 2i, its cotangent slot 2i + 1. turns: of a loop, that have room; flags: slots behind the plan's.

    held: slots of the plan that are taken as if they depended on nothing
    """

    plan: Plan
    turns: int
    flags: int = 0
    held: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    made: dict[object, Kernels] = field(default_factory=dict)  # what was derived from which kernels, so that rows share it

    def __post_init__(self) -> None:
        self.size = self.plan.workspace + self.plan.accumulators + 1 + self.flags
        self.end = 2 * self.size
        self.bounds = (2 * self.plan.bounds).tolist()
        self.most = self.reserve(1)  # the slot that says how many turns the longest loop took
        self.loose: list[tuple[int, int]] = []  # stacks
        self.notes = self.stack = 0  # how many numbers routines note at most, and where

    def reserve(self, size: int) -> int:
        """Where this many scalars begin, behind all there are."""
        self.bounds.append(self.end)
        self.end += size
        return self.end - size

    def close(self) -> None:
        """All is reserved. Notes of routines come last: where there are too many, they reach nothing else."""
        self.stack = self.reserve_stack(self.notes + 1)

    def reserve_stack(self, size: int) -> int:
        """The same, for what nobody reads above its top."""
        start = self.reserve(size)
        self.loose.append((start, start + size))
        return start

    def reverse_of(self, call: Call) -> Kernels:
        """The kernels of its reverse, one for all calls of the same kind and pattern."""
        assert call.pattern
        key = (call.of.group, call.number, call.pattern)
        return self.made.setdefault(key, ReverseKernels(call.of.group, call.number, call.pattern))

    def value_of(self, call: Call) -> Kernels:
        """The kernels of its group over doubled slots."""
        return self.made.setdefault(call.of.group, ValueKernels(call.of.group))

    def copies(self, pairs: Sequence[tuple[int, int]], to: int, step: int, adds: bool = False) -> list[Row | Rows]:
        """Copies of (to, from), as many in one as lie equally far apart; with no step, zero. adds: to what is there.

        to, step: how far apart most of them lie
        """
        pieces: list[tuple[int, int, int, int]] = []
        first = 0
        while first < len(pairs):
            count, far, wide = regular(pairs[first : first + LONGEST], step > 0)
            if count < SHORT and (far, wide) != (to, step):
                count, far, wide = 1, to, step
            pieces.append((first, count, far, wide))
            first += count
        if len(pieces) >= MANY and len(pairs) < SHORT * len(pieces):
            return [self.each(pairs, step > 0, adds)]
        return [self.copy_of(k, far, wide, adds, *pairs[first]) for first, k, far, wide in pieces]

    def copy_of(self, count: int, to: int, step: int, adds: bool, place: int, source: int) -> Row:
        """One kernel."""
        group = self.made.setdefault((count, to, step, adds), CopyKernels(count, to, step, adds))
        return Row(group, 0, (0, place, source, 0, 0))

    def each(self, pairs: Sequence[tuple[int, int]], moves: bool, adds: bool) -> Rows:
        """One by one, where they lie apart: a loop, not a call for each."""
        to, source = [place for place, _ in pairs], [place for _, place in pairs]
        if not moves:
            return self.call(clear_each, len(to), to)
        return self.call(add_each if adds else move_each, len(to), to, source)

    def clear(self, slots: np.ndarray, apart: int = 2) -> list[Row | Rows]:
        """Rows that store zero; apart: the distance of most of them."""
        return self.copies([(int(s), 0) for s in slots], apart, 0)

    @staticmethod
    def call(routine: Routine, *args: object) -> Rows:
        """A call of a routine over this memory."""
        return Rows(routine, np.array([routine.row(*args)], np.int64))


def regular(pairs: Sequence[tuple[int, int]], moves: bool) -> tuple[int, int, int]:
    """How many of the first of these lie equally far apart, and how far: where they go to, and, if they are moved, where they come from."""
    if len(pairs) < 2:
        return 1, 0, 0
    far, wide = pairs[1][0] - pairs[0][0], (pairs[1][1] - pairs[0][1]) * moves
    if far <= 0 or (moves and wide <= 0):
        return 1, 0, 0
    for k, (to, source) in enumerate(pairs):
        if to != pairs[0][0] + far * k or (moves and source != pairs[0][1] + wide * k):
            return k, far, wide
    return len(pairs), far, wide
