"""What joints that rub need of a step: the forces that joints transmit, what bounds friction, and what friction does to all bodies.

    f_a = M (J qddot + a) - f - f_b         (RedMax notes Eq. 2.113; a = Jdot qdot, which the published code leaves out)
    w_j = f_a,j + sum over children of X' w     leaves to root: what joint j transmits, once friction is taken away
    W_j = M_j^-1 + X M_p^-1 X',    s = (Q W Q' + epsilon)^-1 Q W w h,    normal impulses U s       (Eq. 2.114, by the factors N = U Q)
    slip = S (qdot + h qddot) - h (M^-1 f_b - X M_p^-1 f_b,p)     what points would move by without friction, at these f_a   (Eq. 2.110)

f_b, friction on bodies, is in joint frames. With epsilon = 0, s is what Q' s = w asks for, and no mass has a say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.contact.rubbing.staggering import Staggering
from redmax.dynamics.common.carried_momentum import bias_wrench, rate_bias
from redmax.dynamics.common.kinematics import ad, applied_wrench, felt, motion
from redmax.dynamics.common.symmetric import solve_symmetric
from redmax.forces.frames import crossed
from redmax.lie import Adjoint
from redmax.math import where
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Recursion, backward, forward, once, recursion

DOWN = {"rub_V": 6, "rub_a": 6, "rub_g": 3, "rub_inverse": 36, "rub_A": 6, "rub_d": 6}
UP = {"rub_below": 6, "rub_back": 6}
PLACED = {"rub_R": 9, "rub_x": 3, "rub_o": 3}  # beside constraints and contact: where joints are, and their trees
BESIDE = {"rub_world": 6, "rub_after": 6, "rub_F": 6}
STATE = {
    "rub_frame": 12, "rub_S": "6v", "rub_f": 6, "rub_share": 36, "rub_before": 6, "rub_fa": 6, "rub_load": 6, "rub_slip": 6, "rub_t": 6,
    "rub_b": 6, "rub_torque": "v", "rub_push": "v", "rub_y": "v", "rub_free": "v",
}  # fmt: skip
WORLD = dict.fromkeys(
    ("rub_done", "rub_going", "rub_turns", "rub_square", "rub_whole", "rub_gives", "rub_takes", "rub_scale", "rub_without", "rub_wrong"), 1
)
ROUNDING = 1e-6  # of what friction does to velocities


def terms(settings: Staggering, placed: bool = False) -> Recursion:
    """Once a step, behind the accelerations without friction. placed: with where joints are."""
    epsilon, centripetal = settings.regularisation, settings.centripetal

    @forward
    def rubbing_terms(j: JointView, p: ParentView, w: WorldView) -> None:
        X, m = motion(j, j.qdot, w)
        twist = m.twist(j.qdot)
        V = (X @ p.rub_V) + twist
        j.rub_V, j.rub_a = V, (X @ p.rub_a) + ad(V, twist) + rate_bias(j, m, V, w, stepped=True)
        j.rub_g = X.R.T @ (j.gravity if j.root else p.rub_g)
        if "R" in j:
            j.R = (np.asarray(p.R, object).reshape(3, 3) @ X.R).ravel()
        j.rub_frame, j.rub_S = [*X.R.ravel(), *X.p], m.S.T.ravel()
        if placed:
            R = np.eye(3) if j.root else np.asarray(p.rub_R, object).reshape(3, 3)
            j.rub_R, j.rub_x = (R @ X.R).ravel(), p.rub_x + R @ np.asarray(X.p, object)
            j.rub_o = j.rub_x if j.root else p.rub_o
        fall = np.concatenate([np.zeros(3), j.rub_g])
        f = (j.M @ (fall - j.rub_a if centripetal else fall)) - bias_wrench(j, V, m.S, w, stepped=True) + applied_wrench(j, w)
        j.rub_f = f + felt(j) if j.touched else f
        inverse = solve_symmetric(j.M.matrix(), np.eye(6), j.name)
        j.rub_inverse, j.rub_free = inverse.ravel(), j.qddot
        j.rub_before = np.zeros(6)
        j.rub_share = shares(j, p, X, inverse, epsilon)

    return recursion(rubbing_terms, name=f"rubbing terms {epsilon} {centripetal}{' placed' * placed}")


def shares(j: JointView, p: ParentView, X: Adjoint, inverse: np.ndarray, epsilon: float) -> Any:
    """(36,): what takes a wrench to s, rank x 6, and zeros behind."""
    found: Any = np.zeros((6, 6)).astype(object)
    if "rub_P" in j:
        found[: len(j.rub_P)] = j.rub_P
    if "rub_Q" in j:
        W, Q = inverse, j.rub_Q
        if not j.root:
            W = W + (X @ (X @ np.asarray(p.rub_inverse, object).reshape(6, 6)).T)
        QW = Q @ W
        found[: len(Q)] = solve_symmetric(QW @ Q.T + epsilon * np.eye(len(Q)), QW, j.name)
    return found.ravel()


def placed(j: JointView) -> tuple[Adjoint, Any]:
    """X and S, as the step found them."""
    return Adjoint(j.rub_frame[:9].reshape(3, 3), j.rub_frame[9:]), j.rub_S.reshape(j.joint.dof, 6).T


@backward
def push(j: JointView, p: ParentView) -> None:
    """J' f_b (Alg. 6)."""
    X, S = placed(j)
    F = j.rub_b + j.rub_below
    j.rub_push = S.T @ F
    p.rub_below += X.T @ F


