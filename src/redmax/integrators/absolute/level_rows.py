"""Index 2 where constraints hold bodies beside their joints: eta of their rows too (level.py), and velocities in the place of positions.

    J0' D = G0' eta,   g(q1) = 0:     A dq = -J0' D + G0' eta,   G1 dq = -g,     A = J0' T J1

A is a dense matrix of the joints' coordinates, bordered by the rows at the end, G1, and those at the beginning, G0, which are found once a
step. D, T of each body are in world axes: about the origin of its tree, those of the beginning as well. In the equations of motion rows
that hold positions are asked for their rates, as velocities are the unknowns there: gdot(q1, v1) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.islands import Rows
from redmax.dynamics.common.kinematics import motion, place_frame, still
from redmax.dynamics.recursive.linearised import FORCED, Place, place_of, ready
from redmax.dynamics.recursive.newton_matrix import NewtonMatrix, forced_columns_above, rows_above
from redmax.dynamics.recursive.newton_rows import AS_FAR, NewtonRows
from redmax.dynamics.redmax.rows import products, put_entries, put_products
from redmax.integrators.absolute.group import Group
from redmax.integrators.absolute.place import go, move_by_joints, pose_of
from redmax.integrators.absolute.slopes import by_inverse
from redmax.integrators.variational.relative import pose_of as joint_pose
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Vector, Whole
from redmax.program.sweep import Part, Sweep, backward, forward, interactions, recursion
from redmax.solvers.complete_pivoting import eliminate_complete, row_sizes, scale_both, solve_complete
from redmax.solvers.multiplier_steps import add_columns, ask
from redmax.solvers.reduced_matrix import add_block, clear, copy

UP = {"P_hat": 6}


@routine
def ask_for_rates(rate: Vector, right: Vector, n: Whole, r1: Vector) -> None:
    """right = gdot / r1: dx goes r1 times as fast."""
    for k in range(n):
        right[k] = rate[k] / r1[0]


def begun(group: Group, j: JointView, w: WorldView) -> tuple[Place, np.ndarray]:
    """The joint frame where the step began, and S there in world axes."""
    R, x = group.frame.joint(j, pose_of(j.pose))
    place, S = Place(R, x - j.o), joint_pose(j, j.q_begin, w.t - w.h)[1]
    return place, in_world(place, S)


def in_world(place: Place, S: Any) -> np.ndarray:
    return np.array([place.twist(c) for c in S.T], object).reshape(-1, 6).T


@forward
def place_beginning(j: JointView, p: ParentView, w: WorldView) -> None:
    """Bodies where the step begins, and the columns by which their coordinates move them."""
    X, S = still(j, w)
    place_frame(j, p, X)
    j.V = X @ p.V
    j.twist = in_world(place_of(j), S).T.ravel()


@dataclass(frozen=True)
class LevelPlace:
    """D and T of each body; before, unless that is done, go by dx."""

    group: Group
    goes: bool

    def __call__(self, j: JointView, p: ParentView, w: WorldView) -> None:
        if self.goes:
            go(2, j, w)
        X, m = motion(j, j.qdot, w)
        place_frame(j, p, X)
        j.X = X
        j.V = (X @ p.V) + m.twist(j.qdot)
        move_by_joints(self.group, j, p, w, m)
        begin, end, g = pose_of(j.pose), self.group.frame.pose(j), self.group
        D = g.difference(begin, end) - w.h * (j.v0 + w.h * ((0.5 - w.beta) * j.a0 + w.beta * j.a1))
        first, j.s0 = begun(self.group, j, w)
        last, X_b = place_of(j), g.frame.adjoint(j)
        changes = [g.as_own(end, g.moved(begin, end, g.frame.twist(j, e))) for e in np.eye(6)]
        moved = np.array([X_b.T @ g.covector(begin, change) for change in changes], object).T
        j.s1 = in_world(last, m.S)
        j.L = by_inverse(last, np.array([first.wrench(c) for c in moved.T], object).T)
        j.P = first.wrench(X_b.T @ g.covector(begin, D))


@backward
def compose(j: JointView, p: ParentView) -> None:
    """A of the coordinates below, and what is missing of J0' D = 0."""
    F, n = j.P + j.P_hat, j.joint.dof
    p.P_hat += F
    N, chi = np.zeros((6, FORCED), object), np.zeros((FORCED, n), object)
    N[:, 12:], chi[12:] = j.L, j.s1
    N = N + j.N_hat.reshape(6, FORCED)
    p.N_hat += N.ravel()
    moved = N @ chi
    j.missing = -(j.s0.T @ F)
    j.twist, j.column = j.s0.T.ravel(), chi.T.ravel()
    j.block, j.above, j.row = (j.s0.T @ moved).ravel(), moved.T.ravel(), (j.s0.T @ N).ravel()


