"""Newton's matrix of an implicit method bordered by the rows of constraints, by its Schur complement, as stages of a program.

    [ H  -G' ] [   dx    ]   [ -r0  ]        r0 = r + G' lambda: what joints miss without constraints
    [ B   c  ] [ lambda+ ] = [ -off ]        H y = -r0,   (B H^-1 G' + c) lambda+ = -off - B y,   dx = y + H^-1 G' lambda+

H has K and D of the reactions at the present lambda, so that this is Newton's step of r - G' lambda = 0 and off = 0 together
(constraints/reactions.py). B is G = dg/dq where positions are held; rows of velocities change by all of chi (linearised.py). Rows that
repeat others are left out, and lambda has least norm (solvers/complete_pivoting.py). A row that pushes one way, off >= 0 and lambda >= 0,
takes part where lambda d > off, d the size of its diagonal of B H^-1 G', and else has lambda+ = 0: the active set of a semi-smooth Newton
method on min(off, lambda d) = 0 (Hintermueller, Ito and Kunisch, SIAM J. Optim. 13, 2002). One with limited force takes part where
lambda d - off is between its limits, and else is at one of them (newton_limits.py). Where the set changes the line search begins anew, and
in the first turns it lets |r| grow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from redmax.dynamics.common.islands import Rows, unplaced
from redmax.dynamics.common.rows import add_diagonal
from redmax.dynamics.recursive.newton_limits import NewtonLimits
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix
from redmax.dynamics.redmax.rows import products, put_entries, put_products
from redmax.math import logical_and, minimum, sqrt, where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.record import WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import once, recursion
from redmax.solvers.complete_pivoting import eliminate_complete, row_sizes, scale_both, solve_complete
from redmax.solvers.multiplier_steps import (
    GROWTH,
    add_columns,
    add_present,
    add_squares,
    add_squares_one_sided,
    ask,
    ask_beyond,
    begin_turns,
    choose_active,
    hold_back,
    look_for_weak,
    loosen,
    note_least,
    put_moved,
    put_moved_entries,
    soften,
    step_of,
    try_multipliers,
    without_reactions,
)
from redmax.solvers.reduced_matrix import clear, copy
from redmax.solvers.semidefinite import least_norm

WORLD = {"row_square": 1, "row_weak": 1, "row_held": 1, "row_least": 1, "row_marks": 2, "row_beyond": 1}
# |off|^2; whether rows repeat others, or almost do, and whether they are held back; the least |r|; how far the worst row is off, and which;
# whether a force is beyond its limits
DAMPING = Data("rows' damping", 1)
FAR = 1e30  # beside any step squared
AS_FAR = 12  # where chi has how far an unknown moves what it carries
LIGHT = 1e-3  # the least that rows count beside forces, where these are small


@once
def weigh_rows(w: WorldView) -> None:
    """Rows count as the terms of forces do that |r| is measured by; where these alone are weighed, they do not."""
    size = minimum(1.0, where(w.whole > 0.5, w.scale, sqrt(w.square)))
    weight = where(size > LIGHT, size, LIGHT)
    square = weight * weight * w.row_square
    w.square, w.base_square, w.row_square = w.square + w.whole * square, w.base_square + square, 0.0
    w.dx_square, w.row_beyond = w.dx_square + FAR * (w.row_held + w.row_beyond), 0.0
    ended = logical_and(logical_and(w.whole < 0.5, w.turns > 0.5), w.size >= 0.99 * GROWTH * w.row_least)
    w.size = where(ended, w.row_least, w.size)  # without what it was let grow by, in vain


@dataclass(frozen=True, eq=False)
class NewtonRows(NewtonLimits):
    """The rows of all constraints of a model, beside Newton's matrix of its joints."""

    model: Model
    matrix: NewtonMatrix

    @property
    def world(self) -> dict[str, int]:
        """Fields of the world that its stages use."""
        return WORLD

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        """Of each constraint, in the scene's order."""
        found, first = [], 0
        for r in unplaced(self.model):
            found.append(replace(r, first=first))
            first += r.kept.size
        return tuple(found)

    @cached_property
    def m(self) -> int:
        """How many rows."""
        return sum(r.kept.size for r in self.rows)

    def vector(self, name: str) -> Data:
        """A number for each row."""
        return Data(f"rows' {name}", self.m)

    def square(self, name: str, columns: int | None = None) -> Data:
        """A matrix with a row for each row."""
        return Data(f"rows' {name}", self.m, self.m if columns is None else columns)

    @property
    def G(self) -> Data:
        """d gdot/d qdot, (m, n)."""
        return self.square("G", self.matrix.n)

    @property
    def B(self) -> Data:
        """d off/dx, (m, n)."""
        return self.square("B", self.matrix.n)

    def kept(self, at: Addresses, r: Rows, place: int) -> int:
        """Where something that a constraint keeps stands."""
        return at.kept(r.acting, r.k) + place

    def collected(self, of: str, target: Data) -> Call:
        """What constraints keep, together."""
        return Call(
            copy, lambda at: [(self.kept(at, r, getattr(r.kept, of)), at[target] + r.first, r.kept.size) for r in self.rows], (target,)
        )

    def begin(self) -> tuple[ProgramStage, ...]:
        """Before a step: no multipliers yet, and no row that only pushes takes part."""
        cleared = [self.vector(name) for name in ("base", "step", "was", "d")]
        flags = ("row_square", "row_held", "row_beyond")
        return (
            Call(clear, lambda at: [*((at[d], d.size) for d in cleared), *((at.world(f), 1) for f in flags)], tuple(cleared)),
            Call(begin_turns, lambda at: [(DAMPING, at.world("row_least"))], (DAMPING,)),
        )

    def attempt(self) -> tuple[ProgramStage, ...]:
        """Before the residual of a place: its multipliers."""
        base, step = self.vector("base"), self.vector("step")

        def places(at: Addresses) -> list[tuple[Any, ...]]:
            lost, fraction = at.world("lost"), at.world("fraction")
            places = [(self.kept(at, r, r.kept.multipliers), r) for r in self.rows]
            return [(x, at[base] + r.first, at[step] + r.first, r.kept.size, lost, fraction) for x, r in places]

        return Call(clear, lambda at: [(at.world("row_marks"), 2)]), Call(try_multipliers, places, (base, step))

    def weigh(self) -> tuple[ProgramStage, ...]:
        """After it: how far rows are off."""
        d = self.vector("d")

        def both(at: Addresses) -> list[tuple[Any, ...]]:
            totals = at.world("row_square"), at.world("row_marks")
            return [(self.kept(at, r, r.kept.right), r.kept.size, r.number, *totals) for r in self.rows if not r.bounded]

        def pushing(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, *(self.kept(at, r, p) for p in (r.kept.right, r.kept.multipliers))) for r in self.rows if r.one_sided]
            totals = at.world("row_square"), at.world("row_marks")
            return [(off, x, at[d] + r.first, r.kept.size, r.number, *totals) for r, off, x in rows]

        totals = Call(add_squares, both), Call(add_squares_one_sided, pushing, (d,)), *self.weigh_limited()
        return *totals, recursion(weigh_rows, name="weigh rows")

    def fill(self) -> tuple[ProgramStage, ...]:
        """G; and B, which is the same where positions are held."""
        G, B = self.G, self.B
        held, moved = [r for r in self.rows if not r.kept.on_rates], [r for r in self.rows if r.kept.on_rates]

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            felt, moved = ("twist", 6, 0), ("column", self.matrix.W, AS_FAR) if self.model.map is None else ("twist", 6, 0)
            for target, rows, field in ((G, self.rows, felt), (B, held, moved)):
                pairs = [(r, k, self.kept(at, r, r.kept.wrench(k))) for r in rows for k in range(len(r.bodies))]
                found += [((x, 6), target, *self.products(at, r, k, *field)) for r, k, x in pairs]
            return found

        def slopes(at: Addresses) -> list[tuple[Any, ...]]:
            return [(D, target, *sizes) for target, rows in ((G, self.rows), (B, held)) for r in rows for D, *sizes in self.entries(at, r)]

        def moved_wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(r, k, self.kept(at, r, r.kept.wrench(k))) for r in moved for k in range(len(r.bodies))]
            r1, W = at.world("r1"), self.matrix.W
            return [((x, 6), (x + r.kept.moved, 6), B, *self.products(at, r, k, "column", W), r1) for r, k, x in pairs]

        def moved_slopes(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, *entry) for r in moved for entry in self.entries(at, r)]
            return [(D, (D[0] + r.kept.moved, D[1]), B, *sizes, at.world("r1")) for r, D, *sizes in rows]

        return (
            Call(clear, lambda at: [(at[G], G.size), (at[B], B.size)], (G, B)),
            Call(put_products, wrenches, (G, B)),
            Call(put_entries, slopes, (G, B)),
            Call(put_moved, moved_wrenches, (B,)),
            Call(put_moved_entries, moved_slopes, (B,)),
        )

    def products(self, at: Addresses, r: Rows, k: int, field: str, width: int, first: int = 0) -> tuple[Any, ...]:
        """Of the rows of one constraint and its k-th body: their number and first; the unknowns that move it, as a field, and in H."""
        pairs = self.matrix.movers(at, r.bodies[k])
        return r.kept.size, r.first, len(pairs), [at.field(a, field) + width * c + first for a, c in pairs], self.matrix.numbers(pairs)

    def entries(self, at: Addresses, r: Rows) -> list[tuple[Any, ...]]:
        """Of the joints that a constraint reads: D, its rows and their first, unknowns and the first of these."""
        size, start = self.matrix.size, self.matrix.start
        places = [(self.kept(at, r, r.kept.slope(k)), r.kept.dofs[k], j) for k, j in enumerate(r.joints) if size(j)]
        return [((D, dof), r.kept.size, r.first, dof, start[j]) for D, dof, j in places]

    @property
    def bordered(self) -> NewtonMatrix:
        """The matrix that rows stand beside."""
        return self.matrix

    @property
    def over_unknowns(self) -> tuple[Data, Data]:
        """G and B over its unknowns."""
        return self.G, self.B

    def solve(self) -> tuple[ProgramStage, ...]:
        """dx and the step of lambda."""
        matrix, m, G, B = self.bordered, self.m, *self.over_unknowns
        n, b = matrix.n, matrix.b
        Z, A, F, C, N = self.square("H^-1 G'", n), *(self.square(name) for name in ("A", "F", "C", "N"))
        x, off, right, found, z, scale, active, rows, order, d, was, step = map(
            self.vector, ("lambda", "off", "right", "lambda+", "z", "scale", "active", "rows", "order", "d", "was", "step")
        )
        rank, soft = Data("rows' rank", 1), [r for r in self.rows if r.compliant]

        def softness(at: Addresses, r: Rows) -> int:
            return self.kept(at, r, r.kept.softness)

        def pushing(at: Addresses) -> list[tuple[Any, ...]]:
            rows = [(r, *(at[v] + r.first for v in (off, x, d, was, active))) for r in self.rows if r.one_sided]
            return [(*places, r.kept.size, at.world("size")) for r, *places in rows]

        def steps(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[found] + r.first, self.kept(at, r, r.kept.multipliers), at[step] + r.first, r.kept.size) for r in self.rows]

        scaled = Call(scale_both, lambda at: [(A, F, d, scale, active, m)], (A, F, d, scale, active))
        eliminated = Call(eliminate_complete, lambda at: [(F, rows, order, rank, m)], (F, rows, order, rank))
        held_back = Call(hold_back, lambda at: [(F, B, off, scale, m, n, DAMPING, at.world("row_held"))], (F, B, off, scale, DAMPING))
        return (
            Call(note_least, lambda at: [(at.world("size"), at.world("row_least"))]),
            *self.fill(),
            self.collected("multipliers", x),
            self.collected("right", off),
            *matrix.inward(),
            Call(without_reactions, lambda at: [(G, x, b, m, n)], (G, x, b)),
            Call(copy, lambda at: [(at[G], at[Z], G.size)], (G, Z)),
            *matrix.factored(),
            *matrix.solved(b),
            *matrix.solved(Z, m),
            Call(products, lambda at: [(B, Z, A, m, n)], (B, Z, A)),
            Call(ask, lambda at: [(B, b, off, right, active, m, n)], (B, b, off, right, active)),
            Call(soften, lambda at: [(at[right] + r.first, at[x] + r.first, softness(at, r), r.kept.size) for r in soft], (right, x)),
            Call(row_sizes, lambda at: [(A, B, Z, d, m, n)], (A, B, Z, d)),
            Call(choose_active, pushing, (off, x, d, was, active)),
            *self.held(),
            Call(add_diagonal, lambda at: [(A, r.first, r.kept.size, softness(at, r)) for r in soft], (A,)),
            Call(ask_beyond, lambda at: [(A, x, active, right, m)], (A, x, active, right)),
            *self.beside(),
            scaled,
            eliminated,
            Call(look_for_weak, lambda at: [(F, scale, rank, at.world("row_weak"), at.world("row_held"), m)], (F, scale, rank)),
            Branch("row_weak", (scaled, held_back, eliminated)),
            Call(solve_complete, lambda at: [(F, rows, order, rank, scale, right, found, z, m)], (F, rows, right, found, z)),
            Call(add_present, lambda at: [(x, found, m)], (x, found)),
            Call(least_norm, lambda at: [(F, order, rank, scale, found, C, N, z, m)], (F, order, rank, scale, found, C, N, z)),
            Call(step_of, steps, (found, step)),
            Call(add_columns, lambda at: [(Z, found, b, m, n)], (Z, found, b)),
            *matrix.outward(),
            Call(loosen, lambda at: [(at.world("size"), at.world("row_least"), at.world("turns"))]),
        )