@forward
def take_friction(j: JointView) -> None:
    """qddot with friction, before constraints and contact."""
    j.qddot = j.rub_free + (np.zeros(j.joint.dof) if j.prescribed else j.rub_y)


@forward
def leave_friction(j: JointView) -> None:
    """qddot without it."""
    j.qddot = j.rub_free


@lru_cache(maxsize=4)
def reactions(beside: bool, maximal: bool = False) -> Recursion:
    """f_a. beside: with what constraints and contact exert, which qddot has already, and whose change counts too, unless maximal."""

    @forward
    def accelerate_with_friction(j: JointView, p: ParentView, w: WorldView) -> None:
        """What bodies accelerate by, and how points slip."""
        X, S = placed(j)
        if not beside:
            j.qddot = j.rub_free + (np.zeros(j.joint.dof) if j.prescribed else j.rub_y)
        j.rub_A = (X @ p.rub_A) + S @ j.qddot
        j.rub_d = np.asarray(j.rub_inverse, object).reshape(6, 6) @ j.rub_b
        j.rub_slip = S @ (j.qdot + w.h * j.qddot) - w.h * (j.rub_d - (X @ p.rub_d))
        if beside:
            j.rub_after = j.rub_V + w.h * (j.rub_A - j.rub_d)

    @backward
    def transmit(j: JointView, p: ParentView, w: WorldView) -> None:
        """f_a, how far it is from the last one, and what the joint shares among its points."""
        X, _ = placed(j)
        fa = (j.M @ j.rub_A) - j.rub_f - j.rub_b
        if not maximal:
            weigh_change(j, w, fa)
        if beside:
            fa = fa - in_joint(j, j.rub_world)
        if maximal:
            weigh_change(j, w, fa)
        F = fa + j.rub_below
        j.rub_fa, j.rub_F = fa, F
        j.rub_load = w.h * (np.asarray(j.rub_share, object).reshape(6, 6) @ F)
        p.rub_below += X.T @ F

    return recursion(accelerate_with_friction, transmit, name=f"rubbing reactions{' beside others' * beside}{' maximal' * maximal}")


def weigh_change(j: JointView, w: WorldView, force: Any) -> None:
    """How far forces are from the last ones, and how large they are, both by M^-1."""
    inverse, change = np.asarray(j.rub_inverse, object).reshape(6, 6), force - j.rub_before
    w.gather("rub_square", change @ (inverse @ change))
    w.gather("rub_whole", force @ (inverse @ force))
    j.rub_before = force


def in_joint(j: JointView, wrench: Any) -> Any:
    """A wrench in world axes about the origin of the tree, in and about the joint frame."""
    R, arm, force = np.asarray(j.rub_R, object).reshape(3, 3), j.rub_x - j.rub_o, wrench[3:]
    return np.concatenate([R.T @ (wrench[:3] - crossed(arm, force)), R.T @ force])


@forward
def come_apart(j: JointView, p: ParentView, w: WorldView) -> None:
    """qddot with friction; and how fast joints would come apart if nothing but friction held them (Eq. 2.109)."""
    X, _ = placed(j)
    j.qddot = j.rub_free + (np.zeros(j.joint.dof) if j.prescribed else j.rub_y)
    j.rub_A = j.rub_V + w.h * (np.asarray(j.rub_inverse, object).reshape(6, 6) @ (j.rub_f + j.rub_b))
    j.rub_slip = j.rub_A - (X @ p.rub_A)


@backward
def push_together(j: JointView, p: ParentView, w: WorldView) -> None:
    """f_a = -N' a / h, on both bodies of each joint."""
    X, _ = placed(j)
    fa = j.rub_below - j.rub_load / w.h
    p.rub_below += (X.T @ j.rub_load) / w.h
    weigh_change(j, w, fa)
    j.rub_fa = fa


@forward
def slip_apart(j: JointView, p: ParentView, w: WorldView) -> None:
    """How points would move without friction, at these f_a (Eq. 2.110)."""
    X, _ = placed(j)
    j.rub_A = j.rub_V + w.h * (np.asarray(j.rub_inverse, object).reshape(6, 6) @ (j.rub_f + j.rub_fa))
    j.rub_slip = j.rub_A - (X @ p.rub_A)


@backward
def spread(j: JointView, p: ParentView, w: WorldView) -> None:
    """f_b of all bodies, from T' b of each joint."""
    X, S = placed(j)
    j.rub_b, j.rub_torque = j.rub_back - j.rub_t / w.h, -(S.T @ j.rub_t) / w.h
    p.rub_back += (X.T @ j.rub_t) / w.h


