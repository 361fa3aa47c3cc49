"""What a mechanism is and does as a whole, about its centre of mass c, in world axes and in O(n).

    c = sum of m_k c_k / m,     I = sum of the bodies' inertias about c,     h = sum of their momenta about c = A qdot + h0

A column of A is the momentum of all that its coordinate moves (composite inertias; Orin, Goswami and Lee, Autonomous Robots 35, 2013).
Seen from a point at rest where c is now, s a column of twists, V a body's twist and I_j the composite inertia,

    adot = Idot_j s + I_j sdot,     Idot = V x* I - I V x,     sdot = V x s + (what Sdot brings),     less cdot x (its linear momentum)

as c moves on. `share` of each body, 1 or 0, says whether it counts. c is known before anything is summed about it, so that no digits are
lost far from the origin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, minus_ad_transposed, motion, place_frame
from redmax.dynamics.recursive.linearised import Place, world_inertia
from redmax.forces.frames import crossed, skew
from redmax.joints.motion import Motion
from redmax.lie import Adjoint
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, once, recursion
from redmax.trace.vector import vector_of

UPPER = np.triu_indices(3)
SYMMETRIC = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])  # of the entries of a (3, 3) among the six of its upper half


def rotation(j: JointView) -> np.ndarray:
    """Of the joint frame in the world, (3, 3)."""
    return np.asarray(j.R, object).reshape(3, 3)


def turned(R: np.ndarray, x: Any) -> np.ndarray:
    """(R a; R b) of (a; b): the same twist or wrench, at the same point, in world axes."""
    return np.concatenate([R @ x[:3], R @ x[3:]])


def moved_twist(arm: Any, x: Any) -> np.ndarray:
    """(a; b + arm x a): a twist (a; b) at `arm`, seen from the origin."""
    return np.concatenate([x[:3], x[3:] + crossed(arm, x[:3])])


def moved_wrench(arm: Any, y: Any) -> np.ndarray:
    """(n + arm x f; f): a wrench or momentum (n; f) at `arm`, about the origin."""
    return np.concatenate([y[:3] + crossed(arm, y[3:]), y[3:]])


def place_joint(j: JointView, p: ParentView, w: WorldView) -> tuple[Adjoint, Motion, Any]:
    """Where the joint frame is, and its twist; and the joint's part of that."""
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    twist = m.twist(j.qdot)
    j.V = (X @ p.V) + twist
    return X, m, twist


def weigh(j: JointView, w: WorldView) -> None:
    """Add to the mass and to the first moment about the world's origin."""
    w.gather("mass", j.share[0] * j.mass_value)
    w.gather("moment", j.share * (j.mass_value * j.x + rotation(j) @ j.first_moment))


@once
def nothing_yet(w: WorldView) -> None:
    w.mass, w.moment, w.inertia = 0.0, np.zeros(3), np.zeros(6)
    w.momentum, w.rate = np.zeros(6), np.zeros(6)


@forward
def move_bodies(j: JointView, p: ParentView, w: WorldView) -> None:
    """Momentum of each body and its rate, at its joint frame, in world axes."""
    X, m, twist = place_joint(j, p, w)
    j.A = (X @ p.A) + m.S @ j.qddot + ad(j.V, twist) + m.bias(j.qdot)
    if not j.counted:  # it keeps a state, and is nothing that moves
        j.own_momentum, j.own_rate = np.zeros(6), np.zeros(6)
        return
    P = j.M @ j.V
    j.own_momentum = turned(rotation(j), P)
    j.own_rate = turned(rotation(j), (j.M @ j.A) + minus_ad_transposed(j.V, P))
    weigh(j, w)


@once
def find_center(w: WorldView) -> None:
    w.center = w.moment / w.mass


@forward
def sum_about_center(j: JointView, w: WorldView) -> None:
    if not j.counted:
        return
    arm = j.x - w.center
    A, _, _ = world_inertia(j, Place(rotation(j), arm))
    w.gather("inertia", j.share * A[UPPER])
    w.gather("momentum", j.share * moved_wrench(arm, j.own_momentum))
    w.gather("rate", j.share * moved_wrench(arm, j.own_rate))


@once
def no_mass_yet(w: WorldView) -> None:
    w.mass, w.moment, w.linear = 0.0, np.zeros(3), np.zeros(3)


