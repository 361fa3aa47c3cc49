"""Newton's step of an implicit method through a map of coordinates, q = f(q_R) (RedMax notes Sec. 2.6), as stages of a program.

    q = f(q_R),   qdot = J qdot_R,   qddot = J qddot_R + Jdot qdot_R,     r_R = J' r
    dr_R/dx = J' (H J + D Q1 + M Q2) + d(J' r)/dq_R,     Q1 = d qdot/dq_R,   Q2 = d qddot/dq_R + r1 d qddot/d qdot_R

x moves q_R by dx, qdot_R by r1 dx and qddot_R by r2 dx. H, D and M are Newton's matrix of the joints (../recursive/newton_matrix.py) for q,
qdot and qddot that change by (1, r1, r2), (0, 1, 0) and (0, 0, 1); of a map that is a matrix, H alone counts. q_R are the slides behind the
joints (hyper_reduced.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.recursive.linearised import width
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix
from redmax.dynamics.recursive.transmitted import move_joint, transmit
from redmax.dynamics.redmax.projection import joint_rows, multiply_matrices, multiply_transposed, multiply_vector
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.program.sweep import Part, backward, forward, interactions, once, recursion
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted
from redmax.solvers.reduced_matrix import copy
from redmax.trace import Graph, Scalar, jacobian

if TYPE_CHECKING:
    from redmax.dynamics.redmax.newton_rows import MappedNewtonRows


@routine
def add_product(A: Matrix, B: Matrix, C: Matrix, rows: Whole, inner: Whole, columns: Whole) -> None:
    """C += A B."""
    for i in range(rows):
        for k in range(columns):
            C[i, k] += dot(A[i, 0:inner], B[0:inner, k])


@routine
def add_matrix(A: Matrix, B: Matrix, rows: Whole, columns: Whole) -> None:
    """B += A."""
    for i in range(rows):
        B[i, 0:columns] += A[i, 0:columns]


@routine
def add_up(b: Vector, tau: Vector, n: Whole, ah: Vector, whole: Vector, square: Vector, base: Vector) -> None:
    """(a h)^4 |b|^2, and the same of b with all of tau."""
    a = ah[0] * ah[0]
    square[0] += a * a * dot(b[0:n], b[0:n])
    for i in range(n):
        r = a * (b[i] + (1.0 - whole[0]) * tau[i])
        base[0] += r * r


@once
def by_rates(w: WorldView) -> None:
    w.r0, w.r1, w.r2 = 0.0, 1.0, 0.0


@once
def by_accelerations(w: WorldView) -> None:
    w.r0, w.r1, w.r2 = 0.0, 0.0, 1.0


@once
def by_all(w: WorldView) -> None:
    w.r0, w.r1, w.r2 = 1.0, 1.0 / w.ah, 1.0 / (w.ah * w.ah)


@forward
def move(j: JointView, p: ParentView, w: WorldView) -> None:
    move_joint(j, p, w)


@backward
def balance(j: JointView, p: ParentView, w: WorldView) -> None:
    """The force that is missing; where terms are only weighed, without tau."""
    j.missing = w.whole * j.tau - transmit(j, p)


inverse = recursion(move, interactions(Part.WRENCH), balance, name="inverse dynamics of a step")
inverse_with_rows = recursion(
    move, interactions(Part.WRENCH), interactions(Part.REACTIONS), balance, name="inverse dynamics of a step with rows"
)


class ReducedNewton(NewtonMatrix):
    """Newton's matrix of the coordinates of a map, as far as it is eliminated: `MappedNewton` fills it."""

    @property
    def H(self) -> Data:
        return Data("A_R", self.n, self.n)

    @property
    def b(self) -> Data:
        return Data("b_R", self.n)

    @property
    def order(self) -> Data:
        return Data("order_R", self.n)

    def inward(self) -> tuple[ProgramStage, ...]:
        return ()

    def outward(self) -> tuple[ProgramStage, ...]:
        """dx to the slides."""
        return (Call(copy, lambda at: [(at[self.b] + k, at.field(at.tree.led + k, "dx"), 1) for k in range(self.n)], (self.b,)),)