@backward
def push_contact(j: JointView, p: ParentView) -> None:
    """J' (f_a + f_b)."""
    X, S = placed(j)
    F = j.rub_fa + j.rub_b + j.rub_below
    j.rub_push = S.T @ F
    p.rub_below += X.T @ F


@forward
def weigh_work(j: JointView, w: WorldView) -> None:
    """x' v and h x' H^-1 x, x = J' f_b and v what velocities would be without it: the work of friction is h x' v + h/2 (h x' H^-1 x)."""
    if j.joint.dof and not j.prescribed:
        w.gather("rub_gives", j.rub_push @ (j.qdot + w.h * j.rub_free))
        w.gather("rub_takes", w.h * (j.rub_push @ j.rub_y))


@once
def limit_work(w: WorldView) -> None:
    """Friction that turns ended too early for adds no energy: it is scaled to what takes none."""
    least = -2.0 * w.rub_gives / where(w.rub_takes > 0.0, w.rub_takes, 1.0)
    w.rub_scale = where(2.0 * w.rub_gives + w.rub_takes > 0.0, where((least > 0.0) & (w.rub_takes > 0.0), least, 0.0), 1.0)


@forward
def scale_friction(j: JointView, w: WorldView) -> None:
    if not j.prescribed:
        j.qddot = j.rub_free + w.rub_scale * j.rub_y
    j.rub_b, j.rub_t, j.rub_torque = w.rub_scale * j.rub_b, w.rub_scale * j.rub_t, w.rub_scale * j.rub_torque


@forward
def weigh_end(j: JointView, w: WorldView) -> None:
    """x' v1 and h x' H^-1 x, v1 the velocities that the step ends with."""
    if j.joint.dof and not j.prescribed:
        w.gather("rub_gives", j.rub_push @ (j.qdot + w.h * j.qddot))
        w.gather("rub_takes", w.h * (j.rub_push @ j.rub_y))


@once
def look_at_end(w: WorldView) -> None:
    """Whether friction may have added energy: it ends along the motion, by more than roundings."""
    w.rub_wrong, w.rub_without = where(w.rub_gives > ROUNDING * w.rub_takes, 1.0, 0.0), 0.0


@forward
def weigh_without(j: JointView, w: WorldView) -> None:
    """x' v, v the velocities that the step would end with if joints did not rub."""
    if j.joint.dof and not j.prescribed:
        w.gather("rub_without", j.rub_push @ (j.qdot + w.h * j.qddot))


@once
def limit_beside(w: WorldView) -> None:
    """The work of friction is h x'(v + v1) / 2: what scales it to none, if v1 changes in proportion."""
    change = w.rub_gives - w.rub_without
    least = -2.0 * w.rub_without / where(change > 0.0, change, 1.0)
    limited = where((least > 0.0) & (change > 0.0), where(least < 1.0, least, 1.0), 0.0)
    w.rub_scale = where(w.rub_gives + w.rub_without > 0.0, limited, 1.0)


@once
def begin_turns(w: WorldView) -> None:
    w.rub_turns, w.rub_done, w.rub_square, w.rub_whole, w.rub_gives, w.rub_takes = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def compare(settings: Staggering) -> Recursion:
    """Whether f_a has come to rest; before friction is solved for again."""
    tolerance, most = settings.tolerance, float(settings.iterations)

    @once
    def compare_forces(w: WorldView) -> None:
        w.rub_turns = w.rub_turns + 1.0
        w.rub_going = where((w.rub_square >= tolerance * w.rub_whole) & (w.rub_turns < most) & (w.rub_whole > 0.0), 1.0, 0.0)
        w.rub_done = 1.0 - w.rub_going
        w.rub_square, w.rub_whole = 0.0, 0.0

    return recursion(compare_forces, name=f"rubbing compare {tolerance} {most}")


limited_work = (
    recursion(weigh_work, name="rubbing work"),
    recursion(limit_work, name="rubbing limit"),
    recursion(scale_friction, name="rubbing scale"),
)
looked_at_end = recursion(weigh_end, name="rubbing weigh end"), recursion(look_at_end, name="rubbing end")
limited_beside = (
    recursion(weigh_without, name="rubbing work without"),
    recursion(limit_beside, name="rubbing limit beside others"),
    recursion(scale_friction, name="rubbing scale"),
)
pushed_by_friction = recursion(push, name="rubbing J' f_b")
apart = recursion(come_apart, name="rubbing apart")
pushed_together = recursion(push_together, slip_apart, name="rubbing together")
taken_friction = recursion(take_friction, name="rubbing accelerations")
left_friction = recursion(leave_friction, name="rubbing left out")
spread_friction = recursion(spread, name="rubbing friction on bodies")
pushed_by_contact = recursion(push_contact, name="rubbing J' (f_a + f_b)")
begun = recursion(begin_turns, name="rubbing begin")
