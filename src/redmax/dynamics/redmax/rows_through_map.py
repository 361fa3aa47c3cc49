"""Rows of constraints on joints whose coordinates follow from fewer, q = f(q_R) (RedMax notes Sec. 2.6): the KKT system of q_R.

    A_R = J' A J,     G qddot = right,   qddot = J qddot_R + Jdot qdot_R:      (G J A_R^-1 (G J)' + c) lambda = right - G J qddot_R0 - ...
    qddot_R = qddot_R0 + A_R^-1 (G J)' lambda

Rows see the joints as they are everywhere else, with the accelerations that the map gives them; those of steps with J at the start of the
step, by which positions move. A_R has been eliminated already, for qddot_R0; for projections it is J' M J, eliminated anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.row_projection import Projection as RowProjection
from redmax.dynamics.common.rows import add
from redmax.dynamics.redmax import system
from redmax.dynamics.redmax.dense import DenseSystem
from redmax.dynamics.redmax.projection import Projection, joint_rows, multiply_matrices
from redmax.dynamics.redmax.rows import RowsByMatrix, combine
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.program.sweep import Part, Recursion, recursion
from redmax.solvers.elimination import factor
from redmax.solvers.reduced_matrix import copy, panels


@routine
def lead(J: Matrix, x: Vector, y: Vector, n: Whole, N: Whole) -> None:
    """y = J x."""
    for i in range(n):
        y[i] = dot(J[i, 0:N], x[0:N])


def through_map(model: Model, implicit: bool) -> Projection:
    """Between the joints of a model and the coordinates of its map."""
    assert model.map is not None
    return Projection(DenseSystem(model, implicit, system.place_columns.name), model.map)


def mapped_rows(model: Model, part: Part, implicit: bool = False, target: str = "qddot") -> RowsThroughMap:
    """The rows of a model with a map."""
    through = through_map(model, implicit)
    order = None if through.dense.symmetric else Data("order", through.N)
    start = through.dense.matrix.start
    return RowsThroughMap(model, part, target, H=through.A_R, order=order, start=start, free=through.N, implicit=implicit)


@dataclass(frozen=True, eq=False)
class RowsThroughMap(RowsByMatrix):
    """implicit: of an implicit step. target: the field of slides that multipliers add to."""

    implicit: bool = False

    @property
    def through(self) -> Projection:
        """Between joints and q_R."""
        return through_map(self.model, self.implicit)

    def G(self, i: Island) -> Data:
        return i.data("G", i.m, self.model.nv)

    def stages(self) -> tuple[ProgramStage, ...]:
        waiting = self.part is Part.VELOCITY_ROWS and any(r.waits for i in self.islands for r in i.rows)
        return *(self.led() if waiting else ()), *super().stages()

    def terms(self, factors: bool) -> tuple[ProgramStage, ...]:
        return *self.led(), self.sweep(self.part)

    def led(self) -> tuple[ProgramStage, ...]:
        """The accelerations of joints that the map gives them."""
        if self.part is Part.POSITION_ROWS:
            return ()
        through, n, found = self.through, self.model.nv, Data("qddot of joints", self.model.nv)
        J, x, bias = through.J, through.x_R, through.bias
        bent = (Call(add, lambda at: [(bias, found, n)], (bias, found)),) if self.part is Part.ACCELERATION_ROWS else ()
        led = Call(lead, lambda at: [(J, x, found, n, through.N)], (J, x, found))
        return led, *bent, Call(copy, lambda at: joint_rows(at, "qddot", found), (found,))

    def factors(self) -> tuple[ProgramStage, ...]:
        """Of projections: where the joints are, and J' M J."""
        if self.part is not Part.POSITION_ROWS:
            return ()
        through, A_R = self.through, self.through.A_R
        metric = *system.fill(through.dense), *through.dense.assemble(through.bias), *through.matrix()
        eliminated = Call(factor, lambda at: [(A_R, through.N, *panel) for panel in panels(through.N)], (A_R,))
        return *through.place_joints(), *metric, eliminated, *self.terms(True)

    def columns(self, i: Island) -> tuple[ProgramStage, ...]:
        G, J, G_R = self.G(i), self.through.J, i.data("G J", i.m, self.free)
        product = Call(multiply_matrices, lambda at: [(G, J, G_R, i.m, self.model.nv, self.free)], (G, J, G_R))
        return *self.filled(i), product, *self.by_elimination(i, G_R)

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        B, y, x, N = self.B(i), i.data("H^-1 G' lambda", self.free), i.multipliers, self.free

        def slides(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[y] + k, at.field(at.tree.led + k, self.target), 1) for k in range(N)]

        moved = self.of_joints(i, y) if any(r.one_sided for r in i.rows) else ()
        return Call(combine, lambda at: [(B, x, y, i.m, N)], (B, x, y)), Call(add, slides, (y,)), *moved

    def of_joints(self, i: Island, y: Data) -> tuple[ProgramStage, ...]:
        """What multipliers bring to joints and bodies, for rows that are looked at then."""
        found, J, n = Data("J H^-1 G' lambda", self.model.nv), self.through.J, self.model.nv
        led = Call(lead, lambda at: [(J, y, found, n, self.free)], (J, y, found))
        return led, Call(copy, lambda at: joint_rows(at, "row_y", found), (found,)), *self.carried(i)


@dataclass(frozen=True, eq=False)
class ProjectionThroughMap(RowProjection):
    """q_R and its rates put on the rows, by the least change of the joints in kinetic distance."""

    def system(self, target: str) -> RowsThroughMap:
        return mapped_rows(self.model, Part.POSITION_ROWS, target=target)

    def placed(self) -> tuple[ProgramStage, ...]:
        return through_map(self.model, False).place_joints()

    def moved(self, sweep: Any) -> Recursion:
        return recursion(sweep, name=f"projection {sweep.name} of slides", core=False)
