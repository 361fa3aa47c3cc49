"""Implicit steps where forces couple bodies beyond the tree: one dense system for the accelerations that the joints allow.

    v = v0 + J a,    (J^T (M + Z) J + Z_r) a = tau + J^T (f - (M + Z) v0)      Z = h D - h^2 K of forces, Z_r of what acts in joints

v0 is what constraints and prescribed motions ask for where a = 0 (solve.py), J a what the other joints add. M enters as the momenta of
composite bodies (recursive/forces.py), Z as blocks between bodies in world axes about the origins of their trees. Z need not be symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import felt, pushed, still, with_rotor
from redmax.dynamics.maximal.forces import implicit_asked
from redmax.dynamics.maximal.joints import relative_frame
from redmax.dynamics.maximal.solve import falling
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.recursive.joints import implicit_block
from redmax.lie import Adjoint, Inertia
from redmax.lie.three import cross
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted
from redmax.solvers.reduced_matrix import ReducedMatrix, add_block, add_entries, copy, moments, panels
from redmax.trace.vector import vector_of

DOWN = {"o": 3, "A": 6}  # the origin of a body's tree; J a
STATE = {"given": "v", "right": "v", "block": "vv", "columns": "6v", "momentum": "6v", "F": 6, "rate": 6, "pull": 6}


@forward
def fill_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    """v0, the wrench that it takes, and the columns of J. From a falling frame, but for `rate`, which impedance resists."""
    implicit_asked(j, p, w)
    R, arm = np.asarray(j.R, object).reshape(3, 3), j.x - j.o
    j.Vdot = (j.X @ p.Vdot) + (j.eta + j.S @ j.given if j.prescribed and j.joint.dof else j.eta)
    j.F = (j.M @ j.Vdot) + j.B
    j.rate, j.pull = turned(R, arm, (j.Vdot + falling(j))[:, None]), np.zeros(6)
    j.columns = turned(R, arm, j.S)
    j.block = with_rotor(implicit_block(j, w), j, j.S).ravel()


@backward
def gather_momentum(j: JointView, p: ParentView, w: WorldView) -> None:
    """The momentum of all that a coordinate moves, and the joint force that v0 takes."""
    R, arm = np.asarray(j.R, object).reshape(3, 3), j.x - j.o
    X, (_, S) = Adjoint(*relative_frame(p, R, j.x)), still(j, w)
    M, F = j.M + Inertia.from_flat(j.M_hat), j.F + j.B_hat - felt(j) - to_joint(R, arm, j.pull)
    U = M @ S
    flat = turned(R, arm, np.concatenate([U[3:], U[:3]])).reshape(-1, 6)  # as a twist is, with force and torque in each other's place
    j.momentum = np.concatenate([flat[:, 3:], flat[:, :3]], axis=1).ravel()
    j.right = j.given - S.T @ F + pushed(j)
    p.M_hat += X.T @ M @ X
    p.B_hat += X.T @ F


@forward
def accelerate(j: JointView, p: ParentView, w: WorldView) -> None:
    """v0 + J a, as the rate of the body's twist."""
    R = np.asarray(j.R, object).reshape(3, 3)
    j.A = Adjoint(*relative_frame(p, R, j.x)) @ p.A
    if j.joint.dof and not j.prescribed:
        j.A = j.A + still(j, w)[1] @ j.qddot
    j.twist_rate = Adjoint(j.body_R, j.body_p) @ (j.Vdot + falling(j) + j.A)


def to_joint(R: Any, arm: Any, F: Any) -> Any:
    """A wrench about the tree's origin, in world axes, about the joint frame in its own."""
    n, f = F[:3] - vector_of(cross(list(arm), list(F[3:]))), F[3:]
    return np.concatenate([R.T @ n, R.T @ f])


@routine
def resist(Z: Matrix, rate: Vector, pull: Vector) -> None:
    """pull -= Z rate."""
    force = [dot(Z[i, 0:6], rate[0:6]) for i in range(6)]
    for i in range(6):
        pull[i] -= force[i]


