"""Steps of what flies among things that touch, or turns about a fixed point there: bodies by themselves, and trees that nothing holds.

A step of contact is solved for the twist at its end in the axes of its beginning, in which points are where they are found. There, a body
that nothing acts on goes on with the momenta that it has, so that velocities without contact are those before the step, and impulses
change energy by what they do, f . u less f' J M^-1 J' f / 2, however fast the body spins: w x I w has no part in that. What the body does
by itself, with the momenta that it then has, comes behind: it turns with both momenta in the world, and with its energy (flight.py). So
without restitution a step adds no energy beyond the work of forces and what overlaps give back, but for roundings; I in the axes of the
beginning, beside a turn that only the end knows, would multiply the energy of a thin rod that spins about its axis by hundreds.

At the end of the step the twist is turned into the body's axes as they are then. Rates of exponential coordinates that are added up break
off instead, within a second at 20 rad/s and 2 ms; and a body twist that goes on as it is turns with the body, by h |w| out of the ground
on which it rolls. Of trees the first body goes on so, and momenta are carried by all (carried_momentum.py). Turns of less than a millionth
in a step are as ever: what rests stays where it is, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.flight import flight
from redmax.dynamics.common.kinematics import still
from redmax.lie import quaternions, so3
from redmax.lie.three import cross, dot
from redmax.math import where
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward
from redmax.trace.vector import vector_of

SLOW = 1e-12  # of the square of a turn
SOME = (1.0, 0.7, 0.4)  # rad/s, in place of a turn that is not looked at


def square(w: Any) -> Any:
    return dot(list(w), list(w))


def centre(j: JointView) -> Any:
    """What does not turn with the body: its centre of mass in the joint frame, or the fixed point."""
    return np.zeros(3).astype(object) if j.joint.dof == 3 else j.first_moment / j.mass_value


def inertia_about(j: JointView) -> Any:
    """(3, 3): about the centre of mass, in the axes of the joint frame, or about the fixed point."""
    inertia = j.M.matrix()[:3, :3]
    if j.joint.dof == 3:
        return inertia
    C = so3.bracket(centre(j))
    return inertia + j.mass_value * (C @ C)


def rate_in_step(j: JointView, V: Any, h: Any) -> Any:
    """What the rate of V is where the twist at the end, in the axes of the beginning, stays what it is: of a body by itself nothing, as its
    momenta say all; of a tree, that v turns against the axes of the first body, as momenta of bodies do."""
    if j.leaf or j.joint.dof == 3:
        return np.zeros(6).astype(object)
    w, v = V[:3], V[3:]
    turned = (so3.exp(-h * w) @ v - v) / h
    return np.concatenate([np.zeros(3), 0.5 * (turned - vector_of(cross(list(w), list(v))))])


def flown(j: JointView, S: Any, world: WorldView) -> tuple[Any, Any]:
    """(q, qdot) at the end of a step, from the velocities j.qdot that it was solved for, in the axes of its beginning."""
    h, V = world.h, S @ j.qdot
    slow = h * h * square(V[:3]) < SLOW
    w = chosen(slow, SOME, V[:3])  # of what does not turn the turn has no derivatives
    turn, spin = flight(inertia_about(j), w, h, j.name) if j.leaf else (quaternions.exp(h * V[:3]), None)
    Q, E = so3.from_quaternion(turn), j.joint.transform(j.q)
    c = centre(j) if j.leaf else np.zeros(3).astype(object)
    v = V[3:] + vector_of(cross(list(V[:3]), list(c)))
    q = j.joint.turned(j.q, turn, E[:3, 3] + E[:3, :3] @ (c + h * v - Q @ c))
    spin = Q.T @ V[:3] if spin is None else spin
    twist = np.concatenate([spin, Q.T @ v - vector_of(cross(list(spin), list(c)))])
    return chosen(slow, j.joint.retract(j.q, h * j.qdot), q), chosen(slow, j.qdot, j.joint.rates_of_twist(q, twist))


def chosen(condition: Any, a: Any, b: Any) -> Any:
    return vector_of([where(condition, x, y) for x, y in zip(a, b, strict=True)])


@forward
def symplectic_step(j: JointView, w: WorldView) -> None:
    """qdot1 = qdot0 + h qddot0, q1 = q0 + h qdot1"""
    j.qdot = j.qdot + w.h * j.qddot
    if j.flies:
        j.q, j.qdot = flown(j, still(j, w)[1], w)
    else:
        j.q = j.joint.retract(j.q, w.h * j.qdot)