@forward
def displace(j: JointView) -> None:
    if j.joint.dof and not j.prescribed:
        j.q = j.joint.retract(j.q, j.dx)


@dataclass(frozen=True, eq=False)
class LevelRows(NewtonRows):
    """Rows that hold positions, without compliance."""

    group: Group

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        found, first = [], 0
        for r in super().rows:
            if not (r.kept.on_rates or r.compliant):
                found.append(replace(r, first=first))
                first += r.kept.size
        return tuple(found)

    def vector(self, name: str) -> Data:
        return Data(f"level {name}", self.m)

    def square(self, name: str, columns: int | None = None) -> Data:
        return Data(f"level {name}", self.m, self.m if columns is None else columns)

    def filled(self, target: Data, field: tuple[str, int, int]) -> tuple[ProgramStage, ...]:
        """The rows where bodies are, by these columns of coordinates."""

        def wrenches(at: Addresses) -> list[tuple[Any, ...]]:
            pairs = [(r, k, self.kept(at, r, r.kept.wrench(k))) for r in self.rows for k in range(len(r.bodies))]
            return [((x, 6), target, *self.products(at, r, k, *field)) for r, k, x in pairs]

        def slopes(at: Addresses) -> list[tuple[Any, ...]]:
            return [(D, target, *sizes) for r in self.rows for D, *sizes in self.entries(at, r)]

        cleared = Call(clear, lambda at: [(at[target], target.size)], (target,))
        return cleared, Call(put_products, wrenches, (target,)), Call(put_entries, slopes, (target,))

    def begin_step(self) -> tuple[ProgramStage, ...]:
        """G0."""
        placed = recursion(place_beginning, interactions(Part.NEWTON_ROWS), name="absolute rows where a step begins")
        return placed, *self.filled(self.G, ("twist", 6, 0))

    def corrected(self, goes: bool) -> tuple[ProgramStage, ...]:
        """Go by dx, unless that is done, and correct where the step ends."""
        matrix, m, n, b = self.matrix, self.m, self.matrix.n, self.matrix.b
        G, B = self.G, self.B
        Z, A, F = self.square("A^-1 G'", n), self.square("A"), self.square("F")
        off, right, eta, z, scale, active, rows, order, d = map(
            self.vector, ("off", "right", "eta", "z", "scale", "active", "rows", "order", "d")
        )
        rank, move = Data("level rank", 1), LevelPlace(self.group, goes)
        acting = interactions(Part.REACTIONS), interactions(Part.NEWTON_ROWS)
        return (
            recursion(placing(move), ready, *acting, compose, name=f"absolute level with rows {move}"),
            *assembled(matrix),
            *self.filled(B, ("column", matrix.W, AS_FAR)),
            self.collected("gap", off),
            *matrix.inward(),
            *matrix.factored(),
            *matrix.solved(b),
            Call(copy, lambda at: [(at[G], at[Z], G.size)], (G, Z)),
            *matrix.solved(Z, m),
            Call(products, lambda at: [(B, Z, A, m, n)], (B, Z, A)),
            Call(ask, lambda at: [(B, b, off, right, active, m, n)], (B, b, off, right, active)),
            Call(row_sizes, lambda at: [(A, B, Z, d, m, n)], (A, B, Z, d)),
            Call(scale_both, lambda at: [(A, F, d, scale, active, m)], (A, F, d, scale, active)),
            Call(eliminate_complete, lambda at: [(F, rows, order, rank, m)], (F, rows, order, rank)),
            Call(solve_complete, lambda at: [(F, rows, order, rank, scale, right, eta, z, m)], (F, rows, right, eta, z)),
            Call(add_columns, lambda at: [(Z, eta, b, m, n)], (Z, eta, b)),
            *matrix.outward(),
            recursion(displace, name="absolute level displacement"),
        )

    def ask(self) -> tuple[ProgramStage, ...]:
        """In the equations of motion these rows are asked for their rates."""

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            r1 = at.world("r1")
            return [(self.kept(at, r, r.kept.rate), self.kept(at, r, r.kept.right), r.kept.size, r1) for r in self.rows]

        return (Call(ask_for_rates, rows),)


def placing(move: LevelPlace) -> Sweep:
    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        move(j, p, w)

    return place


def assembled(matrix: NewtonMatrix) -> tuple[ProgramStage, ...]:
    """A, of what `compose` left."""
    H = matrix.H
    return (
        Call(clear, lambda at: [(at[H], H.size)] if matrix.n else [], (H,)),
        Call(rows_above, matrix.upper_rows, (H,)),
        Call(forced_columns_above, matrix.lower_rows, (H,)),
        Call(add_block, matrix.block_rows, (H,)),
    )
