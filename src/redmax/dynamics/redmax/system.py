"""RedMax: reduced equations of motion from maximal mass and forces (RedMax supplement Eq. 12).

    (J^T M J) qddot = J^T (f - M a) + tau

a = Jdot qdot is the rate of the twists without qddot; it comes from the sweep, which also knows what joints that depend on time add.
f holds what is simple in maximal coordinates: Coriolis forces, weight, wrenches on bodies; tau what is simple in the joints. Hybrid
dynamics (RedMax notes Sec. 2.9) splits the joints into those whose acceleration is given (p) and the others (u):
M_uu a_u = f_u - M_up a_p, then tau_p = M_pu a_u + M_pp a_p - f_p. Prescribed twists of bodies are rows G of the same system. J and f
are in joint frames. All bodies below a joint move with its columns as one, so that J^T M J needs the inertia of that one alone; `dense`
fills the system and solves it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    with_rotor,
)
from redmax.dynamics.recursive.joints import implicit_block, implicit_given
from redmax.dynamics.redmax import composite
from redmax.dynamics.redmax.dense import DenseSystem
from redmax.dynamics.redmax.joints import PLACED_STATE, place_columns
from redmax.model.model import Model
from redmax.model.signatures import moments
from redmax.program.fields import Fields
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion
from redmax.solvers.reduced_matrix import clear_blocks


def maximal_terms(j: JointView, p: ParentView, w: WorldView, stepped: bool = True) -> None:
    """A joint's columns, and f - M a of its body: weight, wrenches, and ad(V)^T M V (RedMax supplement Eq. 9)."""
    X, m = motion(j, j.qdot, w)
    twist = m.twist(j.qdot)
    V = (X @ p.V) + twist
    place_frame(j, p, X)
    R = np.asarray(j.R, object).reshape(3, 3)
    j.V = V
    j.A = (X @ p.A) + ad(V, twist) + rate_bias(j, m, V, w, stepped)
    j.X, j.S = X, m.S
    j.S_columns, j.frame = m.S.T.ravel(), [*X.R.ravel(), *X.p]
    weight = j.M @ (np.concatenate([np.zeros(3), R.T @ j.gravity]) - j.A)
    j.force = weight - bias_wrench(j, V, m.S, w, stepped) + applied_wrench(j, w)
    j.passive = passive_torque(j, w)
    if "rotor" in j:
        j.rotor = with_rotor(np.zeros((j.joint.dof, j.joint.dof)), j, m.S).ravel()
    if "orientation" in j:  # twists are prescribed
        j.twist, j.rate, j.orientation = V, j.A, (R @ j.body_R).ravel()


@forward
def explicit_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    maximal_terms(j, p, w, stepped=False)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive


@forward
def stepped_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    """The same, for an explicit step of h."""
    maximal_terms(j, p, w)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive


@forward
def implicit_terms(j: JointView, p: ParentView, w: WorldView) -> None:
    maximal_terms(j, p, w)
    if j.touched:
        j.own = np.zeros(36)
    j.given = implicit_given(j, w)
    j.block = implicit_block(j, w).ravel()


@backward
def compose(j: JointView, p: ParentView) -> None:
    """What a joint moves, as one body: its inertia times S, and S' of the forces on it, those of the scene as well."""
    F = j.force + j.F_below
    if j.touched:
        F = F + felt(j)
    if j.pushed_at:
        j.passive = j.passive + pushed(j)
        if not j.prescribed:
            j.given = j.given + pushed(j)
    body = composite.of_body(j) + j.body_below
    j.IS_columns, j.generalised = (composite.as_inertia(body) @ j.S).T.ravel(), j.S.T @ F
    p.F_below += j.X.T @ F
    p.body_below += composite.in_parent(j.X, body)


def redmax_fields(model: Model, **extra: Any) -> Fields:
    joint = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v", "given": "v", "passive": "v", "block": "vv"}
    joint |= {"force": 6, "generalised": "v"} | ({"product": "v"} if any(model.prescribed) else {})
    joint |= {"rotor": "vv"} if model.has_rotors else {}
    placed = model.force_fields()
    own = {"own": 36} if model.acting else {}
    down, state = {"V": 6, "A": 6, "R": 9} | placed["down"], {**joint, **PLACED_STATE, "IS_columns": "6v", **placed["state"], **own}
    return Fields(
        down=down, up={"F_below": 6, "body_below": composite.SIZE}, state=state, sums=placed["sums"] | own, world={"t": 1, "h": 1}, **extra
    )


def stages(model: Model, implicit: bool, stepped: bool = False) -> tuple[ProgramStage, ...]:
    """Fill J and f, then solve. stepped: for an explicit step of h."""
    dense = DenseSystem(model, implicit, place_columns.name)
    last = (torques,) if any(model.prescribed) else ()
    return *fill(dense, stepped), *dense.assemble(), *dense.solve(), *last


def fill(dense: DenseSystem, stepped: bool = False) -> tuple[ProgramStage, ...]:
    """J, f and what forces add, of each joint and body."""
    clear = (clear_blocks,) if dense.stiff else ()
    return *clear, terms(dense.implicit, stepped), place_columns


def terms(implicit: bool, stepped: bool = False) -> Recursion:
    explicit = (stepped_terms, "redmax stepped") if stepped else (explicit_terms, "redmax explicit")
    first, name = (implicit_terms, "redmax implicit") if implicit else explicit
    return recursion(first, interactions(Part.UNSYMMETRIC if implicit else Part.WRENCH), compose, name=name)


@forward
def take_torques(j: JointView) -> None:
    """What prescribed joints must exert beside their own springs and torque functions."""
    if j.prescribed:
        j.tau = j.product - j.passive


torques = recursion(take_torques, name="redmax torques")


def joint_frame_inertia(model: Model) -> np.ndarray:
    """(bodies, 6, 6): each body's inertia in the joint frame of the kernels."""
    result = np.zeros((len(model.links), 6, 6))
    for i, (link, C) in enumerate(zip(model.links, model.frames, strict=True)):
        mass, h, upper = moments(link, C.T @ link.body)
        result[i, :3, :3][np.triu_indices(3)] = upper
        result[i, :3, :3] += np.triu(result[i, :3, :3], 1).T
        result[i, :3, 3:] = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
        result[i, 3:, :3] = result[i, :3, 3:].T
        result[i, 3:, 3:] = mass * np.eye(3)
    return result
