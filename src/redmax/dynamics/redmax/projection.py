"""The system of the joints seen through a map of their coordinates, q = f(q_R) (RedMax notes Sec. 2.6), as stages of a program.

    before:   q = f(q_R),  qdot = J qdot_R,  and the bias Jdot qdot_R, all from one formula that is traced
    after:    J' A J qddot_R = J' x

A and x are those of the joints with the bias taken off. q_R are the slides behind the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.redmax.dense import DenseSystem
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.solvers.pivoted import eliminate
from redmax.solvers.reduced_matrix import copy


@routine
def multiply_matrices(A: Matrix, B: Matrix, C: Matrix, rows: Whole, inner: Whole, columns: Whole) -> None:
    """C = A B."""
    for i in range(rows):
        for k in range(columns):
            C[i, k] = dot(A[i, 0:inner], B[0:inner, k])


@routine
def multiply_transposed(A: Matrix, B: Matrix, C: Matrix, rows: Whole, inner: Whole, columns: Whole) -> None:
    """C = A' B."""
    for i in range(rows):
        C[i, 0:columns] = 0.0
    for j in range(inner):
        for i in range(rows):
            C[i, 0:columns] += A[j, i] * B[j, 0:columns]


@routine
def multiply_vector(A: Matrix, x: Vector, y: Vector, rows: Whole, columns: Whole) -> None:
    """y = A' x."""
    y[0:columns] = 0.0
    for i in range(rows):
        y[0:columns] += x[i] * A[i, 0:columns]


@dataclass(frozen=True, eq=False)
class Projection:
    """Between the joints of `dense` and the coordinates of `map`."""

    dense: DenseSystem
    map: CoordinateMap

    @property
    def N(self) -> int:
        """Coordinates of the map."""
        return self.map.size

    @property
    def bias(self) -> Data:
        """Jdot qdot_R, (nv,)."""
        return Data("bias", self.dense.n)

    @property
    def J(self) -> Data:
        """(nv, N), by columns: its rows are those of J'."""
        return Data("J_rR", self.dense.n, self.N)

    def place_joints(self) -> tuple[Call, ...]:
        """q and qdot of the joints, J and the bias, from those of the slides."""
        N, n, J, bias = self.N, self.dense.n, self.J, self.bias
        nq = self.dense.model.configurations.size
        q_R, qdot_R, q, qdot = Data("q_R", N), Data("qdot_R", N), Data("q of joints", nq), Data("qdot of joints", n)
        formula = Formula({"q_R": N, "qdot_R": N}, {"q": nq, "qdot": n, "J": J.size, "bias": n}, self.evaluate)
        given = Call(
            copy, lambda at: [row for d, name in ((q_R, "q"), (qdot_R, "qdot")) for row in self.slide_rows(at, name, d)], (q_R, qdot_R)
        )
        found = Call(formula, lambda at: [(at[q_R], at[qdot_R], at[q], at[qdot], at[J], at[bias])], (q, qdot, J, bias))
        return given, found, Call(copy, lambda at: [*joint_rows(at, "q", q), *joint_rows(at, "qdot", qdot)], (q, qdot))

    def evaluate(self, q_R: Any, qdot_R: Any) -> list[Any]:
        """Of the formula."""
        position, rate, J, bias = self.map.terms(list(q_R), list(qdot_R))
        padded = np.zeros((self.dense.n, self.J.leading)).astype(object)
        padded[:, : self.N] = J
        return [position, rate, padded, bias]

    @property
    def A_R(self) -> Data:
        """J' A J, (N, N)."""
        return Data("A_R", self.N, self.N)

    @property
    def x_R(self) -> Data:
        """The right side, and then qddot of the slides."""
        return Data("x_R", self.N)

    def matrix(self) -> tuple[Call, ...]:
        """J' A J, given A of the joints."""
        N, n, J, A, A_R, T = self.N, self.dense.n, self.J, self.dense.A, self.A_R, Data("A J", self.dense.n, self.N)
        return (
            Call(multiply_matrices, lambda at: [(A, J, T, n, n, N)], (A, J, T)),
            Call(multiply_transposed, lambda at: [(J, T, A_R, N, n, N)], (J, T, A_R)),
        )

    def solve(self) -> tuple[Call, ...]:
        """qddot of the slides, given the system of the joints."""
        dense, N, n, J = self.dense, self.N, self.dense.n, self.J
        x, A_R, x_R = dense.x, self.A_R, self.x_R
        calls = [
            *dense.right_side(),
            *self.matrix(),
            Call(multiply_vector, lambda at: [(J, x, x_R, n, N)], (J, x, x_R)),
        ]
        calls += eliminate(A_R, x_R, N, dense.symmetric)
        return *calls, Call(copy, lambda at: [(b, a, d) for a, b, d in self.slide_rows(at, "qddot", x_R)], (x_R,))

    def slide_rows(self, at: Addresses, name: str, vector: Data) -> list[tuple[int, int, int]]:
        """(field, place in a vector, 1) of each slide."""
        return [(at.field(at.tree.led + k, name), at[vector] + k, 1) for k in range(self.N)]


def joint_rows(at: Addresses, name: str, vector: Data) -> list[tuple[int, int, int]]:
    """(place in a vector, field, how many) of each joint that is led."""
    rows: list[tuple[int, int, int]] = []
    start = at[vector]
    for j in range(at.tree.led):
        size = at.size(j, name)
        rows.append((start, at.field(j, name), size))
        start += size
    return rows
