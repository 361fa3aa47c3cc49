"""Turns in lanes where loops are to be closed too: their rows, made stiff, are added to the squares.

    |W r|^2 + rho |c|^2:   where the targets can be reached with the loops closed, both vanish, and no multiplier is needed

Where they cannot, what lanes find is where problem.py begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.design.reach.closures import Closures
from redmax.design.reach.in_memory import InMemory
from redmax.dynamics.choose import system
from redmax.dynamics.common.closing import begin, follow
from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_terms import row_places
from redmax.math import where
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes
from redmax.program.sweep import Part

STIFF = 1e2  # sqrt(rho), of the largest weight
CLOSED = 1e-10  # gaps relative to the mechanism's size that are none


@routine
def add_gaps(
    gap: Vector, size: Vector, G: Matrix, rows: Wholes, sided: Wholes, count: Whole, places: Wholes, columns: Wholes, n: Whole,
    stiff: Vector, H: Matrix, g: Vector, now: Vector,
) -> None:  # fmt: skip
    """The squares of some rows of an island: places: rows of G'; columns: of H."""
    for k in range(count):
        off = gap[rows[k]] / size[rows[k]]
        acts = where(sided[k] > 0, where(off < 0.0, 1.0, 0.0), 1.0)
        off *= acts
        now[0] += 0.5 * (stiff[0] * off) * (stiff[0] * off)
        now[1] += where(off > CLOSED, 1.0, where(off < 0.0 - CLOSED, 1.0, 0.0))
        weight = acts * stiff[0] * stiff[0] / size[rows[k]]
        for a in range(n):
            slope = weight * G[places[a], rows[k]]
            g[columns[a]] += slope * off
            for b in range(a, n):
                H[columns[a], columns[b]] += slope * (G[places[b], rows[k]] / size[rows[k]])


@dataclass(frozen=True, eq=False)
class WithClosures(InMemory):
    """closures: of the model, whose constraints carry no coordinates of their own."""

    closures: Closures | None = None

    @staticmethod
    def possible(closures: Closures) -> bool:
        """Whether rows are known without a search of their own."""
        return not (begin(closures.model) or follow(closures.model))

    @cached_property
    def joints(self) -> list[int]:  # type: ignore[override]
        """Those that move the targets, and those that close the loops."""
        held = {j for i in self.islands for j in i.held if self.movable(j)}
        return sorted({j for p in self.rows.parts for j in p.joints} | held)

    def movable(self, j: int) -> bool:
        """Whether a joint has velocities that may be other than zero."""
        return bool(self.bounds.movable[self.model.offsets[j] : self.model.offsets[j + 1]].any())

    @property
    def values(self) -> Any:
        """The rows' stages."""
        assert self.closures is not None
        return self.closures.values

    @property
    def islands(self) -> tuple[Island, ...]:
        return tuple(self.values.islands)

    @property
    def fields(self) -> Fields:  # type: ignore[override]
        """Those of the rows, too."""
        own, rows = super().fields, system("recursive", self.model).fields()
        parts = {name: {**getattr(rows, name), **getattr(own, name)} for name in ("down", "state")}
        return replace(rows, **parts, world={**rows.world, **own.world}, reuse={})

    @cached_property
    def stiffness(self) -> Data:
        return Data("stiffness", 1)

    @property
    def shared(self) -> dict[str, np.ndarray]:
        largest = max(1.0, *(float(np.max(target.weight)) for target in self.rows.targets))
        return {**super().shared, "stiffness": np.array([STIFF * largest]), "qdot": np.zeros(self.model.nv)}

    def adding(self, new: Data, new_g: Data) -> list[ProgramStage]:
        """What targets add, and what loops do."""
        stages = [*self.values.projection.begin(), row_places(Part.POSITION_ROWS), *self.values.projection.sized()]
        stages += [stage for i in self.islands for stage in self.values.read(i)]
        data = tuple(d for i in self.islands for d in (self.values.gaps(i), i.sizes, self.values.G(i)))
        return [*super().adding(new, new_g), *stages, Call(add_gaps, lambda at: self.gap_rows(new, new_g, at), (*data, self.stiffness))]

    def gap_rows(self, new: Data, new_g: Data, at: Addresses) -> list[tuple[Any, ...]]:
        """A row for each island."""
        assert self.closures is not None
        where_is, found = {int(c): k for k, c in enumerate(self.columns)}, list[tuple[Any, ...]]()
        taken = set(self.values.owner[self.closures.chosen].tolist())
        for i in self.islands:
            own = [(r.first + k, int(r.one_sided)) for r in i.rows if r.number in taken for k in range(r.kept.size)]
            velocities = [int(self.model.offsets[j]) + c for j in i.held for c in range(self.values.tree.dof(j))]
            pairs = sorted((where_is[v], place) for place, v in enumerate(velocities) if v in where_is)
            lists = ([r for r, _ in own], [s for _, s in own], len(own), [p for _, p in pairs], [c for c, _ in pairs], len(pairs))
            found.append((self.values.gaps(i), i.sizes, self.values.G(i), *lists, self.stiffness, new, new_g, at[self.now]))
        return found
