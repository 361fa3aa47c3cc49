"""How what bodies feel changes as a step ends elsewhere: for Newton's method, with the recursion of recursive/linearised.py.

A body that is displaced by a twist s, all else as it is, moves otherwise too: by the difference formulas its v changes by
c1 dexp^-1_{-d} s and v' by c2 of the same, c1 = gamma / (beta h), c2 = (1 - am) / ((1 - af) beta h^2). Index 2 takes the rates of joints
for unknown, c1 times how far these go, so that V changes by c1 s. Then

    dF = M dV' - ad_dV' M V - ad_V' M dV + (how weight turns) + D dV - K s  =  N s

is one (6, 6) of each body. What acts within joints, and what forces between two bodies resist, is taken to go by c1 s: the direction is
exact but for that, and Newton's method corrects what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.joint_laws import rotor_block
from redmax.dynamics.common.kinematics import minus_ad_transposed, motion, passive_torque, reflected
from redmax.dynamics.recursive.linearised import (
    FORCED,
    Linearised,
    Place,
    changes,
    derivative,
    displaced,
    place_of,
    world_wrench_stiffness,
)
from redmax.forces.frames import crossed
from redmax.integrators.absolute.group import Group
from redmax.integrators.absolute.place import pose_of, weight
from redmax.joints.stepping import directions
from redmax.program.record import JointView, ParentView, WorldView
from redmax.trace import jvp
from redmax.trace.vector import vector_of

ALONE = 6  # W where no force couples bodies: s alone


@dataclass(frozen=True)
class BodySlopes:
    """What a joint and its body contribute, in place of `linearise_joint`."""

    group: Group
    index: int

    def __call__(self, W: int, j: JointView, p: ParentView, w: WorldView, r0: Any = 1.0) -> Linearised:
        n = j.joint.dof
        _, m = motion(j, j.qdot, w)
        place = place_of(j)
        s = np.array([place.twist(m.S[:, c]) for c in range(n)], object).reshape(n, 6).T
        if W == FORCED:
            chi, N = np.concatenate([w.r2 * s, w.r1 * s, s]), np.zeros((6, W), object)
            N[:, 12:] = self.body(j, place, w)
        else:
            chi, N = s, self.body(j, place, w)
        turning = np.array([column(j, m.S.ravel(), c).reshape(6, n).T @ j.F for c in range(n)], object).reshape(n, n)
        return Linearised(s, chi, N, turning.T + own_slopes(j, w), displaced(s, place.wrench(j.F)))

    def body(self, j: JointView, place: Place, w: WorldView) -> np.ndarray:
        """N in world axes about the origin of the tree."""
        felt, moved = np.empty((6, 6), object), np.empty((6, 6), object)
        for i, e in enumerate(np.eye(6)):
            felt[:, i], moved[:, i] = self.column(j, w, e)
        N = in_world(place, felt) + world_wrench_stiffness(j, place, w)
        if changes(j):
            P = np.array([place.twist(c) for c in moved.T], object).T
            N = N + j.own_damping.reshape(6, 6) @ by_inverse(place, P) + j.own_stiffness.reshape(6, 6)
        return N

    def column(self, j: JointView, w: WorldView, s: Any) -> tuple[Any, Any]:
        """dF and dV of one displacement, in the joint frame."""
        g, (R, x), moved = self.group, self.group.frame.pose(j), self.group.frame.twist(j, s)
        V, Vdot = g.frame.twist(j, j.V), g.frame.twist(j, j.Vdot + weight(j))
        if self.index == 3:
            d = g.moved(pose_of(j.pose), (R, x), moved)
            dv = w.r1 * d
            dV = g.twist_moved(V, moved, dv)
        else:
            dV = w.r1 * moved
            dv = g.velocity_moved(V, moved, dV)
        dVdot = g.rate_moved(V, Vdot, moved, dV, (w.r2 / w.r1) * dv)
        dV, dVdot = g.frame.back(j, dV), g.frame.back(j, dVdot)
        turned = np.concatenate([np.zeros(3).astype(object), crossed(s[:3], weight(j)[3:])])
        bent = minus_ad_transposed(dV, j.M @ j.V) + minus_ad_transposed(j.V, j.M @ dV)
        return (j.M @ (dVdot + turned)) + bent, dV


def in_world(place: Place, A: np.ndarray) -> np.ndarray:
    """The matrix of wrenches by twists, in world axes about the origin of the tree."""
    return by_inverse(place, np.array([place.wrench(c) for c in A.T], object).T)


def by_inverse(place: Place, A: np.ndarray) -> np.ndarray:
    """A P^-1, P the columns of place.twist: its transpose takes wrenches."""
    return np.array([place.wrench(row) for row in A], object)


def column(j: JointView, values: Any, c: int) -> np.ndarray:
    """How what is traced from q changes along the c-th velocity."""
    return vector_of(jvp(list(values), directions(j.joint, j.q)[c]))


def own_slopes(j: JointView, w: WorldView) -> np.ndarray:
    """-d passive (dof, dof), and what the rotor takes."""
    n = j.joint.dof
    tau = passive_torque(j, w)
    slopes = -np.array([column(j, tau, c) + w.r1 * derivative(tau, j.qdot[c]) for c in range(n)], object).reshape(n, n).T
    if "armature" not in j:
        return slopes
    return slopes + w.r2 * rotor_block(reflected(j), motion(j, j.qdot, w)[1].S[:3])
