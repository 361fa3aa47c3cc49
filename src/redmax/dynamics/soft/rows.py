"""Rows of constraints in implicit steps beside deformables: the Schur complement of the system of joints and nodes, on kept factors.

    [ H  -G' ] [   x    ]   [ b ]
    [ G   c  ] [ lambda ] = [ g ]       H x0 = b by solve.py,   (G H^-1 G' + c) lambda = g - G x0,   x = x0 + H^-1 G' lambda

x: the accelerations of free nodes and of joints, in the order in which the solver has them; those that are given stand behind, in G alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.dynamics.common.islands import Island
from redmax.dynamics.redmax.rows import RowsByMatrix
from redmax.dynamics.soft.solve import ByFronts, ByLibrary, direct_solver
from redmax.dynamics.soft.system import SoftSystem
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole
from redmax.program.sweep import Part


@routine
def add_taken(C: Matrix, y: Vector, tau: Vector, n: Whole, column: Whole, dof: Whole) -> None:
    """tau += C' y of coordinates whose acceleration is given, from `column` of C on; y: n accelerations that rows bring."""
    for i in range(n):
        tau[0:dof] += y[i] * C[i, column : column + dof]


@routine
def subtract_pull(G: Matrix, x: Vector, tau: Vector, m: Whole, column: Whole, dof: Whole) -> None:
    """tau -= G' lambda of the same."""
    for k in range(m):
        tau[0:dof] -= x[k] * G[k, column : column + dof]


@dataclass(frozen=True, eq=False)
class RowsBesideNodes(RowsByMatrix):
    """nodes: the system that has been solved; solver: by which elimination."""

    nodes: SoftSystem | None = None
    solver: ByFronts | ByLibrary | None = None

    def solve_lines(self, B: Data, m: int) -> tuple[ProgramStage, ...]:
        assert self.solver is not None
        return self.solver.solve_lines(B, m)

    def torques(self, i: Island, y: Data) -> tuple[ProgramStage, ...]:
        assert self.nodes is not None
        system, dof = self.nodes, {j: link.joint.dof for j, link in enumerate(self.model.links)}
        H, G, x, pattern = system.H, self.G(i), i.multipliers, system.pattern
        held = [j for j in H.start if H.known[j] and dof[j]]

        def taken(at: Addresses) -> list[tuple[Any, ...]]:
            parts = [(system.border(at, node), at[y] + self.start[node], 3) for node in pattern.bordering]
            parts += [(H.H, at[y] + self.free_joints, H.free)] if H.free else []
            return [(C, part, at.field(j, "tau"), n, H.start[j], dof[j]) for j in held for C, part, n in parts]

        def pulls(at: Addresses) -> list[tuple[Any, ...]]:
            return [(G, x, at.field(j, "tau"), i.m, self.start[j], dof[j]) for j in held]

        return Call(add_taken, taken, (H.H, system.C, y)), Call(subtract_pull, pulls, (G, x))

    @property
    def free_joints(self) -> int:
        """Where the coordinates of joints begin among the unknowns."""
        assert self.nodes is not None
        assert self.solver is not None
        return self.solver.start(self.nodes.joints)


def rows_beside_nodes(model: Model, part: Part) -> tuple[ProgramStage, ...]:
    """From the accelerations of an implicit step without constraints to those with them."""
    system = SoftSystem(model)
    solver, H, unknown = direct_solver(system), system.H, sum(system.sizes)
    start = {node: solver.start(g) for node, g in system.pattern.group.items()}
    for j, first in H.start.items():
        start[j] = unknown + first - H.free if H.known[j] else solver.start(system.joints) + first if H.free else 0
    columns = Data("joints and nodes", unknown + H.n - H.free, 0)
    return RowsBesideNodes(model, part, H=columns, start=start, free=unknown, nodes=system, solver=solver).stages()
