"""Recursive hybrid dynamics in O(n): for each joint the force is given and the acceleration found, or the other way round.

RedMax supplement Alg. 6 (after Kim and Pollard 2011), with its frames corrected: M_j = Ad^T M_i Ad, F_ext seen in j, and line 24 with
eta inside the bracket. Gravity enters as an acceleration of the base, -g, which acts on every body as its weight does.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.carried_momentum import bias_wrench, rate_bias
from redmax.dynamics.common.kinematics import (
    ad,
    applied_wrench,
    felt,
    motion,
    passive_torque,
    place_frame,
    prescribed_acceleration,
    pushed,
    rotor_torque,
    with_rotor,
)
from redmax.joints.motion import Motion
from redmax.lie import Adjoint, Inertia
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion

UP = {"M_hat": 21, "B_hat": 6}


def velocity_terms(j: JointView, p: ParentView, w: WorldView, stepped: bool = False) -> Motion:
    """Lines 2-4, and the part of line 8 that is the joint's own; and where the joint frame is in the world, for forces that ask."""
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    twist_terms(j, p, w, X, m, stepped)
    return m


def twist_terms(j: JointView, p: ParentView, w: WorldView, X: Adjoint, m: Motion, stepped: bool = False) -> None:
    """The same of a joint whose motion is known, without its frame in the world."""
    twist = m.twist(j.qdot)
    V = (X @ p.V) + twist
    j.X, j.S, j.V = X, m.S, V
    j.eta = ad(V, twist) + rate_bias(j, m, V, w, stepped)
    j.B = bias_wrench(j, V, m.S, w, stepped) - applied_wrench(j, w)
    j.passive = passive_torque(j, w)


@forward
def velocity(j: JointView, p: ParentView, w: WorldView) -> None:
    velocity_terms(j, p, w)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive


@forward
def velocity_in_step(j: JointView, p: ParentView, w: WorldView) -> None:
    """The same, for an explicit step of h."""
    velocity_terms(j, p, w, stepped=True)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive


@backward
def articulated_inertia(j: JointView, p: ParentView) -> None:
    reduce_joint(j, p, 0.0)


def reduce_joint(j: JointView, p: ParentView, added: Any, impedance: Inertia | None = None) -> None:
    """Lines 7-15, of which line 15 is beta = B^ + Pi eta + U Psi (tau - S^T B^).

    added: to the joint's own block S^T M^ S; impedance: to the body's inertia, but only for what qddot brings: c is what there is without.
    """
    X = j.X
    M = j.M + Inertia.from_flat(j.M_hat)
    B = j.B + j.B_hat - felt(j)
    if impedance is not None:
        M, B = M + impedance, B - (impedance @ j.c)
    j.SB = j.S.T @ B
    if j.prescribed:
        j.U = M @ j.S
        Pi = M
        beta = B + (M @ (j.eta + j.S @ j.given))
    else:
        tau = j.given + pushed(j)
        free = release(M, j.S, with_rotor(added, j, j.S), tau - j.SB, j.name)
        j.U_Psi, j.Psi_u, Pi = free.U_Psi, free.solved, free.Pi
        beta = free.passed(B, tau) + (Pi @ j.eta)
    p.M_hat += X.T @ Pi @ X
    p.B_hat += X.T @ beta


@forward
def acceleration(j: JointView, p: ParentView) -> None:
    accelerate_joint(j, p)


def accelerate_joint(j: JointView, p: ParentView) -> None:
    """Lines 19-27. The torque found is what must be added to the joint's own spring and torque function."""
    A = (j.X @ p.Vdot) + j.eta
    if j.prescribed:
        j.qddot = j.given
        j.Vdot = A + j.S @ j.qddot
        j.tau = j.U.T @ j.Vdot + j.SB - j.passive - pushed(j) + rotor_torque(j, j.S, j.qddot)
    else:
        j.qddot = j.Psi_u - j.U_Psi.T @ A
        j.Vdot = A + j.S @ j.qddot


rest_of_dynamics = interactions(Part.WRENCH), articulated_inertia, acceleration
hybrid_dynamics = recursion(velocity, *rest_of_dynamics, name="hybrid dynamics")
stepped_dynamics = recursion(velocity_in_step, *rest_of_dynamics, name="stepped dynamics")  # where joints on groups carry momentum


def dynamics_fields(wrench: bool, model: Model, **extra: Any) -> Fields:
    """The record of the recursion; `wrench`: wrenches are given with the state.

    The world's t is what forces see; h, the step, is there for implicit steps, so that all programs lay their records out alike.
    """
    placed = model.force_fields()
    return Fields(
        down={"V": 6, "Vdot": 6} | placed["down"],
        up=UP,
        reuse={"Vdot": "V"},
        state={"q": "q", "qdot": "v", "tau": "v", "qddot": "v"} | ({"wrench": 6} if wrench else {}) | placed["state"],
        sums=placed["sums"],
        world={"t": 1, "h": 1},
        **extra,
    )
