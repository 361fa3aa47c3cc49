"""Newton's matrix through a map of coordinates (newton.py) bordered by the rows of constraints (../recursive/newton_rows.py).

    G_R = G J,    B_R = B J,  of rows of velocities, off = s / r1:  B_R = B J + G Q1 / r1,   Q1 = d qdot/dq_R

G and B are those of the joints; the forces that are missing, and how they bend with the map, have the reactions in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redmax.dynamics.recursive.newton_matrix import NewtonMatrix
from redmax.dynamics.recursive.newton_rows import NewtonRows
from redmax.dynamics.redmax.projection import multiply_matrices
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot

if TYPE_CHECKING:
    from redmax.dynamics.redmax.newton import MappedNewton


@routine
def add_bent(G: Matrix, Q: Matrix, B: Matrix, rows: Whole, n: Whole, N: Whole, r1: Vector) -> None:
    """B += G Q / r1."""
    for k in range(rows):
        for i in range(N):
            B[k, i] += dot(G[k, 0:n], Q[0:n, i]) / r1[0]


@dataclass(frozen=True, eq=False)
class MappedNewtonRows(NewtonRows):
    """Over the coordinates of a map. matrix: of the joints."""

    mapped: MappedNewton

    def columns(self, name: str) -> Data:
        """(m, N)."""
        return self.square(name, self.mapped.N)

    @property
    def bordered(self) -> NewtonMatrix:
        return self.mapped.reduced

    @property
    def over_unknowns(self) -> tuple[Data, Data]:
        return self.columns("G J"), self.columns("B J")

    def of_joints(self) -> tuple[ProgramStage, ...]:
        """G and B of the joints, as their matrix was composed last."""
        return super().fill()

    def fill(self) -> tuple[ProgramStage, ...]:
        (G_R, B_R), N, m, n, J, Q = self.over_unknowns, self.mapped.N, self.m, self.matrix.n, self.mapped.J, self.mapped.columns("Q1")
        G, B, bent = self.G, self.B, [r for r in self.rows if r.kept.on_rates] if self.mapped.bent else []

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            part = [((at[M] + M.leading * r.first, M.leading) for M in (G, B_R)) for r in bent]
            return [(g, Q, b, r.kept.size, n, N, at.world("r1")) for r, (g, b) in zip(bent, part, strict=True)]

        product = Call(multiply_matrices, lambda at: [(G, J, G_R, m, n, N), (B, J, B_R, m, n, N)], (G, B, J, G_R, B_R))
        return product, *((Call(add_bent, rows, (G, Q, B_R)),) if bent else ())