@forward
def carry_columns(j: JointView, p: ParentView, w: WorldView) -> None:
    """Twists of each coordinate and their rates, at the joint frame, in world axes."""
    _, m, _ = place_joint(j, p, w)
    R, columns = rotation(j), range(j.joint.dof)
    j.s = vector_of([x for k in columns for x in turned(R, m.S[:, k])])
    j.sdot = vector_of([x for k in columns for x in turned(R, ad(j.V, m.S[:, k]) + m.Sdot[:, k])])
    j.twist = turned(R, j.V)
    if j.counted:
        weigh(j, w)
        w.gather("linear", j.share * (R @ (j.M @ j.V)[3:]))


@once
def find_moving_center(w: WorldView) -> None:
    w.center, w.velocity = w.moment / w.mass, w.linear / w.mass


def own_inertia(j: JointView, arm: Any) -> tuple[Any, ...]:
    """A (3, 3), first moment and mass of the body about a point at rest, with the rates of the first two."""
    if not j.counted:
        return np.zeros((3, 3)), np.zeros(3), 0.0, np.zeros((3, 3)), np.zeros(3)
    A, h, m = world_inertia(j, Place(rotation(j), arm))
    V = moved_twist(arm, j.twist)
    turning = A @ skew(V[:3]) + skew(h) @ skew(V[3:])
    share = j.share[0]
    return share * A, share * h, share * m, -share * (turning + turning.T), share * (m * V[3:] + crossed(V[:3], h))


@backward
def sum_columns(j: JointView, p: ParentView, w: WorldView) -> None:
    """The columns of A and Adot that are this joint's."""
    arm = j.x - w.center
    A, h, m, Adot, hdot = own_inertia(j, arm)
    A, h, m = A + j.A_below[SYMMETRIC], h + j.h_below, m + j.m_below[0]
    Adot, hdot = Adot + j.Adot_below[SYMMETRIC], hdot + j.hdot_below
    p.A_below += A[UPPER]
    p.h_below += h
    p.m_below += m
    p.Adot_below += Adot[UPPER]
    p.hdot_below += hdot
    momenta: list[Any] = []
    rates: list[Any] = []
    for k in range(j.joint.dof):
        s, sdot = (moved_twist(arm, columns[6 * k : 6 * k + 6]) for columns in (j.s, j.sdot))
        f = m * s[3:] - crossed(h, s[:3])
        momenta += [*(A @ s[:3] + crossed(h, s[3:])), *f]
        n = A @ sdot[:3] + crossed(h, sdot[3:]) + Adot @ s[:3] + crossed(hdot, s[3:])
        rates += [*(n - crossed(w.velocity, f)), *(m * sdot[3:] - crossed(h, sdot[:3]) - crossed(hdot, s[:3]))]
    j.momenta, j.rates = vector_of(momenta), vector_of(rates)


def stage(*sweeps: Any, name: str) -> Any:
    return recursion(*sweeps, name=f"centroidal {name}")


SUMS = Program(
    "centre of mass",
    (
        stage(nothing_yet, name="reset"),
        stage(move_bodies, name="bodies"),
        stage(find_center, name="centre"),
        stage(sum_about_center, name="sums"),
    ),
    Fields(
        down={"R": 9, "x": 3, "V": 6, "A": 6},
        state={"q": "q", "qdot": "v", "qddot": "v", "share": 1, "own_momentum": 6, "own_rate": 6},
        world={"t": 1, "mass": 1, "moment": 3, "center": 3, "inertia": 6, "momentum": 6, "rate": 6},
        lasting=("R", "x"),
    ),
    ("q", "qdot", "qddot", "t", "share"),
    ("mass", "center", "momentum", "rate", "inertia"),
)

COLUMNS = Program(
    "centroidal momentum matrix",
    (
        stage(no_mass_yet, name="reset columns"),
        stage(carry_columns, name="columns"),
        stage(find_moving_center, name="moving centre"),
        stage(sum_columns, name="composite"),
    ),
    Fields(
        down={"R": 9, "x": 3, "V": 6},
        up={"A_below": 6, "h_below": 3, "m_below": 1, "Adot_below": 6, "hdot_below": 3},
        state={"q": "q", "qdot": "v", "share": 1, "twist": 6, "s": "6v", "sdot": "6v", "momenta": "6v", "rates": "6v"},
        world={"t": 1, "mass": 1, "moment": 3, "linear": 3, "center": 3, "velocity": 3},
        lasting=("R", "x"),
    ),
    ("q", "qdot", "t", "share"),
    ("momenta", "rates", "mass"),
)
