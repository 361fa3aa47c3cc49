"""Forces that couple bodies beyond the tree, or coordinates: what they add to derivatives, pair by pair.

A force on body i that changes with how body j moves, by -[D, -K] of the pair, adds to inverse dynamics and takes from forward dynamics

    s_a' [D, -K] (psi_c; s_c)            for all coordinates a that move i and c that move j
    R [D, -K] (psi_c; s_c),   R = M^-1 J_i'

by q, and by qdot with psi_c = s_c and no displacement. Where a force follows a coordinate, that stands for a body with six directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.recursive.derivative_layout import Entries, Layout, Rows
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.solvers.reduced_matrix import clear, clear_blocks

PAIR = 12  # columns of a block of two bodies: [D, -K]
UNITS = Data("unit columns", 42)  # six unit vectors, then a zero


@routine
def unit_columns(U: Vector) -> None:
    """Those of a coordinate that counts by itself and not for what it moves."""
    for k in range(42):
        U[k] = 0.0
    for c in range(6):
        U[7 * c] = 1.0


@routine
def copied_row(row: Vector, target: Vector, count: Whole, source: Wholes, number: Wholes) -> None:
    """Entries in the order of a tree go to their places in the user's."""
    for k in range(count):
        target[number[k]] = row[source[k]]


@routine
def pair_inverse(
    Z: Matrix, Q: Matrix, V: Matrix, left: Whole, right: Whole, s: Places, psi: Places, t: Places, row: Wholes, column: Wholes
) -> None:
    """Of inverse dynamics."""
    for c in range(right):
        x, y = psi[c], t[c]
        by_q = [dot(Z[i, 0:6], x[0:6]) + dot(Z[i, 6:12], y[0:6]) for i in range(6)]
        by_v = [dot(Z[i, 0:6], y[0:6]) for i in range(6)]
        for a in range(left):
            Q[row[a], column[c]] += dot(s[a][0:6], by_q)
            V[row[a], column[c]] += dot(s[a][0:6], by_v)


@routine
def pair_forward(
    Z: Matrix, Q: Matrix, V: Matrix, M: Matrix, R: Matrix, n: Whole, left: Whole, right: Whole,
    s: Places, psi: Places, t: Places, row: Wholes, column: Wholes,
) -> None:  # fmt: skip
    """Of forward dynamics; R: (6, n), M^-1 J_i' transposed."""
    for k in range(6):
        R[k, 0:n] = 0.0
    for a in range(left):
        for k in range(6):
            R[k, 0:n] += s[a][k] * M[row[a], 0:n]
    for c in range(right):
        x, y = psi[c], t[c]
        by_q = [dot(Z[i, 0:6], x[0:6]) + dot(Z[i, 6:12], y[0:6]) for i in range(6)]
        by_v = [dot(Z[i, 0:6], y[0:6]) for i in range(6)]
        for k in range(6):
            Q[0:n, column[c]] -= by_q[k] * R[k, 0:n]
            V[0:n, column[c]] -= by_v[k] * R[k, 0:n]


@dataclass(frozen=True, eq=False)
class Coupled:
    """The matrices of all coordinates, of a model whose trees are coupled. of_trees: of which they are made, by q, qdot and the third."""

    layout: Layout
    of_trees: list[Entries]
    forward: bool

    @cached_property
    def matrices(self) -> list[Rows]:
        """The same of all coordinates, in the user's order."""
        return [Rows(x.name.removesuffix(" of trees"), x.rows, x.rows) for x in self.of_trees]

    @property
    def response(self) -> Rows:
        """M^-1 J_i', transposed."""
        return Rows("response of a body", 6, self.layout.n)

    def stages(self) -> tuple[ProgramStage, ...]:
        """After those of the trees."""
        data = (*self.of_trees, *self.matrices, self.response, UNITS)
        pair = pair_forward if self.forward else pair_inverse
        return (
            Call(unit_columns, lambda at: [(at[UNITS],)], data),
            Call(clear, lambda at: [(at[x], x.size) for x in self.matrices], data),
            Call(copied_row, self.copied, data),
            Call(pair, self.pairs, data),
        )

    def before(self) -> tuple[ProgramStage, ...]:
        """Before forces act."""
        return (clear_blocks,)

    def copied(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each coordinate and matrix."""
        rows: list[tuple[Any, ...]] = []
        for tree, first in zip(self.layout.trees, self.layout.first, strict=False):
            numbers, leading, columns = self.layout.numbers(tree), self.layout.leading(tree), self.layout.columns(tree)
            for i, number in enumerate(numbers.tolist()):
                source = np.flatnonzero(tree.relation[i]) if self.layout.related else np.arange(tree.n)
                for x, full in zip(self.of_trees, self.matrices, strict=True):
                    places = at[x] + first + leading * i, at[full] + full.leading * number
                    rows.append((*places, len(source), columns[i, source].tolist(), numbers[source].tolist()))
        return rows

    def movers(self, at: Addresses, j: int) -> list[tuple[int, int]]:
        """(joint, coordinate) of all that move body j; of ~j those of the joint."""
        dofs = [link.joint.dof for link in self.layout.model.links]
        joints = [~j] if j < 0 else at.tree.ancestors(j)
        return [(a, c) for a in reversed(joints) for c in range(dofs[a])]

    def pairs(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each pair that a force couples."""
        offsets, rows = self.layout.model.offsets.tolist(), list[tuple[Any, ...]]()
        Q, V, M = self.matrices
        for i, j in at.pairs:
            left, right = self.movers(at, i), self.movers(at, j)
            s = [at.field(a, "twist") + 6 * c if i >= 0 else at[UNITS] + 6 * c for a, c in left]
            t = [at.field(a, "twist") + 6 * c if j >= 0 else at[UNITS] + 6 * c for a, c in right]
            psi = [at.field(a, "psi") + 6 * c if j >= 0 else at[UNITS] + 36 for a, c in right]
            numbers = [offsets[a] + c for a, c in left], [offsets[a] + c for a, c in right]
            own = (M, self.response, self.layout.n) if self.forward else ()
            rows.append(((at.block(i, j), PAIR), Q, V, *own, len(left), len(right), s, psi, t, *numbers))
        return rows
