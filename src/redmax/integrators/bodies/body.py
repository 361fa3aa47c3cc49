"""A body by itself, as methods see it: it turns about a fixed point (`Spherical`), or floats (`Free`); and what acts on it.

    pi = J W      angular momentum in body axes, about the fixed point or about the centre of mass, W the angular velocity
    R' = R [W],   pi' = pi x W + n
    u             velocity of the centre of mass of one that floats, in the axes in which it is placed,  m u' = R f

n, f: torque and force of gravity, springs, wrenches and given torques, in body axes, at q and t. They depend on no velocity, so that those
at the end of a step are those at the beginning of the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import applied_wrench, exerted_torque, felt, motion, place_frame, pushed
from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.joints.group.base import Element
from redmax.joints.group.joint import OnGroup
from redmax.lie import so3
from redmax.lie.three import cross, dot
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion
from redmax.trace.vector import vector_of

FIELDS = {"load": "v", "inverse": 9}


def element_of(j: JointView) -> Element:
    """How the configuration is written."""
    assert isinstance(j.joint, OnGroup)
    assert j.joint.element is not None
    return j.joint.element


def moves(j: JointView) -> bool:
    """Not what is fixed to the world."""
    return j.joint.dof > 0


def floats(j: JointView) -> bool:
    return j.joint.dof == 6


def center(j: JointView) -> Any:
    """(3,) the centre of mass in the joint frame."""
    return (1.0 / j.mass_value) * j.first_moment


def inertia(j: JointView) -> Any:
    """J (3, 3)."""
    A = np.array(j.M.A, object)
    if not floats(j):
        return A
    c = center(j)
    return A - j.mass_value * ((c @ c) * np.eye(3) - np.outer(c, c))


def rotation(j: JointView) -> Any:
    """R (3, 3), of j.q."""
    return element_of(j).pose(j.q)[0]


def crossed(a: Any, b: Any) -> Any:
    return vector_of(cross(list(a), list(b)))


def inverse(j: JointView) -> Any:
    """J^-1 (3, 3), found once."""
    return j.inverse.reshape(3, 3)


def turned_back(turn: Any, y: Any) -> Any:
    """Q' y - y of the unit quaternion of Q: v x (v x y - w y) 2 / |turn|^2."""
    w, v = turn[0], turn[1:]
    return (2.0 / (w * w + dot(list(v), list(v)))) * crossed(v, crossed(v, y) - w * y)


def angular_velocity(j: JointView, change: Any) -> Any:
    """W at the end of a step in which pi, in body axes, changes so. From J^-1 (J W + change), roundings of J^-1 J would add up."""
    return j.qdot[:3] + inverse(j) @ change


def torque(j: JointView) -> Any:
    """n (3,), body axes."""
    f = j.load + j.tau
    return f[:3] - crossed(center(j), f[3:]) if floats(j) else f


def pull(j: JointView) -> Any:
    """f / m (3,), in the axes in which a body that floats is placed."""
    return (1.0 / j.mass_value) * (rotation(j) @ (j.load + j.tau)[3:])


def center_velocity(j: JointView) -> Any:
    """u (3,) of a body that floats, of j.qdot."""
    return rotation(j) @ (j.qdot[3:] + crossed(j.qdot[:3], center(j)))


def turn_by(j: JointView, turn: Any, shift: Any) -> Any:
    """R1 (3, 3): the body turns by a unit quaternion in its own axes, and its centre of mass moves by a shift, if it floats."""
    element = element_of(j)
    R, p = element.pose(j.q)
    R1 = R @ so3.from_quaternion(turn)
    place = p + (R - R1) @ center(j) + shift if floats(j) else p
    j.q = element.turned(j.q, turn, place)
    return R1


def set_velocity(j: JointView, W: Any, u: Any) -> None:
    """j.qdot at j.q. u: of the centre of mass, if it floats"""
    j.qdot = np.concatenate([W, np.asarray(rotation(j)).T @ u - crossed(W, center(j))]) if floats(j) else W


@forward
def prepare(j: JointView) -> None:
    if moves(j):
        j.inverse = solve_symmetric(inertia(j), np.eye(3), j.name).ravel()


@forward
def weigh(j: JointView, p: ParentView, w: WorldView) -> None:
    j.X, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
    place_frame(j, p, j.X)
    j.V, j.S = np.zeros(6), m.S
    j.W = applied_wrench(j, w) - (j.M @ (j.X @ p.Vdot))


@backward
def gather(j: JointView, w: WorldView) -> None:
    if moves(j):
        j.load = j.S.T @ (j.W + felt(j)) + pushed(j) + exerted_torque(j, w)


prepared = recursion(prepare, name="inverse inertias of bodies")
loaded = recursion(weigh, interactions(Part.WRENCH), gather, name="what acts on bodies")
