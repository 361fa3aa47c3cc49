"""What every recursion begins with: the motion of one joint, and the applied forces that act on it.

Frames: j is the joint frame fixed to the child, E its pose in the parent's joint frame, X = Ad(E^-1). Twists are (angular; linear).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.joint_laws import (
    acting_on_twist,
    followed_acceleration,
    motion_rates,
    rotor_block,
    spring_within,
    torque_within,
)
from redmax.joints.motion import Motion, traced_motion
from redmax.lie import Adjoint
from redmax.lie.three import cross, twist_product
from redmax.program.record import JointView, ParentView, WorldView
from redmax.trace.vector import vector_of

ad = twist_product  # ad(V) W


def motion(j: JointView, qdot: Any, w: WorldView) -> tuple[Adjoint, Motion]:
    """X of a joint at j.q, with S, Sdot and what time brings (RedMax supplement Alg. 6 line 2)."""
    m = traced_motion(j.joint, j.q, qdot, w.t)
    return Adjoint(j.R0 @ m.E[:3, :3], j.p0 + j.R0 @ m.E[:3, 3]), m


def still(j: JointView, w: WorldView) -> tuple[Adjoint, Any]:
    """X and S where no velocity is involved."""
    X, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
    return X, m.S


def minus_ad_transposed(V: Any, F: Any) -> Any:
    """-ad(V)^T F = (w x n + v x f; w x f) with V = (w; v), F = (n; f): the rate of momentum seen from the moving frame."""
    w, v, n, f = list(V[:3]), list(V[3:]), list(F[:3]), list(F[3:])
    return stack(plus(cross(w, n), cross(v, f)), cross(w, f))


def plus(a: list[Any], b: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def stack(a: list[Any], b: list[Any]) -> np.ndarray:
    return vector_of([*a, *b])


def passive_torque(j: JointView, w: WorldView) -> Any:
    """What acts within the joint, less what its rotor takes without qddot."""
    total = exerted_torque(j, w)
    return total - rotor_bias(j, motion(j, j.qdot, w)[1]) if has_ball_rotor(j) else total


def exerted_torque(j: JointView, w: WorldView) -> Any:
    """The joint's spring and damper, what it exerts itself, the scene's torque function and forces within it."""
    q, exerted, turned = coordinates(j), [], "on_twist" in j
    if j.joint.has_own("force"):
        exerted.append(j.joint.force(j.q, j.qdot))
    if turned:
        exerted.append(torque_of_twist(j, w))
    own = not turned or j.on_twist == "forces"  # whether the joint's own damper and torque act on its rates
    if own and "torque" in j:
        exerted.append(np.asarray(j.torque(w.t, q, j.qdot), object))
    exerted += [force.exerted(q, j.qdot, w.t) for force in j.joint_forces if not force.on_twist]
    spring = spring_within(j.joint, j.stiffness, j.rest, q)
    return torque_within(spring, j.damping if own else np.zeros(j.joint.dof), j.qdot, exerted)


def torque_of_twist(j: JointView, w: WorldView) -> Any:
    """What acts along the twist instead of the rates: in the axes of the user's joint frame, which moves with the child."""
    q, B = coordinates(j), twist_of_rates(j, w)
    exerted = [force.exerted(q, B @ j.qdot, w.t) for force in j.joint_forces if force.on_twist]
    if j.on_twist == "forces":
        return acting_on_twist(B, np.zeros(j.joint.dof), j.qdot, exerted)
    if "torque" in j:
        exerted.append(np.asarray(j.torque(w.t, q, B @ j.qdot), object))
    return acting_on_twist(B, j.damping, j.qdot, exerted)


def twist_of_rates(j: JointView, w: WorldView) -> Any:
    """B (dof, dof) of the twist B qdot of a free joint, or of the angular velocity of a ball joint, in the user's axes."""
    S = motion(j, j.qdot, w)[1].S
    return np.concatenate([j.C @ S[:3], j.C @ S[3:]]) if j.joint.dof == 6 else j.C @ S[:3]


