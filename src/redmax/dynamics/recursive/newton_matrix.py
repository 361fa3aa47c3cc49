"""Newton's matrix of an implicit method, dr/dx: needed where forces couple bodies beyond the tree.

    H_ac  = s_a . (N chi_c + s_c x* F)           a: coordinates of ancestors of c's joint       (N, F: of all that c moves)
    H_kc  = (s_k' N) . chi_c                     k: coordinates of descendants                  (N: of all that k moves)
    H_ac += s_a' [D, -K] (psi_c; s_c)            for each pair of bodies that a force couples, and the coordinates that move them

Where points of a path follow a coordinate, this too stands in a pair: as a body with six directions (forces/following.py).
N, chi, s and F as in linearised.py. The matrix is not symmetric; it is solved by elimination with pivoting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.recursive.linearised import Linearise, linearise_joint, ready
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.program.sweep import Part, Recursion, backward, interactions, recursion
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted, solve_several
from redmax.solvers.reduced_matrix import add_block, clear, clear_blocks, copy, panels

PAIR = 12  # columns of a block of two bodies: [D, -K]
UNIT = 24  # scalars of a coordinate by itself: (-, psi; s), then its twist
UNITS = Data("unit columns", 6 * UNIT)


@lru_cache(maxsize=16)
def composites(W: int, reactions: bool = False, linearise: Linearise | None = None) -> Recursion:
    """s, chi, N chi + s x* F and s' N of each coordinate, and the joints' own blocks. reactions: those of constraints change too."""

    @backward
    def compose(j: JointView, p: ParentView, w: WorldView) -> None:
        here = (linearise or linearise_joint)(W, j, p, w, w.r0)
        N = here.N + j.N_hat.reshape(6, W)
        p.N_hat += N.ravel()
        moved = N @ here.chi
        j.twist, j.column = here.s.T.ravel(), here.chi.T.ravel()
        j.block = (here.s.T @ moved + here.slopes).ravel()
        j.above, j.row = (moved + here.carried).T.ravel(), (here.s.T @ N).ravel()

    rows = [interactions(Part.NEWTON_ROWS)] if reactions else []
    return recursion(ready, interactions(Part.NEWTON), *rows, compose, name=f"newton matrix {W}{' with rows' * reactions}{linearise or ''}")


def fields_of(W: int) -> tuple[dict[str, int], dict[str, Any]]:
    """What joints hand up, and what they keep."""
    column = f"{W}v"
    return {"N_hat": 6 * W}, {"twist": "6v", "above": "6v", "column": column, "row": column, "block": "vv"}


@routine
def rows_above(t: Vector, count: Whole, s: Places, entry: Places) -> None:
    """H_ac = s_a . t_c of one coordinate c, for its ancestors a."""
    for a in range(count):
        entry[a][0] = dot(s[a][0:6], t[0:6])


@routine
def columns_above(U: Vector, count: Whole, chi: Places, H: Vector, number: Wholes) -> None:
    """H_kc = U_k . chi_c of one coordinate k, for its ancestors c: W = 9."""
    for c in range(count):
        H[number[c]] = dot(U[0:6], chi[c][0:6]) + dot(U[6:9], chi[c][6:9])


@routine
def forced_columns_above(U: Vector, count: Whole, chi: Places, H: Vector, number: Wholes) -> None:
    """The same for W = 18."""
    for c in range(count):
        H[number[c]] = dot(U[0:6], chi[c][0:6]) + dot(U[6:12], chi[c][6:12]) + dot(U[12:18], chi[c][12:18])


@routine
def unit_columns(U: Vector, r0: Vector, r1: Vector) -> None:
    """Of a coordinate that counts by itself and not for what it moves: psi = r1 e, s = r0 e; then e."""
    U[0:144] = 0.0
    for c in range(6):
        U[24 * c + 6 + c] = r1[0]
        U[24 * c + 12 + c] = r0[0]
        U[24 * c + 18 + c] = 1.0


@routine
def between(Z: Matrix, H: Matrix, left: Whole, right: Whole, s: Places, chi: Places, row: Wholes, column: Wholes) -> None:
    """H_ac += s_a' Z (psi_c; s_c) of the coordinates of two bodies."""
    for c in range(right):
        t = chi[c]
        force = [dot(Z[i, 0:6], t[6:12]) + dot(Z[i, 6:12], t[12:18]) for i in range(6)]
        for a in range(left):
            H[row[a], column[c]] += dot(s[a][0:6], force)


