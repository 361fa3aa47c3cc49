"""Contact with fixed ground as stages of a step of many worlds side by side.

place bodies and shapes | find points | make rows | solve, where there are some | qddot += x / h | remember impulses
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.contact.pairs.table import PAIRS
from redmax.contact.shape import ContactShape
from redmax.dynamics.contact.detect import FINDERS, RAW
from redmax.dynamics.contact.fields import COUNTS, HELD, LIMITS, TABLE
from redmax.dynamics.contact.gather import apply_changes
from redmax.dynamics.contact.lost import by_themselves
from redmax.dynamics.contact.pair_laws import detected_pairs, kept_laws, laws_of_pairs
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.slots.begin import begin_rates
from redmax.dynamics.contact.slots.detect import SLOT_FINDERS, clear_slots, give_slot_laws, hold_found
from redmax.dynamics.contact.slots.remember import keep_lost_of_slots, remember_slots
from redmax.dynamics.contact.slots.rows import make_slots
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.contact.terms import contact_terms
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.contact.slack import DEPTH
from redmax.solvers.contact.slots.columns import COLUMNS
from redmax.solvers.contact.slots.newton import solve_slots


@dataclass(frozen=True, eq=False)
class Meeting:
    """A pair of shapes, one of a body (row `body`, joint `joint`): its number among all, and its slots."""

    number: int
    first: int
    points: int
    a: ContactShape
    b: ContactShape

    @property
    def kind(self) -> tuple[str, str]:
        return self.a.kind, self.b.kind

    @property
    def fixed(self) -> bool:
        """Whether each of its features has a slot of its own."""
        return self.kind in SLOT_FINDERS

    @property
    def toward(self) -> int:
        """1 where the second shape is the body's."""
        return 1 if self.b.body >= 0 else -1

    @property
    def joint(self) -> int:
        return self.b.body if self.b.body >= 0 else self.a.body