def reflected(j: JointView) -> Any:
    """The inertia that a joint feels of its rotor, (dof,); (1,) of a ball joint."""
    return j.armature * j.gear * j.gear


def has_ball_rotor(j: JointView) -> bool:
    """Whether a rotor turns with the angular velocity, and not with the rates."""
    return "armature" in j and len(j.armature) != j.joint.dof


def rotor_bias(j: JointView, m: Motion) -> Any:
    """What the rotor of a ball joint takes without qddot, (dof,)."""
    return reflected(j)[0] * (m.S[:3].T @ (m.Sdot[:3] @ j.qdot))


def with_rotor(block: Any, j: JointView, S: Any) -> Any:
    """A joint's own block of a system, (dof, dof), with the inertia of its rotor."""
    return block + rotor_block(reflected(j), S[:3]) if "armature" in j else block


def rotor_torque(j: JointView, S: Any, qddot: Any) -> Any:
    """What a rotor takes to be accelerated, (dof,), beside what passive_torque has of it."""
    return rotor_block(reflected(j), S[:3]) @ qddot if "armature" in j else np.zeros(j.joint.dof)


def coordinates(j: JointView) -> Any:
    """The joint's configuration without the charts in use."""
    return j.q[: j.joint.nq]


def applied_wrench(j: JointView, w: WorldView) -> Any:
    """F_ext of Alg. 6, in the joint frame: what is given with the state, and the scene's wrenches. j.R: the joint frame in the world."""
    body = Adjoint(j.body_R, j.body_p)
    total: Any = np.zeros(6).astype(object)
    if "wrench" in j:
        total = total + (body.T @ j.wrench)
    if "body_wrench" in j:
        total = total + (body.T @ np.asarray(j.body_wrench(w.t), object))
    if "world_wrench" in j:
        to_body = (np.asarray(j.R, object).reshape(3, 3) @ j.body_R).T
        for row in np.asarray(j.world_wrench(w.t), object):
            n, f, point = to_body @ row[:3], to_body @ row[3:6], list(row[6:])
            total = total + (body.T @ stack(plus(list(n), cross(point, list(f))), list(f)))
    return total


def place_frame(j: JointView, p: ParentView, X: Adjoint) -> None:
    """Where the joint frame is in the world, for forces that ask; and nothing yet of what they will add."""
    if "R" not in j:
        return
    Rp = np.asarray(p.R, object).reshape(3, 3)
    j.R = (Rp @ X.R).ravel()
    if "x" in j:
        j.x = p.x + Rp @ np.asarray(X.p, object)
    if "o" in j:
        j.o = j.x if j.root else p.o
    if j.touched and "applied" in j:
        j.applied = np.zeros(6)
    if j.pushed_at and "pushed" in j:
        j.pushed = np.zeros(j.joint.dof)
    if "row_wrench" in j:
        j.row_wrench = np.zeros(6)
    if "row_push" in j:
        j.row_push = np.zeros(j.joint.dof)


def felt(j: JointView) -> Any:
    """What forces have added, reactions of constraints where multipliers are solved for, and contacts that rest, in joint axes."""
    found = [j.applied] if j.touched and "applied" in j else []
    found += [j.row_wrench] if "row_wrench" in j else []
    pressed = j.pressed if "pressed" in j else np.zeros(6).astype(object)
    if not found:
        return pressed
    R, F = np.asarray(j.R, object).reshape(3, 3), sum(found[1:], found[0])
    return pressed + np.concatenate([R.T @ F[:3], R.T @ F[3:]])


def pushed(j: JointView) -> Any:
    """What forces have added to the joint's own coordinates, and reactions."""
    found = j.pushed if j.pushed_at and "pushed" in j else np.zeros(j.joint.dof).astype(object)
    return found + j.row_push if "row_push" in j else found


def prescribed_acceleration(j: JointView, w: WorldView) -> Any:
    """Of a joint that follows a motion; or the acceleration given with the state."""
    if "motion" not in j:
        return j.qddot
    rates = motion_rates(j.motion, w.t, j.joint, j.motion_level)
    return followed_acceleration(j.motion_level, rates, j.gain[0], j.joint, coordinates(j), j.qdot)
