"""Runs of many worlds with contact: side by side where there are enough of them, else one after the other.

What is told of contacts, and goes on from run to run, is as of one world: rows one behind the other, in place of a row for each slot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name
from redmax.dynamics.contact.detect import FEATURES
from redmax.dynamics.contact.fields import HELD, PRESSED, SINCE, TABLE, TOLERANCE
from redmax.dynamics.contact.rows import T_KEY, TOLD
from redmax.dynamics.contact.slots.regroup import Regrouped
from redmax.dynamics.contact.slots.rows import NOBODY
from redmax.dynamics.contact.slots.stages import SlotSystem

if TYPE_CHECKING:
    from redmax.backends.llvm.executable import Executable

RUN = "A run of worlds side by side"
FEWEST = 4  # worlds that are worth it


class SideBySide(Runner):
    """alone: takes worlds one after the other; made: what makes the runner for many, when it is first needed."""

    def __init__(self, alone: Runner, made: Callable[[], Executable], system: SlotSystem) -> None:
        self.alone, self.made, self.system = alone, made, system
        self.inputs, self.outputs = alone.inputs, alone.outputs
        self.together: Executable | None = None
        met = system.met
        pairs = 1 + max((m.number for m in met), default=0)
        self.first, self.fixed = np.zeros(pairs, int), np.zeros(pairs, bool)
        for m in met:
            self.first[m.number], self.fixed[m.number] = m.first, m.fixed

    def many(self) -> Executable:
        """The runner of worlds side by side."""
        if self.together is None:
            self.together = self.made()
        return self.together

    def prepare(self, worlds: int) -> None:
        """Compile for so many worlds."""
        if worlds < FEWEST:
            self.alone.prepare(worlds)
        else:
            self.many().lowered(self.lanes(worlds))

    @cached_property
    def regrouped(self) -> Regrouped:
        """Worlds in the order of what they take."""
        return Regrouped(self.many().width)

    def lanes(self, worlds: int) -> int:
        """How many of so many worlds go side by side."""
        return min(1 << (worlds - 1).bit_length(), self.many().width)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        if worlds < FEWEST:
            return self.alone.run(inputs, outputs, worlds, count, stride)
        given, wanted = by_name(inputs, self.inputs, RUN), by_name(outputs, self.outputs, RUN)
        slots = {**given, TABLE: self.spread(given[HELD], given[TABLE], worlds)}
        slots.pop(PRESSED, None)  # here the solver tries what rests
        found = dict(wanted)
        found.pop(PRESSED, np.zeros(1))[...] = 0.0
        try:
            if self.regrouped.pays(worlds, count, len(wanted[TABLE]), stride):
                status = self.regrouped.run(self.side_by_side, slots, found, worlds, count, stride)
            else:
                status = self.side_by_side(slots, found, count, stride)
        finally:
            packed(wanted[TABLE])
        return status | self.once_more(given, wanted, count, stride)

    def once_more(self, given: dict[str, np.ndarray], wanted: dict[str, np.ndarray], count: int, stride: int) -> int:
        """Worlds in which Coulomb's law was not met in some step go through all of them alone, where more is tried (at_once.py)."""
        unmet = np.flatnonzero((wanted[SINCE][..., 0] > TOLERANCE).any(axis=0))
        if not unmet.size:
            return 0
        inputs = {n: np.ascontiguousarray(a[unmet]) if a.ndim == 2 else a for n, a in given.items()}
        outputs = {n: np.ascontiguousarray(a[:, unmet]) for n, a in wanted.items()}
        status = self.alone.run(inputs, outputs, len(unmet), count, stride)
        for name, values in outputs.items():
            wanted[name][:, unmet] = values
        return status

    def side_by_side(self, given: dict[str, np.ndarray], wanted: dict[str, np.ndarray], count: int, stride: int) -> int:
        """A run of worlds that stay where they are."""
        worlds = wanted[TABLE].shape[1]
        return self.many().run(given, wanted, worlds, count, stride, lanes=self.lanes(worlds))

    def spread(self, held: np.ndarray, table: np.ndarray, worlds: int) -> np.ndarray:
        """(worlds, capacity TOLD): rows of contacts as rows of slots."""
        rows = np.broadcast_to(table, (worlds, table.shape[-1])).reshape(worlds, -1, TOLD)
        result = np.zeros(rows.shape)
        result[..., T_KEY] = NOBODY
        world, k = np.nonzero(np.arange(rows.shape[1]) < np.broadcast_to(held, (worlds, held.shape[-1]))[:, :1])
        if world.size:
            keys = rows[world, k, T_KEY]
            number = (keys // FEATURES).astype(int)
            new = np.r_[True, (np.diff(world) != 0) | (np.diff(number) != 0)]
            among = np.arange(len(k)) - np.flatnonzero(new)[np.cumsum(new) - 1]  # of those of the same pair
            slot = self.first[number] + np.where(self.fixed[number], (keys % FEATURES).astype(int), among)
            result[world, slot] = rows[world, k]
        return result.reshape(worlds, -1)


def packed(table: np.ndarray) -> None:
    """(samples, worlds, capacity TOLD), in place: slots where nothing touched go behind the others."""
    rows = table.reshape(*table.shape[:2], -1, TOLD)
    empty = ~(rows[..., T_KEY] > 0.5 * NOBODY)
    order = np.argsort(empty, axis=2, kind="stable")
    rows[...] = np.take_along_axis(rows, order[..., None], axis=2)