@dataclass(frozen=True, eq=False)
class SlotSystem(ContactSystem):
    """Contact of a model whose bodies touch nothing but what is fixed, and that has no constraints (`goes_in_slots`)."""

    @cached_property
    def met(self) -> tuple[Meeting, ...]:
        """Kind by kind, as they are numbered in one world."""
        found: list[Meeting] = []
        first = 0
        for number, (a, b) in enumerate(detected_pairs(self.model)):
            meeting = Meeting(number, first, PAIRS[a.kind, b.kind][1], a, b)
            if self.movable[self.row[meeting.joint]]:
                found.append(meeting)
                first += meeting.points
        return tuple(found)

    @cached_property
    def slots(self) -> list[Meeting]:
        """The pair of each slot."""
        return [m for m in self.met for _ in range(m.points)]

    @cached_property
    def body(self) -> list[int]:
        """The body of each slot."""
        return [self.row[m.joint] for m in self.slots]

    @cached_property
    def at(self) -> list[int]:
        """The row of the solver that each slot has: body by body."""
        order = np.argsort(self.body, kind="stable")
        return np.argsort(order).tolist()

    @cached_property
    def data(self) -> dict[str, Data]:
        """The vectors and matrices of the solver."""
        n, nv, T, m = self.n, max(self.first[-1], 1), max(len(self.trees), 1), len(self.slots)
        widest = max((self.dof(j) for j in self.order), default=1) or 1
        sizes = {
            "slots": (m, COLUMNS), "raw": (m, RAW), "held": (m, None), "found": (8, 8), "counters": (6 * len(self.met), None),
            "touched": (T, None), "x": (nv, None), "V": (n + 1, 6), "I": (n, 36), "w": (n, 6), "G": (nv, 6), "L": (nv, widest),
            "p": (nv, None), "G0": (nv, 6), "L0": (nv, widest), "p0": (nv, None), "z": (nv, None), "y": (nv, None), "W": (n + 1, 6),
            "v": (6, None), "changes": (nv, None), "X": (3, m), "Y": (DEPTH, m), "Z": (DEPTH, m), "K": (DEPTH, DEPTH),
            "A": (DEPTH, DEPTH), "gamma": (DEPTH, None), "lost": (n, None), "change": (6, None),
        }  # fmt: skip
        return {name: Data(f"{name} of contact side by side", max(rows, 1), columns) for name, (rows, columns) in sizes.items()}

    def begin(self) -> tuple[ProgramStage, ...]:
        """Once in a program."""
        return (self.limits(),)

    def stages(self) -> tuple[ProgramStage, ...]:
        """From accelerations without contact to those with it."""
        ends = *self.lost(), self.remembered()
        return contact_terms(self.implicit), *self.found(), self.made(), self.begun(), self.solved(), self.applied(), *ends

    def place(self, at: Addresses, shape: ContactShape) -> int:
        """Where a shape is kept."""
        return at.kept(*self.model.contact_place(shape))

    def found(self) -> list[ProgramStage]:
        """Points where pairs meet, kind by kind."""
        held = self.data["held"]
        result: list[ProgramStage] = [Call(clear_slots, lambda at: [(held, len(self.slots))], (held,))]
        for kind in FINDERS:
            met = [m for m in self.met if m.kind == kind]
            if met:
                result += [self.found_in_slots(met)] if met[0].fixed else self.found_by_pairs(met)
        return [*result, *self.lawful()]

    def lawful(self) -> list[Call]:
        """Numbers of pairs that have their own."""
        if not self.model.lawful_pairs:
            return []
        raw, held, laws = self.data["raw"], self.data["held"], laws_of_pairs(self.model)
        law = [laws[m.number] for m in self.slots]
        return [Call(give_slot_laws, lambda at: [(raw, held, kept_laws(self.model, at), law, len(law))], (raw, held))]

    def found_in_slots(self, met: Sequence[Meeting]) -> Call:
        """All pairs of a kind at once."""
        raw, held = self.data["raw"], self.data["held"]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            a, b = [self.place(at, m.a) for m in met], [self.place(at, m.b) for m in met]
            return [(a, b, [m.number for m in met], [m.first for m in met], len(met), raw, held)]

        return Call(SLOT_FINDERS[met[0].kind], rows, (raw, held))

    def found_by_pairs(self, met: Sequence[Meeting]) -> list[Call]:
        """Pair by pair, each in its own rows."""
        raw, held, found, counters = (self.data[name] for name in ("raw", "held", "found", "counters"))
        counter = lambda at, m: at[counters] + 6 * self.met.index(m)  # noqa: E731

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            return [
                (
                    [self.place(at, m.a)], [self.place(at, m.b)], [m.number], 1, found, (at[raw] + raw.leading * m.first, raw.leading),
                    counter(at, m), m.points,
                )
                for m in met
            ]  # fmt: skip

        finds = Call(FINDERS[met[0].kind], rows, (raw, found, counters))
        holds = Call(hold_found, lambda at: [(counter(at, m), held, m.first, m.points) for m in met], (held, counters))
        return [finds, holds]

    def made(self) -> Call:
        raw, held, rows_, touched = (self.data[name] for name in ("raw", "held", "slots", "touched"))

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            given = raw, held, at.world(COUNTS), at.world(LIMITS), at.world("h"), rows_, (at.world(TABLE), TOLD), at.world(HELD), touched
            places = [[at.field(m.joint, name) for m in self.slots] for name in ("touch_o", "touch_V0", "touch_V")]
            own = [(m.first + k, m.first + k + 1) if m.fixed else (m.first, m.first + m.points) for m in self.met for k in range(m.points)]
            tree = [self.tree[self.row[m.joint]] for m in self.slots]
            pairs = [m.first for m in self.slots], [m.first + m.points for m in self.slots]
            tables = self.at, [m.toward for m in self.slots], [a for a, _ in own], [b for _, b in own], *pairs, tree
            return [(*given, *places, *tables, len(self.slots), len(self.trees))]

        return Call(make_slots, rows, (raw, held, rows_, touched))

    def rates(self, at: Addresses) -> list[int]:
        """Where the accelerations of joints are."""
        return [at.field(j, "qddot") if self.dof(j) else 0 for j in self.order]

    def begun(self) -> Call:
        tree = [max(t, 0) for t in self.tree]
        return self.call(begin_rates, ("x", "touched"), lambda at: (self.rates(at), self.first, tree, self.n, at.world("h")))

    def solved(self) -> Call:
        names = (
            "x", "V", "I", "w", "G", "L", "p", "G0", "L0", "p0", "z", "y", "W", "v", "changes", "X", "Y", "Z", "K", "A", "gamma",
        )  # fmt: skip
        C, data = self.data["slots"], [self.data[n] for n in names]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            moves = [bool(self.model.links[j].joint.dof) for j in self.order]
            places = [
                [at.field(j, name) if has or name == "touch_M" else 0 for j, has in zip(self.order, moves, strict=True)]
                for name in ("touch_M", "row_s", "touch_E")
            ]
            start = [sum(b < n for b in self.body) for n in range(self.n + 1)]
            before = [self.n if p < 0 else p for p in self.parent]
            opens = [int(p >= 0 and p not in self.parent[n + 1 :]) for n, p in enumerate(self.parent)]
            leaf = [int(n not in self.parent) for n in range(self.n)]
            tables = start, self.first, self.parent, before, opens, leaf
            return [(C, at.world(COUNTS), at.world(LIMITS), *data, *places, *tables, self.n, self.first[-1], len(self.slots))]

        return Call(solve_slots, rows, (C, *data))

    def applied(self) -> Call:
        return self.call(apply_changes, ("changes",), lambda at: (self.rates(at), self.first, self.n, at.world("h")))

    def lost(self) -> Sequence[Call]:
        """What steps lose."""
        alone = by_themselves(self)
        if not any(alone):
            return ()

        def rest(at: Addresses) -> tuple[Any, ...]:
            names = "touch_V", "touch_V0", "touch_M", "row_s"
            places = [[at.field(j, name) if one else 0 for j, one in zip(self.order, alone, strict=True)] for name in names]
            return *places, self.at, self.body, alone, self.first, self.n, len(self.slots)

        C, *some = data = tuple(self.data[name] for name in ("slots", "changes", "lost", "change"))
        return (Call(keep_lost_of_slots, lambda at: [(C, at.world(COUNTS), at.world(LIMITS), *some, *rest(at))], data),)

    def remembered(self) -> Call:
        def rest(at: Addresses) -> tuple[Any, ...]:
            return at.world(COUNTS), (at.world(TABLE), TOLD), at.world(HELD), at.world("h"), self.at, self.body, self.n, len(self.slots)

        return self.call(remember_slots, ("slots", "raw"), rest)