@dataclass(frozen=True, eq=False)
class MappedNewton:
    """Between the joints of a model and the coordinates of its map. World fields that it reads: whole, ah, r1, r2."""

    model: Model
    map: CoordinateMap

    @cached_property
    def matrix(self) -> NewtonMatrix:
        """Of the joints, none of which is prescribed."""
        dofs = tuple(link.joint.dof for link in self.model.links)
        return NewtonMatrix(dofs, (False,) * len(dofs), width(self.model))

    @property
    def n(self) -> int:
        """Coordinates of the joints."""
        return self.matrix.n

    @property
    def N(self) -> int:
        """Coordinates of the map."""
        return self.map.size

    def columns(self, name: str) -> Data:
        """A matrix with a column for each coordinate of the map, (n, N)."""
        return Data(name, self.n, self.N)

    @property
    def J(self) -> Data:
        """df/dq_R."""
        return self.columns("J_rR")

    @property
    def b(self) -> Data:
        """-r_R, and then dx."""
        return self.reduced.b

    @property
    def reduced(self) -> ReducedNewton:
        """dr_R/dx, for rows to stand beside."""
        return ReducedNewton((self.N,), (False,), self.matrix.W)

    @cached_property
    def bent(self) -> bool:
        """Whether qdot or qddot of the joints change with q_R beside J: not if the map is a matrix."""
        graph = Graph()
        given = [vector for name in ("q_R", "qdot_R", "qddot_R") for vector in [graph.inputs(name, self.N)]]
        return any(isinstance(x, Scalar) or x for part in self.curvature(*given) for x in np.ravel(part))

    def curvature(self, q: Any, qdot: Any, qddot: Any, r1: Any = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Q1 and Q2, traced."""
        _, rate, J, bias = self.map.terms(list(q), list(qdot))
        acceleration = J @ np.asarray(qddot, object) + bias
        return jacobian(list(rate), list(q)), jacobian(list(acceleration), list(q)) + r1 * jacobian(list(acceleration), list(qdot))

    def padded_curvature(self, q: Any, qdot: Any, qddot: Any, r1: Any) -> list[Any]:
        """Of the formula."""
        return [self.padded(Q) for Q in self.curvature(q, qdot, qddot, r1[0])]

    def place_joints(self) -> tuple[ProgramStage, ...]:
        """q, qdot and qddot of the joints, from those of the slides; J too."""
        N, n, J = self.N, self.n, self.J
        given = [Data(name, N) for name in ("q_R", "qdot_R", "qddot_R")]
        found = [Data(f"{name} of joints", n) for name in ("q", "qdot", "qddot")]
        fields = ("q", "qdot", "qddot")
        formula = Formula({d.name: N for d in given}, dict.fromkeys(fields, n) | {"J": J.size}, self.place)
        return (
            Call(copy, lambda at: [row for d, f in zip(given, fields, strict=True) for row in self.slide_rows(at, f, d)], tuple(given)),
            Call(formula, lambda at: [tuple(at[d] for d in (*given, *found, J))], (*given, *found, J)),
            Call(copy, lambda at: [row for d, f in zip(found, fields, strict=True) for row in joint_rows(at, f, d)], tuple(found)),
        )

    def place(self, q: Any, qdot: Any, qddot: Any) -> list[Any]:
        """Of the formula."""
        position, rate, J, bias = self.map.terms(list(q), list(qdot))
        return [position, rate, J @ np.asarray(qddot, object) + bias, self.padded(J)]

    def padded(self, matrix: Any) -> np.ndarray:
        """A matrix (n, N) as it lies in memory."""
        full = np.zeros((len(matrix), Data("", len(matrix), self.N).leading)).astype(object)
        full[:, : self.N] = matrix
        return full

    @cached_property
    def rows(self) -> MappedNewtonRows | None:
        """Those of constraints, if there are some."""
        if not self.model.constraints:
            return None
        from redmax.dynamics.redmax.newton_rows import MappedNewtonRows

        return MappedNewtonRows(self.model, self.matrix, self)

    def residual(self, carried: tuple[ProgramStage, ...] = ()) -> tuple[ProgramStage, ...]:
        """From the slides' q, qdot and qddot: b = -r_R, and its squares added up. carried: what follows joints once placed."""
        J, b, n, N = self.J, self.b, self.n, self.N
        missing, tau, tau_R = Data("missing of joints", n), Data("tau of joints", n), Data("tau_R", N)
        fields = ((missing, "missing"), (tau, "tau"))
        world = ("ah", "whole", "square", "base_square")
        return (
            *self.place_joints(),
            *carried,
            inverse_with_rows if self.model.constraints else inverse,
            Call(copy, lambda at: [(a, c, size) for d, f in fields for c, a, size in joint_rows(at, f, d)], (missing, tau)),
            Call(multiply_vector, lambda at: [(J, missing, b, n, N), (J, tau, tau_R, n, N)], (J, missing, tau, b, tau_R)),
            Call(add_up, lambda at: [(b, tau_R, N, *map(at.world, world))], (b, tau_R)),
        )

    def direction(self) -> tuple[ProgramStage, ...]:
        """dx of the slides, at the place last tried."""
        H, J, b, n, N = self.matrix.H, self.J, self.b, self.n, self.N
        T, A, order, missing, rows = self.columns("H J"), self.reduced.H, self.reduced.order, Data("missing of joints", n), self.rows
        bending = Data("bending", N, N)
        bend = Formula({"q": N, "missing": n}, {"bending": bending.size}, self.bending)
        solved: tuple[ProgramStage, ...] = (
            Call(factor_pivoted, lambda at: [(A, order, N, 0, N)], (A, order)),
            Call(solve_pivoted, lambda at: [(A, order, b, N)], (A, order, b)),
            *self.reduced.outward(),
        )
        return (
            *self.matrix.assemble(rows is not None),
            *(rows.of_joints() if rows else ()),
            Call(multiply_matrices, lambda at: [(H, J, T, n, n, N)], (H, J, T)),
            *(self.curved(T) if self.bent else ()),
            Call(multiply_transposed, lambda at: [(J, T, A, N, n, N)], (J, T, A)),
            Call(bend, lambda at: [(at[Data("q_R", N)], at[missing], at[bending])], (missing, bending)),
            Call(add_matrix, lambda at: [(bending, A, N, N)], (bending, A)),
            *(rows.solve() if rows else solved),
        )

    def curved(self, T: Data) -> tuple[ProgramStage, ...]:
        """T += D Q1 + M Q2."""
        H, n, N = self.matrix.H, self.n, self.N
        given = [Data(name, N) for name in ("q_R", "qdot_R", "qddot_R")]
        Q = self.columns("Q1"), self.columns("Q2")
        sizes = {"Q1": Q[0].size, "Q2": Q[1].size}
        formula = Formula({d.name: N for d in given} | {"r1": 1}, sizes, self.padded_curvature)
        stages: list[ProgramStage] = [
            Call(formula, lambda at: [(*[at[d] for d in given], at.world("r1"), at[Q[0]], at[Q[1]])], (*given, *Q))
        ]
        for change, columns in ((by_rates, Q[0]), (by_accelerations, Q[1])):
            stages += [recursion(change, name=f"map {change.name}"), *self.matrix.assemble(self.rows is not None)]
            stages.append(Call(add_product, lambda at, Q=columns: [(H, Q, T, n, n, N)], (H, columns, T)))
        return *stages, recursion(by_all, name="map by_all")

    def bending(self, q: Any, missing: Any) -> list[Any]:
        """d(J' r)/dq_R with r = -missing held."""
        J = self.map.terms(list(q), list(q))[2]
        return [self.padded(jacobian(list(-(J.T @ missing)), list(q)))]

    def slide_rows(self, at: Addresses, name: str, vector: Data) -> list[tuple[int, int, int]]:
        """(field, place in a vector, 1) of each slide."""
        return [(at.field(at.tree.led + k, name), at[vector] + k, 1) for k in range(self.N)]
