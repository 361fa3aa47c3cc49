"""Rows of constraints beside a matrix: the KKT system of RedMax notes Eqs. 2.102-2.103 and 2.119, by its Schur complement.

    [ H  -G' ] [   x    ]   [ b ]
    [ G   c  ] [ lambda ] = [ g ]       H x0 = b,   (G H^-1 G' + c) lambda = g - G x0,   x = x0 + H^-1 G' lambda

H has been eliminated already, for x0. G has the products of the rows' wrenches with the twists of all coordinates that move their bodies.
Coordinates whose acceleration is given come last in H: rows do not move them, but add to what they take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_terms import row_places
from redmax.dynamics.common.rows import RowSystem, add
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.program.sweep import Part, Recursion
from redmax.solvers.along_tree import carry
from redmax.solvers.elimination import solve
from redmax.solvers.pivoted import solve_pivoted
from redmax.solvers.reduced_matrix import clear, copy

NONE = Data("H", 0, 0)


@routine
def put_products(W: Matrix, G: Matrix, rows: Whole, first: Whole, count: Whole, s: Places, number: Wholes) -> None:
    """G_ka += W_k . s_a of one constraint, and the coordinates that move one of its bodies."""
    for k in range(rows):
        for a in range(count):
            G[first + k, number[a]] += dot(W[k, 0:6], s[a][0:6])


@routine
def put_entries(D: Matrix, G: Matrix, rows: Whole, first: Whole, count: Whole, start: Whole) -> None:
    """G_ka += D_ka of one constraint and the coordinates of one joint."""
    for k in range(rows):
        for a in range(count):
            G[first + k, start + a] += D[k, a]


@routine
def products(G: Matrix, B: Matrix, A: Matrix, m: Whole, n: Whole) -> None:
    """A_ij = G_i . B_j."""
    for i in range(m):
        for j in range(m):
            A[i, j] = dot(G[i, 0:n], B[j, 0:n])


@routine
def combine(B: Matrix, x: Vector, y: Vector, m: Whole, n: Whole) -> None:
    """y = B' x."""
    y[0:n] = 0.0
    for k in range(m):
        y[0:n] += x[k] * B[k, 0:n]


@routine
def add_given(H: Matrix, y: Vector, G: Matrix, x: Vector, tau: Vector, row: Whole, dof: Whole, free: Whole, m: Whole) -> None:
    """tau of coordinates whose acceleration is given, from `row` of H on, += H y - G' x."""
    for c in range(dof):
        tau[c] += dot(H[row + c, 0:free], y[0:free])
        for k in range(m):
            tau[c] -= x[k] * G[k, row + c]


def together(model: Model, found: Sequence[Island]) -> Island:
    """All islands as one."""
    rows, first = [], 0
    for r in sorted((r for i in found for r in i.rows), key=lambda r: (r.bounded, r.number)):
        rows.append(replace(r, first=first))
        first += r.kept.size
    bodies = tuple(range(len(model.links)))
    return Island("all", tuple(rows), bodies, bodies)


