"""One attempt at the end of a step: where joints put the bodies there, how these move by the difference formulas, and what forces miss.

Joints and what closes loops are constraints on the bodies. What they leave free, at the iterate, are the coordinates of the joints: bodies
are placed by them, so that positions hold to roundings, and what joints transmit is left out by S' F (the null space of their rows):

    index 3:  d = log(q0^-1 q1),  a1 = (d/h - v0) / (beta h) - (1/2 - beta)/beta a0,  v1 = v0 + (1 - gamma) h a0 + gamma h a1
    index 2:  v1 of S qdot,       a1 = (v1 - v0) / (gamma h) - (1 - gamma)/gamma a0;  q1 by level.py
    both:     v1' = ((1 - am) a1 + am a0 - af v0') / (1 - af),       S' F = tau,  F = M V' - ad_V' M V - W + sum of X' F of children
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, applied_wrench, coordinates, minus_ad_transposed, motion, passive_torque, place_frame
from redmax.dynamics.maximal.joints import along
from redmax.dynamics.recursive.transmitted import transmit
from redmax.integrators.absolute.group import Group
from redmax.integrators.base import rechart_of
from redmax.integrators.variational.relative import Pose
from redmax.joints.motion import Motion
from redmax.math import sqrt, where
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Sweep, backward, forward

STATE: dict[str, Any] = {
    "pose": 12, "v0": 6, "a0": 6, "rate0": 6,  # at the beginning: the pose of the body's frame, v, a and v'
    "v1": 6, "a1": 6, "rate1": 6,  # where the step ends
    "slip": 6,  # how fast the body leaves its joint there
}  # fmt: skip
FARTHEST = 3.0  # rad that a step may turn a body: log knows of less than half a turn
TINY = 1e-60  # beside any way


def pose_of(flat: Any) -> Pose:
    """R and x of (12,)."""
    E = np.asarray(flat, object).reshape(3, 4)
    return E[:, :3], E[:, 3]


def flat_of(pose: Pose) -> Any:
    return np.concatenate([pose[0], pose[1][:, None]], axis=1).ravel()


def weight(j: JointView) -> Any:
    """The acceleration of what falls, in joint axes."""
    return np.concatenate([np.zeros(3).astype(object), np.asarray(j.R, object).reshape(3, 3).T @ j.gravity])


def differences(j: JointView, w: WorldView, a1: Any) -> Any:
    """v1' of a1."""
    return ((1.0 - w.am) * a1 + w.am * j.a0 - w.af * j.rate0) / (1.0 - w.af)


def move_by_differences(group: Group, j: JointView, w: WorldView) -> None:
    """Index 3: v, a and v' from where the body goes."""
    d = group.difference(pose_of(j.pose), group.frame.pose(j))
    a1 = ((1.0 / w.h) * d - j.v0) / (w.beta * w.h) - ((0.5 - w.beta) / w.beta) * j.a0
    j.v1, j.a1 = j.v0 + w.h * ((1.0 - w.gamma) * j.a0 + w.gamma * a1), a1
    j.rate1 = differences(j, w, a1)


def move_by_joints(group: Group, j: JointView, p: ParentView, w: WorldView, m: Motion) -> None:
    """Index 2: v from the rates of joints, which keep to the hidden constraints; a and v' from it."""
    V = (j.X @ p.V) + m.twist(j.qdot)
    j.v1 = group.own(group.frame.pose(j), group.frame.twist(j, V), np.zeros(6).astype(object))[0]
    j.a1 = (j.v1 - j.v0) / (w.gamma * w.h) - ((1.0 - w.gamma) / w.gamma) * j.a0
    j.rate1 = differences(j, w, j.a1)


def attempt_body(group: Group, index: int, j: JointView, p: ParentView, w: WorldView) -> None:
    """Frame, v, V and their rates, and what moving the body takes beside what is given."""
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    j.X, j.S = X, m.S
    if index == 3:
        move_by_differences(group, j, w)
    else:
        move_by_joints(group, j, p, w, m)
    V, Vdot = group.motion(group.frame.pose(j), j.v1, j.rate1)
    j.V, j.Vdot = group.frame.back(j, V), group.frame.back(j, Vdot) - weight(j)  # seen from a falling frame, as the world's own is
    if index == 3 and j.joint.dof and not j.prescribed:
        j.qdot = along(j, m.S, j.V - (X @ p.V) - m.s)
        _, m = motion(j, j.qdot, w)
    if j.joint.dof:
        j.qddot = along(j, m.S, j.Vdot - (X @ p.Vdot) - ad(j.V, m.twist(j.qdot)) - m.bias(j.qdot))
    momentum = j.M @ j.V
    j.inertial = (j.M @ j.Vdot) + minus_ad_transposed(j.V, momentum) - applied_wrench(j, w)
    j.passive = passive_torque(j, w)


