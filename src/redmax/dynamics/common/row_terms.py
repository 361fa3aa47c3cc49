"""What rows need of bodies and joints: frames, twists and their rates in the world, and the factors of articulated bodies.

    V = X V_p + S qdot + s,    A = X A_p + ad(V) (S qdot) + Sdot qdot + ... + S qddot         A = X A_p + S qddot where J a is wanted
    U = M^ S Psi,  Psi = (S' M^ S + P_r)^-1,  M^_p += X' (M^ - M^ S Psi S' M^) X              (RedMax notes Alg. 10)

Turned into world axes about the origin of each tree, in which rows are eliminated (solvers/along_tree.py).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from redmax.constraints.law import DOWN
from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.kinematics import ad, motion, with_rotor
from redmax.dynamics.recursive.forces import turned
from redmax.dynamics.recursive.joints import implicit_block, own_impedance
from redmax.lie import Inertia
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion

UP = {"row_M": 21}
STATE: dict[str, Any] = {
    "row_s": "6v",
    "row_U": "6v",
    "row_Psi": "vv",
    "row_a": 6,
    "row_y": "v",
}  # row_a: of free bodies
__all__ = ["DOWN", "STATE", "UP", "row_places", "row_terms"]


def place_body(j: JointView, p: ParentView, w: WorldView, part: Part) -> None:
    """Frame, twist and its rate, and the joint's twists in the world."""
    X, m = motion(j, j.qdot, w)
    R_p, twist = np.eye(3) if j.root else np.asarray(p.row_R, object).reshape(3, 3), m.twist(j.qdot)
    R = R_p @ X.R
    j.row_R, j.row_x = R.ravel(), p.row_x + R_p @ np.asarray(X.p, object)
    j.row_o = j.row_x if j.root else p.row_o
    j.row_V = (X @ p.row_V) + twist
    j.row_A = (X @ p.row_A) + m.S @ j.qddot if j.joint.dof else X @ p.row_A
    if part is Part.ACCELERATION_ROWS:
        j.row_A = j.row_A + ad(j.row_V, twist) + m.bias(j.qdot)
    j.X, j.S = X, m.S
    j.row_s = turned(R, j.row_x - j.row_o, m.S)


def reduce_body(j: JointView, p: ParentView, w: WorldView, implicit: bool) -> None:
    """U and Psi, and what the parent carries. Of a joint whose motion is given U = M^ S, and Psi is zero: rows do not move it."""
    X, n = j.X, j.joint.dof
    M = j.M + Inertia.from_flat(j.row_M)
    impedance = own_impedance(j) if implicit and "own" in j else None
    M = M if impedance is None else M + impedance
    if j.prescribed or not n:
        j.row_U, j.row_Psi = turned_force(j, M @ j.S), np.zeros(n * n)
        p.row_M += X.T @ M @ X
        return
    free = release(M, j.S, with_rotor(implicit_block(j, w) if implicit else 0.0, j, j.S), np.eye(n), j.name)
    j.row_U, j.row_Psi = turned_force(j, free.U_Psi), free.solved.ravel()
    p.row_M += X.T @ free.Pi @ X


def turned_force(j: JointView, F: Any) -> Any:
    """Wrenches (6, n) in the world, about the origin of the tree: turned as twists, with force and torque in each other's place."""
    R = np.asarray(j.row_R, object).reshape(3, 3)
    flat = turned(R, j.row_x - j.row_o, np.concatenate([F[3:], F[:3]])).reshape(-1, 6)
    return np.concatenate([flat[:, 3:], flat[:, :3]], axis=1).ravel()


@lru_cache(maxsize=8)
def row_terms(part: Part, implicit: bool) -> Recursion:
    """Places bodies, fills rows, keeps factors. implicit: with what springs and dampers add to the system of an implicit step."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        place_body(j, p, w, part)

    @backward
    def reduce(j: JointView, p: ParentView, w: WorldView) -> None:
        reduce_body(j, p, w, implicit)

    return recursion(place, interactions(part), reduce, name=f"{part}{' of implicit steps' if implicit else ''}")


@lru_cache(maxsize=4)
def row_places(part: Part) -> Recursion:
    """Places bodies and fills rows, where M^-1 is found otherwise."""

    @forward
    def place(j: JointView, p: ParentView, w: WorldView) -> None:
        place_body(j, p, w, part)

    return recursion(place, interactions(part), name=f"{part} alone")
