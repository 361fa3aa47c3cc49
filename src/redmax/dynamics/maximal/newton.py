"""Newton's step of an implicit method by the sparse system of bodies and joints, where forces or reactions couple bodies beyond the tree.

Unknowns are how each body moves, chi = (phi, psi, s), what its joint transmits, F, and dx of its joint (recursive/linearised.py):

    chi_b = chi_p + chi_j dx_j                                     rows of joints
    F_b = N_b chi_b + w_b + sum over children (F_c + s x* F dx_c)    rows of bodies,   w_b = sum over pairs [D, -K] (psi_r; s_r)
    s_j' F_b + (own slopes) dx_j = y_j                             rows of coordinates

Backward differences move the coordinates of joints, on which bodies are placed: joints do not open. For given w the system has the zeros
of the tree, and is eliminated along it, T, without fill-in, as that of the accelerations is (solve.py). w of the bodies that are coupled
border it, and so do the rows of constraints (recursive/newton_rows.py):

    x = T^-1 (y - J' w),    (1 + Z R T^-1 J') w = Z R T^-1 y        Z R: w that belongs to x

The work is of the order of joints times (rows and coupled bodies), and no matrix of all coordinates is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.dynamics.recursive.linearised import FORCED, Linearise, linearise_joint, ready
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix
from redmax.math import sqrt
from redmax.model.model import Model
from redmax.program.interaction import coupled_pairs
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Part, Recursion, backward, interactions, recursion
from redmax.solvers.bordered_tree import add_border, complete_border, push_back, solve_and_feel
from redmax.solvers.pivoted import factor_pivoted
from redmax.solvers.reduced_matrix import clear, clear_blocks, panels

W = FORCED


def eliminate_joint(linearise: Linearise | None, j: JointView, p: ParentView, w: WorldView) -> None:
    """Of each joint what T^-1 takes, for any right side: s, chi, Y, Z and D^-1 of recursive/newton_step.py."""
    here = (linearise or linearise_joint)(W, j, p, w)
    N = here.N + j.N_hat.reshape(6, W)
    if j.prescribed:
        p.N_hat += N.ravel()
        return
    n, moved = j.joint.dof, N @ here.chi
    given = np.concatenate([here.s.T @ N, np.eye(n)], axis=1)
    solved = solve_unsymmetric(here.s.T @ moved + here.slopes, given, nothing=sqrt(0.0 - w.r2))  # which is no number
    Z, Y = solved[:, :W], moved + here.carried
    j.twist, j.column, j.above = here.s.T.ravel(), here.chi.T.ravel(), Y.T.ravel()
    j.row, j.block = Z.ravel(), solved[:, W:].ravel()
    p.N_hat += (N - Y @ Z).ravel()


def factors(reactions: bool, linearise: Linearise | None = None) -> Recursion:
    """reactions: with how those of constraints change."""

    @backward
    def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
        eliminate_joint(linearise, j, p, w)

    rows = [interactions(Part.NEWTON_ROWS)] if reactions else []
    return recursion(ready, interactions(Part.NEWTON), *rows, eliminate, name=f"maximal newton{' with rows' * reactions}{linearise or ''}")


@dataclass(frozen=True, eq=False)
class SparseNewton(NewtonMatrix):
    """Stands for H, which it never fills. pairs: of members that are coupled beyond the tree, as numbers of blocks."""

    pairs: tuple[tuple[int, int], ...]
    parent: tuple[int, ...]

    def unknowns(self, member: int) -> int:
        """Of w of a body, or (of ~j) of the coordinates of a joint."""
        return 6 if member >= 0 else self.size(~member)

    def moves(self, member: int) -> bool:
        """Whether some unknown moves it."""
        j = member if member >= 0 else ~member
        while j >= 0:
            if self.size(j):
                return True
            j = self.parent[j] if member >= 0 else -1
        return False

    @cached_property
    def coupled(self) -> tuple[tuple[int, int], ...]:
        """The pairs that count."""
        return tuple((i, j) for i, j in self.pairs if self.moves(i) and self.moves(j))

    @cached_property
    def place(self) -> dict[int, int]:
        """Where w of each member that feels something of others begins."""
        members = list(dict.fromkeys(i for i, _ in self.coupled))
        starts = np.concatenate([[0], np.cumsum([self.unknowns(i) for i in members])]).astype(int)
        return dict(zip(members, starts.tolist(), strict=False))

    @property
    def p(self) -> int:
        """Numbers in all w."""
        return sum(self.unknowns(i) for i in self.place)

    @cached_property
    def alone(self) -> dict[int, int]:
        """The joints whose coordinates count by themselves, ~j, and behind all bodies a row of chi for each."""
        found = dict.fromkeys(j for _, j in self.coupled if j < 0)
        return {j: len(self.dofs) + k for k, j in enumerate(found)}

    @property
    def chi(self) -> Data:
        """How bodies move for one right side."""
        return Data("newton chi", len(self.dofs) + len(self.alone), W)

    @property
    def wrenches(self) -> Data:
        """What bodies hand on, for one right side."""
        return Data("newton wrenches", len(self.dofs), 6)

    @property
    def work(self) -> Data:
        """Of one joint."""
        return Data("newton work", 6)

    @property
    def columns(self) -> Data:
        """-T^-1 J', a row for each number of w."""
        return Data("newton columns", self.p, self.n)

    @property
    def border(self) -> Data:
        """(1 + Z R T^-1 J')'."""
        return Data("newton border", self.p, self.p)

    @property
    def exchanges(self) -> Data:
        """Of rows of the border."""
        return Data("newton exchanges", self.p)

    @property
    def data(self) -> tuple[Data, ...]:
        """All of it."""
        return self.chi, self.wrenches, self.work, self.columns, self.border, self.exchanges

    def tree(self, at: Addresses) -> tuple[Any, ...]:
        """What T^-1 takes, as arguments of a routine."""
        every = [(j, c) for j in self.moving for c in range(self.size(j))]
        s, Y, Z, chi = (
            [at.field(j, name) + width * c for j, c in every] for name, width in (("twist", 6), ("above", 6), ("row", W), ("column", W))
        )
        inverse = [at.field(j, "block") if self.size(j) else 0 for j in range(len(self.dofs))]
        return self.wrenches, self.chi, self.work, len(self.dofs), self.start, list(self.parent), inverse, s, Y, Z, chi

    def felt(self, at: Addresses) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What Z R takes, before and behind where its result begins."""
        units = [~j for j in self.alone]
        first, count = [self.start[j] for j in units], [self.size(j) for j in units]
        blocks = [at.block(i, j) for i, j in self.coupled]
        right = [j if j >= 0 else self.alone[j] for _, j in self.coupled]
        left, size = [self.place[i] for i, _ in self.coupled], [self.unknowns(i) for i, _ in self.coupled]
        alone = at.world("r0"), at.world("r1"), len(units), first, count, list(self.alone.values())
        return alone, (self.p, len(blocks), blocks, right, left, size)

    def passes(self, at: Addresses, sides: Sequence[tuple[int, int, int, int]]) -> list[tuple[Any, ...]]:
        """Of right sides: where each begins, the body and entry of a wrench beside it, and where w of it begins."""
        tree, (alone, coupled) = self.tree(at), self.felt(at)
        return [(x, body, entry, *tree, *alone, w, *coupled) for x, body, entry, w in sides]

    def assemble(self, reactions: bool = False) -> tuple[ProgramStage, ...]:
        """What each joint and each pair contributes."""
        return clear_blocks, factors(reactions, self.linearise)

    def factored(self) -> tuple[ProgramStage, ...]:
        """The border, eliminated."""
        if not self.p:
            return ()
        p, X, E, exchanges = self.p, self.columns, self.border, self.exchanges
        units = [(i, c) for i in self.place for c in range(self.unknowns(i))]

        def passes(at: Addresses) -> list[tuple[Any, ...]]:
            where = [(i, c) if i >= 0 else (-1, 0) for i, c in units]
            return self.passes(at, [(at[X] + k * X.leading, *x, at[E] + k * E.leading) for k, x in enumerate(where)])

        of_coordinates = [(k, self.start[~i] + c) for k, (i, c) in enumerate(units) if i < 0]
        return (
            Call(clear, lambda at: [(at[X], X.size)], (X,)),
            Call(push_back, lambda at: [(at[X] + k * X.leading + c,) for k, c in of_coordinates], (X,)),
            Call(solve_and_feel, passes, self.data),
            Call(complete_border, lambda at: [(E, p)], (E,)),
            Call(factor_pivoted, lambda at: [(E, exchanges, p, *panel) for panel in panels(p)], (E, exchanges)),
        )

    def solved(self, b: Data, count: int = 1) -> tuple[ProgramStage, ...]:
        """H^-1 b in place of b, or of its first rows."""
        w = Data(f"newton w of {b.name}", count, self.p)
        places = lambda at: [(at[b] + k * b.leading, at[w] + k * w.leading) for k in range(count)]  # noqa: E731
        passes = lambda at: self.passes(at, [(x, -1, 0, felt) for x, felt in places(at)])  # noqa: E731

        def borders(at: Addresses) -> list[tuple[Any, ...]]:
            return [(x, self.columns, self.border, self.exchanges, felt, self.n, self.p) for x, felt in places(at)]

        border = (Call(add_border, borders, (b, w, *self.data)),) if self.p else ()
        return Call(solve_and_feel, passes, (b, w, *self.data)), *border


def matrix_of(model: Model, linearise: Linearise | None = None) -> SparseNewton:
    """Newton's system of the joints that are not prescribed."""
    of_rows = coupled_pairs(model.rows, Part.NEWTON_ROWS) if model.constraints else []
    pairs = dict.fromkeys([*coupled_pairs(model.acting, Part.NEWTON), *of_rows])
    dofs = tuple(link.joint.dof for link in model.links)
    return SparseNewton(dofs, model.prescribed, W, tuple(pairs), tuple(model.tree.parent), linearise=linearise)
