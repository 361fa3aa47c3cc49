"""Rows of constraints between bodies that move by themselves: beside the rows of their joints, in one system.

The joints' rows have been eliminated along the tree (solve.py); what is left is the dual of the others, at the poses and twists that the
bodies really have, open joints included. Multipliers change the bodies' accelerations, a in world axes about the origins of their trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.islands import Island
from redmax.dynamics.common.kinematics import ad, motion
from redmax.dynamics.common.row_terms import reduce_body
from redmax.dynamics.common.rows import add
from redmax.dynamics.maximal.joints import along, joint_frame, joint_twist
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.recursive.rows import RowsAlongTree
from redmax.lie import Adjoint
from redmax.lie.three import cross
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion
from redmax.solvers.reduced_matrix import clear
from redmax.trace.vector import vector_of


def place_free_body(j: JointView, p: ParentView, w: WorldView, part: Part) -> None:
    """Frame, twist and its rate of a body that is where it is; and the rates of rates of its joint, for rows that read them.

    qddot = S+ (A - X A_p - ad(V) (S qdot + s) - Sdot qdot - sdot): the system of bodies alone does not know the last of it.
    """
    R, x = joint_frame(j, j.pose)
    R_p, x_p = (np.eye(3), np.zeros(3)) if j.root else (np.asarray(p.row_R, object).reshape(3, 3), p.row_x)
    _, m = motion(j, j.qdot, w)
    S = m.S
    j.X, j.S = Adjoint(R_p.T @ R, R_p.T @ (x - x_p)), S
    j.row_R, j.row_x, j.row_V, j.row_A = R.ravel(), x, joint_twist(j, j.twist), joint_twist(j, j.twist_rate)
    j.row_o = j.row_x if j.root else p.row_o
    j.row_s = turned(R, j.row_x - j.row_o, S)
    if part is Part.ACCELERATION_ROWS and j.joint.dof and not j.prescribed:
        j.qddot = along(j, S, j.row_A - (j.X @ p.row_A) - ad(j.row_V, m.twist(j.qdot)) - m.bias(j.qdot))


@forward
def place_free_moving(j: JointView) -> None:
    """The frame and the twist alone."""
    R, x = joint_frame(j, j.pose)
    j.row_R, j.row_x, j.row_V = R.ravel(), x, joint_twist(j, j.twist)


@forward
def place_free_frame(j: JointView) -> None:
    """The frame alone."""
    R, x = joint_frame(j, j.pose)
    j.row_R, j.row_x = R.ravel(), x


@lru_cache(maxsize=8)
def free_row_terms(part: Part, implicit: bool) -> Recursion:
    """As row_terms of reduced coordinates."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        place_free_body(j, p, w, part)

    @backward
    def reduce(j: JointView, p: ParentView, w: WorldView) -> None:
        reduce_body(j, p, w, implicit)

    return recursion(place, interactions(part), reduce, name=f"maximal {part}{' of implicit steps' if implicit else ''}")


@lru_cache(maxsize=4)
def free_row_places(part: Part) -> Recursion:
    """As row_places of reduced coordinates."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        place_free_body(j, p, w, part)

    return recursion(place, interactions(part), name=f"maximal {part} alone")


@forward
def push(j: JointView) -> None:
    """The rate of the body's twist += what multipliers bring."""
    R = np.asarray(j.row_R, object).reshape(3, 3)
    turning, shift = j.row_a[:3], j.row_a[3:]
    at_frame = shift + vector_of(cross(list(turning), list(j.row_x - j.row_o)))
    j.twist_rate = j.twist_rate + (Adjoint(j.body_R, j.body_p) @ np.concatenate([R.T @ turning, R.T @ at_frame]))


push_bodies = recursion(push, name="maximal multipliers")


@dataclass(frozen=True, eq=False)
class RowsBetweenBodies(RowsAlongTree):
    """With what multipliers do to each body."""

    dynamics: str = "maximal"

    def stages(self) -> tuple[ProgramStage, ...]:
        still = Call(clear, lambda at: [(at.field(j, "row_a"), 6) for j in range(len(self.model.links))])
        return still, *super().stages(), push_bodies

    def accelerations(self, i: Island) -> tuple[ProgramStage, ...]:
        a = self.acceleration(i)

        def bodies(at: Addresses) -> list[tuple[Any, ...]]:
            return [(at[a] + a.leading * k, at.field(j, "row_a"), 6) for k, j in enumerate(i.bodies)]

        return *super().accelerations(i), Call(add, bodies, (a,))
