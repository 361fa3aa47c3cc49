"""Which cotangents a reverse sweep meets, found before it runs: what depends on the inputs, and what the outputs depend on.

Forwards, a slot varies if it depends on an input that is asked for. Backwards, a slot is reached once a cotangent has come to it: those of
the outputs at first. A read gains where it varies and a store that depends on it is reached. Who comes first stores, others add, so that
nothing need be zeroed, and what nobody reaches costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.active_rows import ActiveRows
from redmax.program.blocks import Row, Rows, Run, WideRun
from redmax.program.dependence import Dependence, dependence_of
from redmax.program.group import Kernels
from redmax.program.kernel import Kernel
from redmax.program.plan import Plan
from redmax.program.program import Branch, Host, Load, Repeat, Save
from redmax.program.reverse_kernel import Pattern
from redmax.program.routines.routine import Looped
from redmax.program.routines.unroll import unrolled


@dataclass(eq=False)
class Call:
    """A row of a run, or a table of wide rows. starts: (rows, places) where the places of its kernel begin in memory.

    varies: (reads,) whether they depend on what is asked for; versions: (rows, reads) how often each slot had been stored to when it was
    read, and before: (rows, stores) when it was stored to; pattern: of its reverse; fresh: the cotangents that must be zero before it
    """

    of: Row | Rows
    kernel: Kernel
    dependence: Dependence
    starts: np.ndarray
    varies: np.ndarray = field(init=False)
    versions: np.ndarray = field(init=False)
    before: np.ndarray = field(init=False)
    pattern: Pattern | None = None
    fresh: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    @property
    def wide(self) -> bool:
        """Whether it is a table of rows."""
        return isinstance(self.of, Rows)

    @property
    def number(self) -> int:
        """Which kernel of its group it calls."""
        return self.of.sweep if isinstance(self.of, Row) else 0

    def forwards(self, varied: np.ndarray, version: np.ndarray) -> None:
        """Note what varies, and how often each slot has been stored to."""
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
        """Find the pattern of its reverse, and note what is reached by it. lasting: the slots that keep the one value they ever have."""
        d = self.dependence
        read, stored = d.slots_read(self.starts), d.slots_stored(self.starts)
        if not self.wide:
            active = lost(reached, stored[0], d.accumulates)
            gains = self.varies & (d.depends & active[:, None]).any(axis=0)
            once = np.array([(stored[0] == slot).sum() == 1 for slot in stored[0]], bool)
            there = np.flatnonzero(lasting[stored[0]] & once & ~d.accumulates)
            self.pattern = self.patterned(active, gains, ~reached[read[0]], (), there)
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
        chosen = [(*self.dependence.reads[i], bool(overwrites[i])) for i in np.flatnonzero(gains)]
        return Pattern(tuple(active.tolist()), tuple(chosen), tuple(cleared), tuple(int(k) for k in there))


def lost(reached: np.ndarray, stored: np.ndarray, accumulates: np.ndarray) -> np.ndarray:
    """(stores,) whether each store is reached, from the last to the first; what was overwritten is not reached any more."""
    active = np.zeros(len(stored), bool)
    for k in reversed(range(len(stored))):
        active[k] = reached[stored[k]]
        if not accumulates[k]:
            reached[stored[k]] = False
    return active


def calls_of(plan: Plan) -> list[Call]:
    """All that a straight plan calls, in order."""
    refuse(plan)
    known: dict[tuple[Kernels, int], Dependence] = {}
    found: list[Call] = []

    def note(of: Row | Rows, number: int, starts: np.ndarray) -> None:
        kernel = of.group.kernels[number]
        assert isinstance(kernel, Kernel)
        if (of.group, number) not in known:
            known[of.group, number] = dependence_of(kernel)
        found.append(Call(of, kernel, known[of.group, number], starts))

    for block in plan.blocks:
        if isinstance(block, Run):
            for row in block.rows:
                _, record, parent, gathered, upward = row.places
                behind = plan.workspace
                note(row, row.sweep, np.array([[0, record, parent, behind + gathered, behind + upward, 0]]))
        elif isinstance(block, WideRun):
            for table in block.tables:
                if isinstance(table.group, Looped):
                    for group in unrolled(table.group, table.places, plan.workspace + plan.accumulators):
                        note(Row(group, 0, (0, 0, 0, 0, 0)), 0, np.zeros((1, 6), int))
                else:
                    note(table, 0, np.pad(table.places, ((0, 0), (0, 1))))
    return found


def refuse(plan: Plan) -> None:
    """Raise where a stage has no reverse, and say which."""
    reasons: list[str] = []
    for stage in plan.program.stages_flat:
        if isinstance(stage, Host):
            reasons.append(f"the stage {stage.name!r} calls Python")
        elif isinstance(stage, Repeat | Branch | Save | Load):
            reasons.append(f"the stage {type(stage).__name__} is a loop, a branch or a sample on the way")
        elif isinstance(stage, ActiveRows):
            reasons.append(f"how many rows {stage.name!r} has is data")
    parting = [g.name for g in plan.groups if isinstance(g, Looped) and g.form.parting]
    reasons += [f"in the routine {name!r} worlds go different ways" for name in parting]
    if reasons:
        listed = "; ".join(dict.fromkeys(reasons))
        raise RedmaxError(f"Program {plan.program.name!r} has no cotangent yet: {listed}. Straight programs of traced kernels have one.")


def find_activity(calls: Sequence[Call], size: int, weighted: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run over the calls forwards and backwards; returns the versions of all slots in the end, and what is reached in the end.

    weighted: slots of outputs whose cotangents are given; wanted: slots of inputs whose cotangents are asked for; size: of memory
    """
    varied, version, reached = np.zeros(size, bool), np.zeros(size, int), np.zeros(size, bool)
    varied[wanted], reached[weighted] = True, True
    for call in calls:
        call.forwards(varied, version)
    lasting = version == 1
    for call in calls:  # what was read before it was stored to had a value before
        early = call.dependence.slots_read(call.starts)[call.versions == 0]
        lasting[early] = False
    for call in reversed(calls):
        call.backwards(reached, lasting)
    return version, reached
