"""Rows of constraints at given states, as numbers: g, gdot, G, and what gaps are measured by. For what is done once, before a run.

G' = D - s' P_b,    P_p += P_b        leaves to root: solvers/along_tree.py, without articulated bodies (U = 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import system
from redmax.dynamics.common.closing import begin, follow
from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_projection import Projection, change, own
from redmax.dynamics.common.row_terms import row_places
from redmax.dynamics.recursive.rows import RowsAlongTree
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage, Save
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part
from redmax.solvers.along_tree import inward
from redmax.solvers.reduced_matrix import clear, copy

ZEROS = Data("no articulated body", 6)


@dataclass(frozen=True, eq=False)
class RowsAt:
    """Of each world, rows in the order of the constraints. gap, rate, size: (worlds, m); G: (worlds, m, nv); q: (worlds, n) configurations.

    Columns of G of joints whose motion is given are zero.
    """

    q: np.ndarray
    gap: np.ndarray
    rate: np.ndarray
    size: np.ndarray
    G: np.ndarray


@dataclass(frozen=True, eq=False)
class RowValues:
    """Of the constraints of a model."""

    model: Model
    backend: str = "llvm"

    @cached_property
    def projection(self) -> Projection:
        """Whose rows they are."""
        return Projection(self.model)

    @cached_property
    def tree(self) -> RowsAlongTree:
        """How they act along it."""
        return RowsAlongTree(self.model, Part.POSITION_ROWS, "row_dq")

    @property
    def islands(self) -> Sequence[Island]:
        """Trees that rows connect."""
        return self.tree.islands

    @cached_property
    def owner(self) -> np.ndarray:
        """(m,): the number of the constraint that each row belongs to."""
        return np.repeat(np.arange(len(self.model.constraints)), [c.size for c in self.model.constraints])

    @cached_property
    def order(self) -> list[np.ndarray]:
        """Of each island, where its rows stand among all."""
        first = np.concatenate([[0], np.cumsum([c.size for c in self.model.constraints])]).astype(int)
        return [np.concatenate([np.arange(first[r.number], first[r.number + 1]) for r in i.rows]) for i in self.islands]

    @cached_property
    def runner(self) -> Any:
        """Moves by row_dq, then evaluates."""
        stages: list[ProgramStage] = [
            own(change),
            *self.projection.begin(),
            *begin(self.model),
            *follow(self.model),
            row_places(Part.POSITION_ROWS),
        ]
        stages += [*self.projection.sized(), *[stage for i in self.islands for stage in self.read(i)]]
        stages += [] if Program("", tuple(stages), Fields(), (), ()).straight else [Save()]
        outputs = ("q", *[d.name for i in self.islands for d in (self.gaps(i), self.rates(i), i.sizes, self.G(i))])
        program = Program("rows", tuple(stages), system("recursive", self.model).fields(), ("q", "row_dq", "qdot", "t"), outputs)
        return make_runner(make_plan(self.model, program, self.backend), self.backend, "float64")

    def gaps(self, i: Island) -> Data:
        """g."""
        return i.data("gaps", i.m)

    def rates(self, i: Island) -> Data:
        """gdot."""
        return i.data("rates", i.m)

    def G(self, i: Island) -> Data:
        """G', a row for each coordinate of the bodies that are held."""
        return i.data("G", self.tree.first(i.held)[-1], i.m)

    def read(self, i: Island) -> list[ProgramStage]:
        """g, gdot and G' of an island."""
        tree = self.tree
        first, X, P = tree.first(i.held), self.G(i), tree.P(i)
        wrenches, slopes = tree.put(i, X)

        def of(target: Data, what: str) -> Call:
            places = lambda at: [(at.kept(r.acting, r.k) + getattr(r.kept, what), at[target] + r.first, r.kept.size) for r in i.rows]  # noqa: E731
            return Call(copy, places, (target,))

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            s = tree.places(at, i.held, "row_s", 6)
            return [(X, P, i.m, s, [at[ZEROS]] * len(s), first, tree.parents(i.held), len(i.held))]

        nothing = Call(clear, lambda at: [(at[P], P.size), (at[X], X.size), (at[ZEROS], 6)], (P, X, ZEROS))
        return [of(self.gaps(i), "gap"), of(self.rates(i), "rate"), nothing, wrenches, slopes, Call(inward, passes, (X, P, ZEROS))]

    def at(
        self, q: np.ndarray, qdot: np.ndarray, t: float, step: np.ndarray | None = None, parameters: Sequence[np.ndarray] = ()
    ) -> RowsAt:
        """Of configurations (worlds, n) moved by a step (worlds, nv), with rates qdot (worlds, nv)."""
        model, worlds = self.model, len(q)
        q, qdot = np.ascontiguousarray(q, float), np.ascontiguousarray(qdot, float)
        step = np.zeros((worlds, model.nv)) if step is None else np.ascontiguousarray(step, float)
        moved, m = np.zeros((1, *q.shape)), len(self.owner)
        sizes = [n for i in self.islands for n in (i.m, i.m, i.m, self.G(i).rows * i.m)]
        found = [np.zeros((1, worlds, n)) for n in sizes]
        self.runner.run([q, step, qdot, np.full(1, float(t)), *parameters], [moved, *found], worlds)
        gap, rate, size, G = (np.zeros((worlds, m, *more)) for more in ((), (), (), (model.nv,)))
        for k, (i, order) in enumerate(zip(self.islands, self.order, strict=True)):
            for into, values in zip((gap, rate, size), found[4 * k : 4 * k + 3], strict=True):
                into[:, order] = values[0]
            columns = np.array([model.offsets[j] + c for j in i.held for c in range(self.tree.dof(j))], int)
            G[:, order[:, None], columns] = found[4 * k + 3][0].reshape(worlds, len(columns), i.m).swapaxes(1, 2)
        return RowsAt(moved[0], gap, rate, size, G)
