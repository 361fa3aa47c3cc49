"""Steps of what flies among things that touch, or turns about a fixed point there: bodies by themselves, and trees that nothing holds.

A step of contact is solved for the twist at its end in the axes of its beginning, in which points are where they are found. What nothing
acts on keeps both momenta in the world: with the inertia I, about the centre of mass, of what turns by Q in the step,

    w1 = Q I^-1 Q' I w,   Q = exp(h wm),   wm = w - h/2 I^-1 (w x I w)        in place of   w1 = w - h I^-1 (w x I w)

(wm is from the middle of the step, so that energy stays to second order), and the centre of mass goes straight on. What acts adds to that:
the more it changes w beside what w does by itself, the less of the middle is in Q, as what is in contact goes on as it is solved for.
At the end of the step the twist is turned into the body's axes as they are then. Rates of exponential coordinates that are added up break
off instead, within a second at 20 rad/s and 2 ms; and a body twist that goes on as it is turns with the body, by h |w| out of the ground
on which it rolls. Of trees the first body goes on so, and momenta are carried by all (carried_momentum.py). Turns of less than a millionth
in a step are as ever: what rests stays where it is, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.lie import quaternions, so3
from redmax.lie.three import cross, dot
from redmax.math import where
from redmax.program.record import JointView, WorldView
from redmax.trace.vector import vector_of

SLOW, TINY = 1e-12, 1e-30  # of the square of a turn; what keeps squares from being zero


def square(w: Any) -> Any:
    return dot(list(w), list(w))


def centre(j: JointView) -> Any:
    """What does not turn with the body: its centre of mass in the joint frame, or the fixed point."""
    return np.zeros(3).astype(object) if j.joint.dof == 3 else j.first_moment / j.mass_value


def undisturbed(j: JointView, V: Any, h: Any) -> tuple[Any, Any]:
    """wm, and the twist at the end of a step in which nothing acts, in the axes of its beginning."""
    w, c, inertia = V[:3], centre(j), j.M.matrix()[:3, :3]
    if j.joint.dof != 3:
        C = so3.bracket(c)
        inertia = inertia + j.mass_value * (C @ C)
    L = inertia @ w
    middle = w - 0.5 * h * solve_symmetric(inertia, vector_of(cross(list(w), list(L)))[:, None], j.name)[:, 0]
    Q = so3.exp(h * middle)
    end = Q @ solve_symmetric(inertia, (Q.T @ L)[:, None], j.name)[:, 0]
    return middle, np.concatenate([end, V[3:] + vector_of(cross(list(w - end), list(c)))])


def rate_in_step(j: JointView, V: Any, h: Any) -> Any:
    """What the rate of V is where the twist at the end, in the axes of the beginning, stays what it is: of a body by itself nothing, as its
    momenta say all; of a tree, that v turns against the axes of the first body, as momenta of bodies do."""
    if j.leaf or j.joint.dof == 3:
        return np.zeros(6).astype(object)
    w, v = V[:3], V[3:]
    turned = (so3.exp(-h * w) @ v - v) / h
    return np.concatenate([np.zeros(3), 0.5 * (turned - vector_of(cross(list(w), list(v))))])


def flown(j: JointView, S: Any, before: Any, w: WorldView) -> tuple[Any, Any]:
    """(q, qdot) at the end of a step, from the velocities j.qdot at its end in the axes of its beginning. before: at its beginning"""
    h, V = w.h, S @ j.qdot
    turning = h * (V[:3] + (ahead(j, S @ before, V, h) if j.leaf else 0.0))
    turn, E = quaternions.exp(turning), j.joint.transform(j.q)
    Q, c = so3.from_quaternion(turn), centre(j) if j.leaf else np.zeros(3).astype(object)
    v = V[3:] + vector_of(cross(list(V[:3]), list(c)))
    q = j.joint.turned(j.q, turn, E[:3, 3] + E[:3, :3] @ (c + h * v - Q @ c))
    spin = Q.T @ V[:3]
    twist = np.concatenate([spin, Q.T @ v - vector_of(cross(list(spin), list(c)))])
    slow = square(turning) < SLOW
    return chosen(slow, j.joint.retract(j.q, h * j.qdot), q), chosen(slow, j.qdot, j.joint.rates_of_twist(q, twist))


def ahead(j: JointView, before: Any, V: Any, h: Any) -> Any:
    """By what w of the middle of the step is ahead of that at its end, as far as nothing acts."""
    middle, alone = undisturbed(j, before, h)
    by_itself, pushed = square(alone[:3] - before[:3]), square(V[:3] - alone[:3])
    return by_itself / (by_itself + pushed + TINY) * (middle - alone[:3])


def chosen(condition: Any, a: Any, b: Any) -> Any:
    return vector_of([where(condition, x, y) for x, y in zip(a, b, strict=True)])
