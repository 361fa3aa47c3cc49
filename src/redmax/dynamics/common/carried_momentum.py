"""Momentum that a step carries along with the body, in trees that begin with a joint on a group, or that fly among things that touch.

Seen from a body that moves with the twist V, its momentum P = M V changes by ad(V)' P. An explicit step that adds h ad(V)' P makes it
longer, by (h |w|)^2 / 2 each time: what spins and flies would be twice as fast after a while. What does not spin about a fixed point moves
straight on, so that momenta about its centre of mass just turn against the body (Müller and Terze Eqs. 96-101):

    n1 = Q' n,   f1 = Q' f,   Q = exp(h w),    and    B = (P - P1) / h    stands for    -ad(V)' P

The lengths of both stay. A body by itself that may turn any way takes the turn of its flight, so that its energy stays too (flight.py);
one in a plane takes w from the middle of the step, and a tree from the beginning. (What flies among things that touch has steps of its own,
flown.py. Trees do it by half there: with all of it they lose about as much energy as they gain without.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.flight import flight
from redmax.dynamics.common.flown import inertia_about, rate_in_step
from redmax.dynamics.common.kinematics import minus_ad_transposed
from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.joints.motion import Motion
from redmax.lie import so3
from redmax.program.record import JointView, WorldView
from redmax.trace import is_traced


def rate_bias(j: JointView, m: Motion, V: Any, w: WorldView, stepped: bool) -> Any:
    """What the rate of a joint's twist is without qddot; of what flies in a step, where twists are in axes of its beginning (flown.py)."""
    return rate_in_step(j, V, w.h) if stepped and j.flies else m.bias(j.qdot)


def bias_wrench(j: JointView, V: Any, S: Any, w: WorldView, stepped: bool) -> Any:
    """B of a body. stepped: of a step of h, of which it is known that q1 follows from the velocities at its end."""
    alone = j.root and j.leaf
    P = j.M @ V
    if stepped and j.flies and alone:  # it keeps its momenta, in the axes of the beginning; what goes around a point presses on it
        return np.concatenate([np.zeros(3), np.cross(V[:3], P[3:]) if j.joint.dof == 3 else np.zeros(3)])
    exact = minus_ad_transposed(V, P)
    if not (stepped and (j.on_group or j.aloft)):
        return exact
    straight = np.zeros(3) if j.root and j.joint.dof == 3 else j.body_p  # what does not turn with the body, or its centre of mass
    if alone and not j.prescribed and turns_freely(j, S):
        turn, spin = flight(inertia_about(j), V[:3], w.h, j.name)
        f1 = so3.from_quaternion(turn).T @ P[3:]
        n1 = inertia_about(j) @ spin
    else:
        if alone and not j.prescribed:
            V = V - 0.5 * w.h * (S @ solve_symmetric(S.T @ (j.M @ S), (S.T @ exact)[:, None], j.name)[:, 0])
        back, f = so3.exp(-w.h * V[:3]), P[3:]
        n1, f1 = back @ (P[:3] - np.cross(straight, f)), back @ f
    carried = (P - np.concatenate([n1 + np.cross(straight, f1), f1])) / w.h
    return 0.5 * (exact + carried) if j.aloft else carried


def turns_freely(j: JointView, S: Any) -> bool:
    """Whether a body that its joint lets turn about all axes has no inertia but its own."""
    return (S.shape[1] == 6 or (j.joint.dof == 3 and all(not is_traced(x) and x == 0 for x in S[3:].ravel()))) and "armature" not in j