@dataclass(frozen=True, eq=False)
class RowsByMatrix(RowSystem):
    """H, order: as its elimination left them, `order` where that has exchanged rows; start: where each joint's coordinates begin in H.

    free: how many coordinates are to be found; sweep: what places bodies and fills rows
    """

    H: Data = NONE
    order: Data | None = None
    start: Any = None
    free: int = 0
    sweep: Callable[[Part], Recursion] = row_places

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """One: forces may couple trees that no row does."""
        return (together(self.model, super().islands),)

    def terms(self, factors: bool) -> tuple[ProgramStage, ...]:
        return (self.sweep(self.part),)

    def G(self, i: Island) -> Data:
        """(m, coordinates), in the order of H."""
        return i.data("G", i.m, self.H.rows)

    def B(self, i: Island) -> Data:
        """G H^-1."""
        return i.data("G H^-1", i.m, self.H.rows)

    def movers(self, at: Addresses, body: int) -> tuple[list[int], list[int]]:
        """Where the twist of each coordinate that moves a body stands, and its number in H."""
        pairs = [(a, c) for a in reversed(at.tree.ancestors(body)) for c in range(self.model.links[a].joint.dof) if a in self.start]
        return [at.field(a, "row_s") + 6 * c for a, c in pairs], [self.start[a] + c for a, c in pairs]

    def filled(self, i: Island) -> tuple[ProgramStage, ...]:
        """G of an island."""
        G = self.G(i)

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in i.rows:
                for k, body in enumerate(r.bodies):
                    twists, numbers = self.movers(at, body)
                    W = at.kept(r.acting, r.k) + r.kept.wrench(k), 6
                    found += [(W, G, r.kept.size, r.first, len(twists), twists, numbers)] if twists else []
            return found

        def slopes(at: Addresses) -> list[tuple[Any, ...]]:
            dof = {j: self.model.links[j].joint.dof for r in i.rows for j in r.joints}
            rows = [(r, at.kept(r.acting, r.k) + r.kept.slope(k), j) for r in i.rows for k, j in enumerate(r.joints)]
            return [((D, dof[j]), G, r.kept.size, r.first, dof[j], self.start[j]) for r, D, j in rows if dof[j] and j in self.start]

        return (
            Call(clear, lambda at: [(at[G], G.size)], (G,)),
            Call(put_products, wrenches, (G,)),
            Call(put_entries, slopes, (G,)),
        )

    def columns(self, i: Island) -> tuple[ProgramStage, ...]:
        return *self.filled(i), *self.by_elimination(i, self.G(i))

    def by_elimination(self, i: Island, G: Data) -> tuple[ProgramStage, ...]:
        """B = G H^-1 and A = B G', of rows G over the unknowns of H."""
        B, m = self.B(i), i.m
        return (
            Call(copy, lambda at: [(at[G], at[B], G.size)], (G, B)),
            *self.solve_lines(B, m),
            Call(products, lambda at: [(G, B, i.A, m, self.free)], (G, B, i.A)),
        )

    def solve_lines(self, B: Data, m: int) -> tuple[ProgramStage, ...]:
        """B H^-1 in place of its m lines."""
        H, order, free = self.H, self.order, self.free

        def rights(at: Addresses) -> Sequence[tuple[Any, ...]]:
            lines = [at[B] + B.leading * k for k in range(m)]
            return [(H, line, free) for line in lines] if order is None else [(H, order, line, free) for line in lines]

        return (Call(solve, rights, (H, B)) if order is None else Call(solve_pivoted, rights, (H, order, B)),)

    def acceleration(self, i: Island) -> Data:
        """Of each body, in world axes about the origin of its tree: what multipliers bring."""
        return i.data("a", len(i.bodies), 6)

    def moved(self, at: Addresses, i: Island, body: int) -> int:
        a = self.acceleration(i)
        return at[a] + a.leading * body

    def carried(self, i: Island) -> tuple[ProgramStage, ...]:
        """The same, from what coordinates do."""
        a, links = self.acceleration(i), self.model.links
        first = [0, *np.cumsum([self.dof(j) for j in range(len(links))]).tolist()]

        def row(at: Addresses) -> list[tuple[Any, ...]]:
            s, y = self.places(at, i.bodies, "row_s", 6), self.places(at, i.bodies, "row_y", 1)
            return [(a, s, y, first, list(self.model.tree.parent), len(links))]

        return (Call(carry, row, (a,)),)

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        B, y, x, m, free = self.B(i), i.data("H^-1 G' lambda", self.free), i.multipliers, i.m, self.free

        def joints(at: Addresses) -> list[tuple[Any, ...]]:
            moved = [j for j in self.start if self.dof(j)]
            return [(at[y] + self.start[j], at.field(j, self.target), self.dof(j)) for j in moved]

        def alone(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[y] + self.start[j], at.field(j, "row_y"), self.dof(j)) for j in self.start if self.dof(j)]

        return (
            Call(combine, lambda at: [(B, x, y, m, free)] if free else [], (B, x, y)),
            Call(add, joints, (y,)),
            Call(copy, alone, (y,)),
            *(self.carried(i) if any(r.bounded and not r.waits for island in self.islands for r in island.rows) else ()),
            *self.torques(i, y),
        )

    def torques(self, i: Island, y: Data) -> tuple[ProgramStage, ...]:
        """What joints exert in addition whose motion is given. y: H^-1 G' lambda."""
        G, x, m = self.G(i), i.multipliers, i.m

        def given(at: Addresses) -> list[tuple[Any, ...]]:
            held = [j for j in self.start if self.model.prescribed[j] and self.model.links[j].joint.dof]
            dof = {j: self.model.links[j].joint.dof for j in held}
            return [(self.H, y, G, x, at.field(j, "tau"), self.start[j], dof[j], self.free, m) for j in held]

        return (Call(add_given, given, (self.H, y, G, x)),)
