"""Steps of trees of several bodies among things that touch: what they do by themselves neither makes nor takes energy.

Velocities v1 at the end of a step are solved for at the configuration q0 of its beginning. With forces F, impulses f, and C = -sum of
J' (M a + B) of what velocities bring, a the rates of twists and B the wrenches that v0 takes,

    M (v1 - v0) = h F + h C + J' f      so that      T(q0, v1) - h C . v1 = T(q0, v0) + h F . v1 + f . u - S,     S = |v1 - v0|_M^2 / 2

C does no work in the motion itself: what it seems to do is that of M, which changes. So this is the energy that there should be at q1, E,
less what weight did beyond h F . v1, as centres of mass move along curves. A part of S is added, s1 = |v_free - v0|_M^2 / 2, what a step
loses to which nothing was lost in truth, where S is as much: that of what strikes something is lost. Then rates are scaled to have E:

    of a tree that flies, about its motion as one:    v1 <- I^-1 p0 + s (v1 - I^-1 p),     s^2 = (E - p0 I^-1 p0 / 2) / (T - p I^-1 p / 2)

with its inertia I, locked, and its momentum p, which is to be p0, what it had in the world and what forces and impulses added. The two
parts are normal to each other in the metric of M. It is seen from a frame that falls with it, and its centre of mass moves by h p0 / m, so
that its weight has no part in E; of what presses on something, points move by h v1. Of other trees all rates are scaled. So without
restitution the energy of what touches does not grow, however fast trees spin (compare flown.py for bodies by themselves). Trees that turn
by less than a millionth in a step are as ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.carried_momentum import bias_wrench, rate_bias
from redmax.dynamics.common.flown import SLOW, chosen, flown, symplectic_step
from redmax.dynamics.common.kinematics import ad, motion, with_rotor
from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.dynamics.recursive.forces import turned
from redmax.lie import Adjoint, Inertia
from redmax.lie.three import cross
from redmax.math import maximum, minimum, sqrt, where
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion
from redmax.trace.vector import vector_of

DOWN = {"tree_V": 6, "tree_s": 1}  # beside frames, twists before the step and their rates, in the place of those of rows (row_terms.py)
# what trees add up to: T and E; s1 and S; squares of turns; p0 and p about where the first joint was; what C adds to p0 along lengths, the
# first moment before the step; the inertia; squares of what impulses change
UP = {"tree_T": 5, "tree_P0": 6, "tree_P": 6, "tree_C": 3, "tree_c": 3, "tree_I": 21, "tree_f": 1}
ROUNDING = 1e-20  # squares of m/s and rad/s: of less, nothing has struck
MORE, TINY = 1.05, 1e-100  # the most by which energy grows that a step has lost; J, what keeps slopes finite


def power(a: Any, b: Any) -> Any:
    """a . b"""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def turns(V: Any, w: WorldView) -> Any:
    """The square of the turn of a step."""
    return w.h * w.h * power(V[:3], V[:3])


def crossed(a: Any, b: Any) -> Any:
    return vector_of(cross(list(a), list(b)))


def place(j: JointView, p: ParentView, X: Adjoint) -> tuple[Any, Any]:
    R = np.eye(3).astype(object) if j.root else np.asarray(p.row_R, object).reshape(3, 3)
    return R @ X.R, p.row_x + R @ np.asarray(X.p, object)


def in_world(R: Any, arm: Any, F: Any) -> Any:
    """A momentum (n; f) of the joint frame about a point, in world axes."""
    f = R @ F[3:]
    return np.concatenate([R @ F[:3] + crossed(arm, f), f])


def rotors(j: JointView, S: Any, qdot: Any) -> Any:
    """Twice the energy of the rotor."""
    return power(qdot, with_rotor(np.zeros((j.joint.dof, j.joint.dof)).astype(object), j, S) @ qdot) if "armature" in j else 0.0


@forward
def begin(j: JointView, p: ParentView, w: WorldView) -> None:
    """What energy and momentum should be, body by body; of what floats seen from a frame that falls."""
    if not j.linked:
        return
    X, m = motion(j, j.qdot, w)
    R, x = place(j, p, X)
    qdot = j.qdot + w.h * j.qddot
    twist = m.twist(j.qdot)
    V0 = (X @ p.row_V) + twist
    a = (X @ p.row_A) + ad(V0, twist) + rate_bias(j, m, V0, w, True)
    V = (X @ p.tree_V) + m.S @ qdot
    o = x if j.root else p.row_o
    C = w.h * ((j.M @ a) + bias_wrench(j, V0, m.S, w, True))
    fall = np.concatenate([np.zeros(3), R.T @ (w.h * j.gravity)]) if j.afloat else np.zeros(6)
    seen, free = V - fall, (Adjoint(R, x - o) @ j.touch_V) - V0 - fall
    j.row_R, j.row_x, j.row_V, j.row_A, j.tree_V, j.row_o = R.ravel(), x, V0, a, V, o
    j.goal = power(seen, 0.5 * (j.M @ seen) + C) + 0.5 * rotors(j, m.S, qdot)
    j.P0, j.Clin = in_world(R, x - o, (j.M @ V) + C), R @ C[3:]
    j.c0 = j.mass_value * (x - o) + R @ j.first_moment
    j.lost = [0.5 * power(free, j.M @ free), 0.5 * power(V - V0, j.M @ (V - V0))]
    j.turn = turns(V, w)
    j.struck = power(V - V0 - fall - free, V - V0 - fall - free)


@forward
def move(j: JointView, p: ParentView, w: WorldView) -> None:
    """To the end of the step; energy, momentum and inertia there."""
    qdot = j.qdot + w.h * j.qddot
    j.qdot = qdot
    if j.flies:
        _, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
        j.q, j.qdot = flown(j, m.S, w)
    else:
        j.q = j.joint.retract(j.q, w.h * qdot)
    if not j.linked:
        return
    X, m = motion(j, j.qdot, w)
    R, x = place(j, p, X)
    o = j.row_o if j.root else p.row_o
    V = (X @ p.tree_V) + m.twist(j.qdot)
    P = j.M @ V
    j.S1 = m.S
    j.T1 = 0.5 * (power(V, P) + rotors(j, m.S, j.qdot))
    j.P1 = in_world(R, x - o, P)
    j.I1 = vector_of(j.M.congruence(Adjoint(R, x - o)).flat())
    j.row_R, j.row_x, j.tree_V, j.row_o = R.ravel(), x, V, o


@backward
def add_up(j: JointView, p: ParentView, w: WorldView) -> None:
    """Of trees, about where their first joint was; and at that joint what rates are scaled by."""
    if not j.linked:
        return
    sums = vector_of([j.T1, j.goal, *j.lost, j.turn]) + j.tree_T
    P0, P, C, c0, inertia = j.P0 + j.tree_P0, j.P1 + j.tree_P, j.Clin + j.tree_C, j.c0 + j.tree_c, j.I1 + j.tree_I
    struck = [j.struck + j.tree_f[0]]
    if not j.root:
        p.tree_f += struck
        p.tree_T += sums
        p.tree_P0 += P0
        p.tree_P += P
        p.tree_C += C
        p.tree_c += c0
        p.tree_I += inertia
        return
    T, goal, s1, S, turn = sums
    j.slow = slow = turn < SLOW
    locked = Inertia.from_flat(inertia)
    mass, c1, g = locked.C[0][0], vector_of([locked.B[2][1], locked.B[0][2], locked.B[1][0]]), w.h * j.gravity
    if not j.afloat:
        goal = goal + power(g, c1 - c0) / w.h - power(g, P0[3:] - C) + (minimum(s1, S) if j.unforced else 0.0)
        s = sqrt(maximum(minimum(goal / (T + TINY), MORE), 0.0) + TINY)
        j.tree_s = [where(slow, 1.0, s)]
        j.ended = chosen(slow, j.qdot, s * j.qdot)
        return
    most = S + power(g, C)
    goal = goal + minimum(s1 if j.unforced else 0.0, most) + power(g, P0[3:]) - 0.5 * mass * power(g, g)
    off = c0 + w.h * P0[3:] - c1
    alone = where(struck[0] > ROUNDING, 0.0, 1.0)
    goal = goal - (1.0 - alone) * power(g, off) / w.h
    shift = (alone / mass) * off  # all move by as much, and what is about one point is about another
    wanted = np.concatenate([P0[:3] - crossed(shift, P0[3:]), P0[3:]])
    R = np.asarray(j.row_R, object).reshape(3, 3)
    seen = turned(R, j.row_x - j.row_o, j.S1).reshape(-1, 6).T  # twists of the first joint in the world
    block, now, then = seen.T @ (locked @ seen), seen.T @ P, seen.T @ wanted
    found = solve_symmetric(block, np.column_stack([now, then]), j.name)
    whole, whole0 = 0.5 * power(found[:, 0], now), 0.5 * power(found[:, 1], then)
    left = goal - whole0
    s = sqrt(maximum(minimum(left / (maximum(T - whole, 0.0) + TINY), MORE), 0.0) + TINY)
    all_of = where(left < 0.0, sqrt(maximum(goal, 0.0) / (whole0 + TINY) + TINY), 1.0)
    j.tree_s = [where(slow, 1.0, s)]
    j.ended = all_of * found[:, 1] + s * (j.qdot - found[:, 0])
    j.shift = shift


@forward
def scale(j: JointView, p: ParentView, w: WorldView) -> None:
    """Rates; and where a tree is that floats."""
    if not j.linked:
        return
    if not j.root:
        j.tree_s = p.tree_s
        j.qdot = p.tree_s[0] * j.qdot
        return
    if j.afloat:
        none = np.array([1.0, 0.0, 0.0, 0.0], object)
        q = j.joint.turned(j.q, none, j.joint.transform(j.q)[:3, 3] + j.R0.T @ j.shift)
        j.q, j.qdot = chosen(j.slow, j.q, q), chosen(j.slow, j.qdot, j.joint.rates_of_twist(q, j.S1 @ j.ended))  # maybe of another turn
    else:
        j.qdot = j.ended


step_trees = recursion(begin, move, add_up, scale, name="step of trees")
step_of_still_trees = recursion(symplectic_step, name="step of trees that stay")