@forward
def rechart(j: JointView, w: WorldView) -> None:
    """Joints near a singularity of their coordinates change to others, in which they move alike; bodies do not know of it."""
    changed = rechart_of(j)
    if changed is None:
        return
    _, before = motion(j, j.qdot, w)
    pushed = (before.S @ j.qddot) + before.bias(j.qdot)
    j.q, j.qdot = changed
    _, after = motion(j, j.qdot, w)
    j.qddot = along(j, after.S, pushed - after.bias(j.qdot))


def go(index: int, j: JointView, w: WorldView) -> None:
    """Newton's step; and how long it is, beside the way of the whole step and beside the coordinates."""
    dx = j.dx
    if not j.joint.dof:
        return
    j.q = j.joint.retract(j.q, dx)
    if index == 2 and not j.prescribed:
        j.qdot = j.qdot + (w.gamma / (w.beta * w.h)) * dx
    way, place = w.h * j.qdot, coordinates(j)
    far = place @ place
    size = w.way + 0.04 * sqrt(far) + TINY
    w.gather("moved", (dx @ dx) / (size * size))
    w.gather("moved_far", (dx @ dx) / (1.0 + far))
    w.gather("way_square", way @ way)


@lru_cache(maxsize=2)
def going(index: int) -> Sweep:
    """Go by dx alone."""

    @forward
    def step(j: JointView, w: WorldView) -> None:
        go(index, j, w)

    return step


@lru_cache(maxsize=16)
def attempt_of(group: Group, index: int, goes: bool) -> Sweep:
    """Look, and before go by dx."""

    @forward
    def attempt(j: JointView, p: ParentView, w: WorldView) -> None:
        if goes:
            go(index, j, w)
        attempt_body(group, index, j, p, w)

    return attempt


@backward
def missing(j: JointView, p: ParentView, w: WorldView) -> None:
    """Of the force of each joint; what it transmits is kept."""
    needed = transmit(j, p)
    j.missing = j.tau - needed
    if j.joint.dof and not j.prescribed:
        size = w.beta * w.h * w.h
        w.gather("square", (size * size) * (j.missing @ j.missing))


@lru_cache(maxsize=16)
def begin_of(group: Group) -> Sweep:
    """A run begins on its constraints: q, qdot and qddot say how bodies move. a0 = v0' + (am - af) h v0'', of what was given for v0''."""

    @forward
    def begin(j: JointView, p: ParentView, w: WorldView) -> None:
        X, m = motion(j, j.qdot, w)
        place_frame(j, p, X)
        twist = m.twist(j.qdot)
        V = (X @ p.V) + twist
        pushed = m.S @ j.qddot if j.joint.dof else np.zeros(6).astype(object)
        j.V, j.Vdot = V, (X @ p.Vdot) + ad(V, twist) + m.bias(j.qdot) + pushed
        pose = group.frame.pose(j)
        j.pose = flat_of(pose)
        j.v0, j.rate0 = group.own(pose, group.frame.twist(j, V), group.frame.twist(j, j.Vdot + weight(j)))
        j.a0 = j.rate0 + ((w.am - w.af) * w.h) * j.a0

    return begin


@lru_cache(maxsize=16)
def conclude_of(group: Group) -> Sweep:
    """The step ends where it was found to: what the next one begins with, and what is told of it."""

    @forward
    def conclude(j: JointView, p: ParentView, w: WorldView) -> None:
        X, m = motion(j, j.qdot, w)
        j.slip = j.V - (X @ p.V) - m.twist(j.qdot)
        turned = w.h * j.V[:3]
        w.gather("turned_far", where(turned @ turned > FARTHEST * FARTHEST, 1.0, 0.0))
        j.pose, j.v0, j.a0, j.rate0 = flat_of(group.frame.pose(j)), j.v1, j.a1, j.rate1

    return conclude
