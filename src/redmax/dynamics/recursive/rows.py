"""Rows of constraints along the tree: the dual in O(n) a row, on kept factors of articulated bodies (solvers/along_tree.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_terms import row_places, row_terms
from redmax.dynamics.common.rows import RowSystem
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part, Recursion
from redmax.solvers.along_tree import gram, inward, outward, put_slope, put_wrench, take_from, transmit, weigh
from redmax.solvers.reduced_matrix import clear


@dataclass(frozen=True, eq=False)
class RowsAlongTree(RowSystem):
    """implicit: with what springs and dampers within joints and on single bodies add to M.

    sweep: what places bodies, fills rows and keeps factors; place: the same without factors
    """

    implicit: bool = False
    sweep: Callable[[Part, bool], Recursion] = field(default=row_terms)
    place: Callable[[Part], Recursion] = field(default=row_places)

    def terms(self, factors: bool) -> tuple[ProgramStage, ...]:
        return (self.sweep(self.part, self.implicit) if factors else self.place(self.part),)

    def factors(self) -> tuple[ProgramStage, ...]:
        return (self.sweep(self.part, self.implicit),)

    def moved(self, at: Addresses, i: Island, body: int) -> int:
        a = self.acceleration(i)
        return at[a] + a.leading * i.bodies.index(body)

    def first(self, bodies: Sequence[int]) -> list[int]:
        """Where each body's coordinates begin, and their end."""
        found = [0]
        for j in bodies:
            found.append(found[-1] + self.dof(j))
        return found

    def parents(self, bodies: Sequence[int]) -> list[int]:
        """Of each body, its parent's place among them, or -1."""
        place = {j: i for i, j in enumerate(bodies)}
        return [place.get(self.model.tree.parent[j], -1) for j in bodies]

    def P(self, i: Island) -> Data:
        """What rows do to bodies, and hand on to those below."""
        return i.data("P", 6 * len(i.held), i.m)

    def Y(self, i: Island) -> Data:
        """Psi u."""
        return i.data("Psi u", self.first(i.held)[-1], i.m)

    def acceleration(self, i: Island) -> Data:
        """Of each body, in world axes about the origin of its tree: what multipliers bring."""
        return i.data("a", len(i.bodies), 6)

    def columns(self, i: Island) -> tuple[ProgramStage, ...]:
        held, m, first = i.held, i.m, self.first(i.held)
        P, X, Y, A, n = self.P(i), i.data("u", first[-1], m), self.Y(i), i.A, first[-1]

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            s, U = self.places(at, held, "row_s", 6), self.places(at, held, "row_U", 6)
            return [(X, P, m, s, U, first, self.parents(held), len(held))]

        return (
            Call(clear, lambda at: [(at[P], P.size), (at[X], X.size)], (P, X)),
            *self.put(i, X),
            Call(inward, passes, (X, P)),
            Call(weigh, lambda at: [(X, Y, m, [at.field(j, "row_Psi") for j in held], first, len(held))], (X, Y)),
            Call(gram, lambda at: [(X, Y, A, n, m)], (X, Y, A)),
        )

    def put(self, i: Island, X: Data) -> tuple[Call, Call]:
        """What rows do to bodies, into P, and to coordinates, into X."""
        P, first, place = self.P(i), self.first(i.held), {j: k for k, j in enumerate(i.held)}

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, k, b) for r in i.rows for k, b in enumerate(r.bodies)]
            return [(at.kept(r.acting, r.k) + r.kept.wrench(k), P, place[b], r.first, r.kept.size) for r, k, b in rows]

        def slopes(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, at.kept(r.acting, r.k) + r.kept.slope(k), j) for r in i.rows for k, j in enumerate(r.joints) if self.dof(j)]
            return [(D, X, first[place[j]], self.dof(j), r.first, r.kept.size) for r, D, j in rows]

        return Call(put_wrench, wrenches, (P,)), Call(put_slope, slopes, (X,))

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        first, m = self.first(i.bodies), i.m
        held = dict(zip(i.held, self.first(i.held), strict=False))
        Y, x, a = self.Y(i), i.multipliers, self.acceleration(i)
        rows = [held[j] + c if j in held else -1 for j in i.bodies for c in range(self.dof(j))]

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            s, U = self.places(at, i.bodies, "row_s", 6), self.places(at, i.bodies, "row_U", 6)
            y = self.places(at, i.bodies, self.target, 1)
            alone = self.places(at, i.bodies, "row_y", 1)
            return [(Y, x, m, a, s, U, y, alone, first, rows, self.parents(i.bodies), len(i.bodies))]

        return Call(outward, passes, (Y, x, a)), *self.torques(i)

    def torques(self, i: Island) -> tuple[ProgramStage, ...]:
        """What prescribed joints exert in addition, where it is accelerations that rows change."""
        given = [j for j in i.bodies if self.model.prescribed[j] and self.model.links[j].joint.dof]
        P, x, a, m = self.P(i), i.multipliers, self.acceleration(i), i.m
        place, number = {j: k for k, j in enumerate(i.held)}, {j: k for k, j in enumerate(i.bodies)}
        read = [(j, k, r) for r in i.rows for k, j in enumerate(r.joints) if j in given]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for j in given:
                body = at[a] + a.leading * number[j], at.field(j, "tau"), place.get(j, 0), self.model.links[j].joint.dof, m, int(j in place)
                found.append((P, (at.field(j, "row_U"), 6), (at.field(j, "row_s"), 6), x, *body))
            return found

        def direct(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for j, k, r in read:
                D = at.kept(r.acting, r.k) + r.kept.slope(k), self.model.links[j].joint.dof
                found.append((D, at[x] + r.first, at.field(j, "tau"), r.kept.size, self.model.links[j].joint.dof))
            return found

        if not given or self.target != "qddot":
            return ()
        return Call(transmit, rows, (P, x, a)), Call(take_from, direct, (x,))
