"""Index 2, stabilised (Arnold, Brüls, Cardona, Numer. Math. 129, 2015): where a step ends whose velocities keep to the constraints.

    q1 = q0 exp(h Dq),   Dq = v0 - B(q0)' eta + (1/2 - beta) h a0 + beta h a1,   Phi(q1) = 0

eta, one for each row, is left out by the null space of rows at the beginning, J0: with D = log(q0^-1 q1) - h (Dq without eta)

    J0' D = 0,     q1 <- q1 exp(J1 dq),     J0' T J1 dq = -J0' D,     T = dexp^-1_{-hDq}

Newton's method along the tree, with two sides, as in variational/step.py. B' eta adds to velocities as it stands: what of D an angular
velocity (rad/s) counts beside a linear one follows from the unit of length, and with it how far errors are from least, not their order.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from redmax.dynamics.common.kinematics import motion
from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.integrators.absolute.group import Group
from redmax.integrators.absolute.place import go, move_by_joints, pose_of
from redmax.integrators.variational.relative import adjoint
from redmax.integrators.variational.relative import pose_of as joint_pose
from redmax.math import sqrt
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Recursion, backward, forward, recursion

UP = {"P_hat": 6, "L_hat": 36, "l_hat": 6}
DOWN = {"s": 6}
STATE = {"q_begin": "q"}


@lru_cache(maxsize=4)
def level(group: Group) -> Recursion:
    """Go by dx, then correct where the step ends."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        go(2, j, w)
        X, m = motion(j, j.qdot, w)
        R_p = np.asarray(p.R, object).reshape(3, 3)
        j.R, j.x = (R_p @ X.R).ravel(), p.x + R_p @ np.asarray(X.p, object)
        j.X, j.S1 = X, m.S
        j.V = (X @ p.V) + m.twist(j.qdot)
        move_by_joints(group, j, p, w, m)
        begin, end = pose_of(j.pose), group.frame.pose(j)
        D = group.difference(begin, end) - w.h * (j.v0 + w.h * ((0.5 - w.beta) * j.a0 + w.beta * j.a1))
        own, j.S0 = joint_pose(j, j.q_begin, w.t - w.h)
        j.X0 = adjoint(j, own)
        X_b = group.frame.adjoint(j)
        felt = [group.covector(begin, group.as_own(end, group.moved(begin, end, group.frame.twist(j, e)))) for e in np.eye(6)]
        j.L = X_b.T @ np.array(felt, object).T
        j.P = X_b.T @ group.covector(begin, D)

    @backward
    def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
        F, N, b, n = j.P + j.P_hat, j.L + j.L_hat.reshape(6, 6), j.l_hat, j.joint.dof
        p.P_hat += j.X0.T @ F
        if j.prescribed or n == 0:
            p.L_hat += ((j.X0.T @ N) @ j.X).ravel()
            p.l_hat += j.X0.T @ b
            return
        row, U = j.S0.T @ N, N @ j.S1
        found = solve_unsymmetric(row @ j.S1, np.concatenate([row, np.eye(n)], axis=1), nothing=sqrt(-1.0 - w.h))
        j.Z, j.inverse = found[:, :6], found[:, 6:]
        j.u = -(j.S0.T @ (F + b))
        p.L_hat += ((j.X0.T @ (N - U @ j.Z)) @ j.X).ravel()
        p.l_hat += j.X0.T @ (b + U @ (j.inverse @ j.u))

    @forward
    def displace(j: JointView, p: ParentView, w: WorldView) -> None:
        moved = np.zeros(6).astype(object) if j.root else j.X @ p.s
        if j.prescribed or j.joint.dof == 0:
            j.s = moved
            return
        dq = j.inverse @ j.u - j.Z @ moved
        j.s = moved + j.S1 @ dq
        j.q = j.joint.retract(j.q, dq)

    return recursion(place, eliminate, displace, name=f"absolute level {group!r}")
