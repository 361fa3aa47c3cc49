"""One improvement of a step: what the equations of its beginning miss where it ends now, and Newton's step from there, along the tree.

    r = p_k + h/2 f_k - sum J(q_k)' F_0(q_k+1),      K of relative.py is how F_0 of a body changes as the end of the step is displaced

What a body hands on is in its frame at the beginning, what moves it in its frame at the end: with X0, S0 of q_k and X1, S1 of q_k+1,

    N = K + sum X0' (N - U Z) X1,   D = S0' N S1 + (own slopes),   U = N S1,   Z = D^-1 S0' N,   b = sum X0' (b + U D^-1 u),   u = r - S0' b
    dq = D^-1 u - Z X1 s_p,   s = X1 s_p + S1 dq

the articulated-body recursion with two sides. The factors Z, U D^-1, D^-1 are kept: they serve all further improvements of a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.joint_laws import rotor_block
from redmax.dynamics.common.kinematics import exerted_torque, has_ball_rotor, reflected
from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.dynamics.recursive.linearised import changes, place_of
from redmax.integrators.variational.relative import Pose, adjoint, carried, momenta, pose_of, slope, twist_of
from redmax.lie import so3
from redmax.math import sqrt, where
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.trace import jacobian

TINY = 1e-60  # beside any way
FARTHEST = 2.5  # rad, that a step turns a body: near half a turn other ends, with any energy, solve the equations as well


def within(j: JointView, w: WorldView) -> tuple[Pose, Pose, Any, Any]:
    """The joint's own poses at both ends of the step, and S there."""
    begin, S0 = pose_of(j, j.q, w.t)
    end, S1 = pose_of(j, j.q_end, w.t_end)
    return begin, end, S0, S1


def place_joint(j: JointView, p: ParentView, w: WorldView) -> None:
    """Where the step takes the body, and with which momenta."""
    begin, end, j.S0, j.S1 = within(j, w)
    j.X0, j.X1 = adjoint(j, begin), adjoint(j, end)
    G = carried(j, p, begin, end)
    j.G = np.concatenate([np.ravel(G[0]), G[1]])
    j.xi = twist_of(G)
    w.gather("turned_far", where(j.xi.w @ j.xi.w > FARTHEST * FARTHEST, 1.0, 0.0))
    j.F0, j.F1 = momenta(j.M, j.xi, w.h)
    if "armature" in j:
        j.spun = rotor_momentum(j, begin, end, w)


def rotor_momentum(j: JointView, begin: Pose, end: Pose, w: WorldView) -> Any:
    """Of a rotor: a qdot of the step's mean rates, (dof,); of a ball joint a log(R_k' R_k+1) / h, (3,), at both ends the same."""
    if has_ball_rotor(j):
        return (reflected(j)[0] / w.h) * so3.log(begin[0].T @ end[0])
    return reflected(j) * j.qdot


def spun_at(j: JointView, S: Any) -> Any:
    """What a rotor's momentum is to the rates, where the joint's Jacobian is S."""
    if "armature" not in j:
        return np.zeros(j.joint.dof)
    return S[:3].T @ j.spun if has_ball_rotor(j) else j.spun


def transmit(j: JointView, p: ParentView, w: WorldView) -> None:
    """r: the momentum that the step's beginning has beyond what its end asks for."""
    F = j.F0 + j.F_hat
    p.F_hat += j.X0.T @ F
    if not j.prescribed:
        half = 0.5 * w.h
        j.r = j.p + j.load + half * (j.tau + exerted_torque(j, w)) - j.S0.T @ F - spun_at(j, j.S0)


def own_slopes(j: JointView, w: WorldView) -> Any:
    """1/2 D of what acts within the joint, as its mean rates change, and what its rotor takes, (dof, dof)."""
    n = j.joint.dof
    damping = -0.5 * jacobian(exerted_torque(j, w), list(j.qdot)).reshape(n, n)
    return damping + rotor_block(reflected(j), j.S0[:3]) / w.h if "armature" in j else damping


def damped(j: JointView) -> Any:
    """1/2 D of the forces on the body, as its own motion changes them, in its frame at the beginning. Those of others change by turns."""
    if not changes(j):
        return 0.0
    there = place_of(j)
    columns = np.array([there.twist(e) for e in np.eye(6)], object).T
    return 0.5 * (columns.T @ j.own_damping.reshape(6, 6) @ columns)


@forward
def place(j: JointView, p: ParentView, w: WorldView) -> None:
    place_joint(j, p, w)


@forward
def place_to_be_damped(j: JointView, p: ParentView, w: WorldView) -> None:
    """With nothing yet of what forces will add."""
    place_joint(j, p, w)
    if changes(j):
        j.own_damping, j.own_stiffness = np.zeros(36), np.zeros(36)


@backward
def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
    """With new factors."""
    transmit(j, p, w)
    N, b, X0, X1 = slope(j.M, j.xi, w.h) + damped(j) + j.N_hat.reshape(6, 6), j.b_hat, j.X0, j.X1
    n = j.joint.dof
    if j.prescribed or n == 0:
        p.N_hat += ((X0.T @ N) @ X1).ravel()
        p.b_hat += X0.T @ b
        return
    row, U = j.S0.T @ N, N @ j.S1
    D = row @ j.S1 + own_slopes(j, w)
    found = solve_unsymmetric(D, np.concatenate([row, np.eye(n)], axis=1), nothing=sqrt(-1.0 - w.h))
    Z, inverse = found[:, :6], found[:, 6:]
    Y = U @ inverse
    j.Z, j.Y, j.inverse = Z.ravel(), Y.ravel(), inverse.ravel()
    j.u = j.r - j.S0.T @ b
    p.N_hat += ((X0.T @ (N - U @ Z)) @ X1).ravel()
    p.b_hat += X0.T @ (b + Y @ j.u)


@backward
def reduce(j: JointView, p: ParentView, w: WorldView) -> None:
    """With the factors of before."""
    transmit(j, p, w)
    if j.prescribed or j.joint.dof == 0:
        p.b_hat += j.X0.T @ j.b_hat
        return
    j.u = j.r - j.S0.T @ j.b_hat
    p.b_hat += j.X0.T @ (j.b_hat + j.Y.reshape(6, j.joint.dof) @ j.u)


@forward
def displace(j: JointView, p: ParentView, w: WorldView) -> None:
    """Move the end of the step; the sums are how far, relative to the way of the step and to how numbers are rounded."""
    n = j.joint.dof
    moved = np.zeros(6).astype(object) if j.root else j.X1 @ p.s
    if j.prescribed or n == 0:
        j.s = moved
        return
    dq = j.inverse.reshape(n, n) @ j.u - j.Z.reshape(n, 6) @ moved
    j.s = moved + j.S1 @ dq
    j.delta = j.delta + j.joint.rate(j.delta, dq)
    j.q_end, j.qdot = j.joint.retract(j.q, j.delta), j.delta / w.h
    far = j.q @ j.q
    size = w.way + 0.04 * sqrt(far) + TINY
    w.gather("moved", (dq @ dq) / (size * size))
    w.gather("moved_far", (dq @ dq) / (1.0 + far))
    w.gather("way_square", j.delta @ j.delta)


with_factors = recursion(place, eliminate, displace, name="variational improvement with factors")
with_damping = recursion(
    place_to_be_damped, interactions(Part.NEWTON), eliminate, displace, name="variational improvement with factors and damping"
)
improvement = recursion(place, reduce, displace, name="variational improvement")