@dataclass(frozen=True, eq=False)
class NewtonMatrix:
    """H of the coordinates that are not prescribed. dofs, prescribed: of each joint; W: of linearised.py.

    linearise: of another method, in place of `linearise_joint`
    """

    dofs: tuple[int, ...]
    prescribed: tuple[bool, ...]
    W: int
    linearise: Linearise | None = field(default=None, kw_only=True)

    @cached_property
    def start(self) -> list[int]:
        """Where each joint's coordinates begin in H."""
        sizes = [0 if given else dof for dof, given in zip(self.dofs, self.prescribed, strict=True)]
        return [0, *np.cumsum(sizes).tolist()]

    @property
    def n(self) -> int:
        """Unknowns."""
        return self.start[-1]

    @property
    def H(self) -> Data:
        """The matrix, (n, n)."""
        return Data("H", self.n, self.n)

    @property
    def b(self) -> Data:
        """-r, and then dx."""
        return Data("b", self.n)

    @property
    def order(self) -> Data:
        """The exchanges of rows."""
        return Data("order", self.n)

    @property
    def moving(self) -> list[int]:
        """The joints that have unknowns."""
        return [j for j in range(len(self.dofs)) if self.size(j)]

    def size(self, j: int) -> int:
        """Unknowns of a joint."""
        return self.start[j + 1] - self.start[j]

    def assemble(self, reactions: bool = False) -> tuple[ProgramStage, ...]:
        """All entries of H. reactions: with those of constraints."""
        columns = columns_above if self.W == 9 else forced_columns_above
        return (
            Call(clear, lambda at: [(at[self.H], self.H.size)] if self.n else [], (self.H,)),
            clear_blocks,
            composites(self.W, reactions, self.linearise),
            Call(rows_above, self.upper_rows, (self.H,)),
            Call(columns, self.lower_rows, (self.H,)),
            Call(add_block, self.block_rows, (self.H,)),
            Call(
                unit_columns,
                lambda at: [(UNITS, at.world("r0"), at.world("r1"))] if any(k < 0 for pair in at.pairs for k in pair) else [],
                (UNITS,),
            ),
            Call(between, self.between_rows, (self.H, UNITS)),
        )

    def solve(self) -> tuple[ProgramStage, ...]:
        """dx = H^-1 (-r), of prescribed joints zero."""
        return *self.inward(), *self.factored(), *self.solved(self.b), *self.outward()

    def factored(self) -> tuple[ProgramStage, ...]:
        """H, eliminated."""
        H, order, n = self.H, self.order, self.n
        return (Call(factor_pivoted, lambda at: [(H, order, n, start, stop) for start, stop in panels(n)], (H, order)),)

    def solved(self, b: Data, count: int = 1) -> tuple[ProgramStage, ...]:
        """H^-1 b in place of b, or of its first rows."""
        H, order, n = self.H, self.order, self.n
        if b.columns is not None:
            return (Call(solve_several, lambda at: [(H, order, b, n, count)], (H, order, b)),)
        return (Call(solve_pivoted, lambda at: [(H, order, b, n)] if n else [], (H, order, b)),)

    def inward(self) -> tuple[ProgramStage, ...]:
        """-r from the joints."""
        return (
            Call(copy, lambda at: [(at.field(j, "missing"), at[self.b] + self.start[j], self.size(j)) for j in self.moving], (self.b,)),
        )

    def outward(self) -> tuple[ProgramStage, ...]:
        """dx to the joints."""
        return (
            Call(clear, lambda at: [(at.field(j, "dx"), dof) for j, dof in enumerate(self.dofs) if dof > self.size(j)]),
            Call(copy, lambda at: [(at[self.b] + self.start[j], at.field(j, "dx"), self.size(j)) for j in self.moving], (self.b,)),
        )

    def movers(self, at: Addresses, j: int, own: bool = True) -> list[tuple[int, int]]:
        """(joint, coordinate) of all unknowns that move body j, root first; of ~j those of the joint. own: those of its own joint too."""
        if j < 0:
            return [(~j, c) for c in range(self.size(~j))]
        return [(a, c) for a in reversed(at.tree.ancestors(j)) if own or a != j for c in range(self.size(a))]

    def numbers(self, pairs: list[tuple[int, int]]) -> list[int]:
        """Their places in H."""
        return [self.start[a] + c for a, c in pairs]

    def upper_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each unknown that has others above it."""
        rows: list[tuple[Any, ...]] = []
        for j in range(len(self.dofs)):
            above = self.movers(at, j, own=False)
            twists = [at.field(a, "twist") + 6 * c for a, c in above]
            for c in range(self.size(j) if above else 0):
                entries = [at[self.H] + self.H.leading * a + self.start[j] + c for a in self.numbers(above)]
                rows.append((at.field(j, "above") + 6 * c, len(above), twists, entries))
        return rows

    def lower_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """The same, mirrored."""
        rows: list[tuple[Any, ...]] = []
        for j in range(len(self.dofs)):
            above = self.movers(at, j, own=False)
            columns = [at.field(a, "column") + self.W * c for a, c in above]
            for c in range(self.size(j) if above else 0):
                line = at[self.H] + self.H.leading * (self.start[j] + c)
                rows.append((at.field(j, "row") + self.W * c, len(above), columns, line, self.numbers(above)))
        return rows

    def block_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each joint that moves."""
        H, leading = at[self.H], self.H.leading
        joints = [j for j in range(len(self.dofs)) if self.size(j)]
        return [(at.field(j, "block"), (H + (leading + 1) * self.start[j], leading), self.size(j)) for j in joints]

    def between_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each pair of bodies that a force couples, or of coordinates that it follows."""
        rows: list[tuple[Any, ...]] = []
        for i, j in at.pairs:
            left, right = self.movers(at, i), self.movers(at, j)
            twists = [at.field(a, "twist") + 6 * c if i >= 0 else at[UNITS] + UNIT * c + 18 for a, c in left]
            columns = [at.field(a, "column") + self.W * c if j >= 0 else at[UNITS] + UNIT * c for a, c in right]
            rows.append(((at.block(i, j), PAIR), self.H, len(left), len(right), twists, columns, self.numbers(left), self.numbers(right)))
        return rows