@routine
def couple(Z: Matrix, H: Matrix, left: Whole, right: Whole, s: Places, number: Wholes) -> None:
    """H_ab += s_a' Z s_b of the coordinates a and b that move two bodies."""
    for b in range(left, left + right):
        force = [dot(Z[i, 0:6], s[b][0:6]) for i in range(6)]
        for a in range(left):
            H[number[a], number[b]] += dot(s[a][0:6], force)


def blocks(at: Addresses) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Pairs of bodies and where their (6, 6) is, a body with itself among them."""
    yield from ((j, j, (at.field(j, "own"), 6)) for j in at.touched)
    yield from ((i, j, (at.block(i, j), 6)) for i, j in at.pairs if min(i, j) >= 0)


def reduced_system(model: Model) -> ReducedMatrix:
    """Of the accelerations of joints that are not prescribed."""
    dofs = tuple(0 if given else link.joint.dof for link, given in zip(model.links, model.prescribed, strict=True))
    return ReducedMatrix(dofs, (False,) * len(dofs))


def stages(model: Model) -> tuple[ProgramStage, ...]:
    """Accelerations of the bodies, from their poses and twists and the joints' coordinates."""
    system = reduced_system(model)
    dofs = system.dofs
    H, b, order, n = system.H, system.b, Data("order", system.n), system.n

    def coupled(at: Addresses) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for i, j, Z in blocks(at):
            (left, first), (right, second) = system.columns(at, i, "columns"), system.columns(at, j, "columns")
            found.append((Z, H, len(left), len(right), left + right, first + second))
        return found

    def places(at: Addresses, name: str) -> list[tuple[int, int, int]]:
        return [(at.field(j, name), at[b] + system.start[j], dof) for j, dof in enumerate(dofs)]

    solve = (
        Call(moments, lambda at: system.moment_rows(at, "columns", "momentum"), (H,)),
        Call(add_block, lambda at: system.block_rows(at, "block"), (H,)),
        Call(couple, coupled, (H,)),
        Call(add_entries, system.coordinate_rows, (H,)),
        Call(copy, lambda at: places(at, "right"), (b,)),
        Call(factor_pivoted, lambda at: [(H, order, n, *panel) for panel in panels(n)], (H, order)),
        Call(solve_pivoted, lambda at: [(H, order, b, n)], (H, order, b)),
        Call(copy, lambda at: [(source, target, dof) for target, source, dof in places(at, "qddot")], (b,)),
    )
    react = Call(resist, lambda at: [(Z, at.field(j, "rate"), at.field(i, "pull")) for i, j, Z in blocks(at)])
    given = Call(resist_given, lambda at: given_rows(at, model))
    return *system.clear(), fill, react, gather, given, *(solve if n else ()), finish


@routine
def resist_given(Z: Matrix, given: Vector, qdot: Vector, h: Vector, right: Vector, n: Whole, m: Whole) -> None:
    """right -= Z qddot of the coordinates of a joint whose motion is prescribed: given is its velocity at the end of the step, over h."""
    for a in range(n):
        for b in range(m):
            right[a] -= Z[a, b] * (given[b] - qdot[b] / h[0])


def given_rows(at: Addresses, model: Model) -> list[tuple[Any, ...]]:
    """One row for each pair of coordinates that a force couples, of which the second are prescribed."""
    rows: list[tuple[Any, ...]] = []
    for i, j in ((~i, ~j) for i, j in at.pairs if max(i, j) < 0):
        if model.prescribed[j] and not model.prescribed[i]:
            of_joint = (at.field(j, "given"), at.field(j, "qdot"), at.world("h"), at.field(i, "right"))
            rows.append(((at.block(~i, ~j), 6), *of_joint, model.links[i].joint.dof, model.links[j].joint.dof))
    return rows


fill = recursion(fill_terms, interactions(Part.UNSYMMETRIC), name="maximal coupled")
gather = recursion(gather_momentum, name="maximal composite momenta")
finish = recursion(accelerate, name="maximal coupled accelerations")
