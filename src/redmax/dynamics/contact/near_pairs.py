"""Where there are many pairs of shapes that may meet, those are found first whose balls do (near_shapes.py); of few, each is looked at.

Tables say which number a pair of shapes has: pairs are numbered kind by kind, then by their first shape, then by their second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from redmax.contact.law import KEPT
from redmax.contact.shape import ContactShape
from redmax.dynamics.contact.fields import COUNTS
from redmax.dynamics.contact.near_finders import KINDS, NEAR_FINDERS
from redmax.dynamics.contact.near_shapes import (
    APART,
    BALL,
    BASE,
    BEHIND,
    KIND_OF,
    NEAR,
    RANK,
    STATE,
    find_near,
    number_near,
    place_balls,
    sort_balls,
)
from redmax.model.model import Model
from redmax.program.routines.call import Addresses, Call, Data

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

MANY = 2000  # pairs, from which on it pays
Kind: TypeAlias = tuple[str, str]
Pair: TypeAlias = tuple[ContactShape, ContactShape]


def is_near(pair: Pair) -> bool:
    """Whether a pair is of those that can be found by their balls; a node of a deformable meets few others."""
    return (pair[0].kind, pair[1].kind) in NEAR_FINDERS and max(pair[0].node, pair[1].node) < 0


@dataclass(frozen=True, eq=False)
class NearPairs:
    """shapes: whose pairs are found so, those that move first; table, apart: as in near_shapes.py; counts: of pairs, the first of each."""

    shapes: tuple[ContactShape, ...]
    moving: int
    table: np.ndarray
    apart: np.ndarray
    counts: Mapping[Kind, int]

    @property
    def room(self) -> int:
        """For all pairs of which one moves, also those that pass through each other: what is near is looked at before it is known which."""
        return sum(self.counts.values()) + len(self.apart)

    @property
    def data(self) -> dict[str, Data]:
        """Vectors and matrices of the search."""
        n = len(self.shapes)
        sizes = {
            "S": (n, KEPT), "B": (n, BALL), "order": (n + STATE, None), "table": self.table.shape, "apart": (max(len(self.apart), 1), None),
            "pairs": (self.room, NEAR), "many": (1, None), "begin": (n + 1, None), "seconds": (self.room, None), "rest": (n, None),
        }  # fmt: skip
        return {name: Data(f"{name} of shapes that are near", rows, columns, by_rows=True) for name, (rows, columns) in sizes.items()}

    def stages(self, system: ContactSystem) -> list[Call]:
        """Which pairs are near, in order."""
        d, n, place = self.data, len(self.shapes), system.model.contact_place
        some = tuple(d[name] for name in ("S", "B", "order", "table", "apart"))
        found = tuple(d[name] for name in ("S", "B", "order", "table", "pairs", "many", "begin"))
        last = tuple(d[name] for name in ("table", "apart", "pairs", "many", "begin", "seconds", "rest"))

        def placed(at: Addresses) -> list[tuple[Any, ...]]:
            shapes, numbers, others = [at.kept(*place(s)) for s in self.shapes], self.table.ravel().tolist(), self.apart.tolist()
            return [(*some, shapes, numbers, others, n, self.moving, self.table.shape[1], len(others))]

        return [
            Call(place_balls, placed, some),
            Call(sort_balls, lambda at: [(d["B"], d["order"], n)], (d["B"], d["order"])),
            Call(find_near, lambda at: [(*found, n, self.moving, self.room)], found),
            Call(number_near, lambda at: [(*last, n, len(KINDS))], last),
        ]

    def met(self, system: ContactSystem, kind: Kind) -> Call:
        """Points where those of a kind meet."""
        d, own = [self.data[name] for name in ("S", "pairs", "many")], [system.data[name] for name in ("found", "raw")]
        code = len(KINDS) * KINDS.index(kind[0]) + KINDS.index(kind[1])
        return Call(NEAR_FINDERS[kind], lambda at: [(*d, code, *own, at.world(COUNTS), system.capacity)], (*d, *own))


def near_pairs(model: Model, pairs: Mapping[Kind, tuple[int, Sequence[Pair]]]) -> NearPairs | None:
    """pairs: of each kind, behind the number of the first; None where they are few, or where most that could be pass through each other."""
    shapes = [s for s in model.contact_shapes if s.kind in KINDS and s.node < 0]
    n, moving, place = len(shapes), sum(s.body >= 0 for s in shapes), {id(s): k for k, s in enumerate(shapes)}
    met = {kind: (first, found) for kind, (first, every) in pairs.items() if (found := [p for p in every if is_near(p)])}
    counts = {kind: len(found) for kind, (_, found) in met.items()}
    if sum(counts.values()) < MANY:
        return None
    kind = np.array([KINDS.index(s.kind) for s in shapes])
    same = kind[:, None] == np.arange(len(KINDS))
    before = np.cumsum(same, axis=0) - same  # of each kind, how many there are before a shape
    table = np.zeros((n, BASE + len(KINDS)), np.int64)
    table[:, KIND_OF], table[:, RANK] = kind, before[np.arange(n), kind]
    may = np.zeros((moving, n), bool)
    for names, (first, found) in met.items():
        rows = np.sort(np.array([(place[id(a)], place[id(b)]) for a, b in found], np.int64).reshape(-1, 2), axis=1)
        may[rows[:, 0], rows[:, 1]] = True
        count = np.bincount(rows[:, 0], minlength=n)
        one, two = map(KINDS.index, names)
        for c, other in {(one, two), (two, one)}:
            mine = kind == c
            table[mine, BASE + other] = (first + np.cumsum(count) - count - before[:, other] - same[:, other])[mine]
    row, apart = np.nonzero(np.triu(~may, 1))
    if len(apart) > sum(counts.values()):
        return None
    behind = np.searchsorted(row, np.arange(n), side="right")
    table[:, APART], table[:, BEHIND] = np.searchsorted(row, np.arange(n)), behind
    return NearPairs(tuple(shapes), moving, table, apart, counts)
