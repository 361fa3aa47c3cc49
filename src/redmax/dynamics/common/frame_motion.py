"""How the joint frames move, at their origins and in world axes: what the motion of every frame on their bodies follows from.

    V = X V_p + S qdot + s,   Vdot = X Vdot_p + S qddot + ad(V) (S qdot + s) + Sdot qdot + sdot        (RedMax supplement Alg. 6)
    omega = R w,   xdot = R v,   alpha = R wdot,   xddot = R (vdot + w x v)                            with V = (w; v)
    columns (R S_w; R S_v),   their rates (R (w x S_w + Sdot_w); R (w x S_v + Sdot_v))

A column is what one rate does: the twist of all that hangs on the joint, at the joint's origin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, motion, plus, stack
from redmax.joints.motion import Motion
from redmax.lie import Adjoint
from redmax.lie.three import cross
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward, recursion


def carried(j: JointView, p: ParentView, w: WorldView) -> tuple[Adjoint, Motion, np.ndarray]:
    """Place the joint's frame and its body's, with the twist of the former; X, what the joint does, and R are what the rest needs."""
    X, m = motion(j, j.qdot, w)
    Rp = np.asarray(p.R, object).reshape(3, 3)
    R, x = Rp @ X.R, p.x + Rp @ np.asarray(X.p, object)
    j.R, j.x, j.V = R.ravel(), x, (X @ p.V) + m.twist(j.qdot)
    j.link = np.concatenate([R @ j.C.T, x[:, None]], axis=1).ravel()
    j.pose = np.concatenate([R @ j.body_R, (x + R @ j.body_p)[:, None]], axis=1).ravel()
    j.velocity = turned(R, j.V)
    return X, m, R


def turned(R: np.ndarray, V: Any) -> np.ndarray:
    """A twist of the joint frame in world axes."""
    return np.concatenate([R @ V[:3], R @ V[3:]])


@forward
def move_frames(j: JointView, p: ParentView, w: WorldView) -> None:
    X, m, R = carried(j, p, w)
    driven = m.S @ j.qddot if len(j.qddot) else np.zeros(6)
    j.rate = (X @ p.rate) + driven + ad(j.V, m.twist(j.qdot)) + m.bias(j.qdot)
    a = plus(list(j.rate[3:]), cross(list(j.V[:3]), list(j.V[3:])))
    j.acceleration = turned(R, stack(list(j.rate[:3]), a))


@forward
def fill_frame_columns(j: JointView, p: ParentView, w: WorldView) -> None:
    _, m, R = carried(j, p, w)
    spin = list(j.V[:3])
    columns, rates = [], []
    for S, Sdot in zip(m.S.T, m.Sdot.T, strict=True):
        columns.append(turned(R, S))
        rates.append(turned(R, Sdot + stack(cross(spin, list(S[:3])), cross(spin, list(S[3:])))))
    j.columns, j.rates = np.ravel(columns), np.ravel(rates)


DOWN: dict[str, int] = {"V": 6, "R": 9, "x": 3}
SEEN: dict[str, int] = {"link": 12, "pose": 12, "velocity": 6}
FRAME_MOTION = Program(
    "motion of frames",
    (recursion(move_frames, name="motion of frames"),),
    Fields(down=DOWN | {"rate": 6}, state={"q": "q", "qdot": "v", "qddot": "v", **SEEN, "acceleration": 6}, world={"t": 1}),
    ("q", "qdot", "qddot", "t"),
    (*SEEN, "acceleration"),
)
FRAME_COLUMNS = Program(
    "columns of frames",
    (recursion(fill_frame_columns, name="columns of frames"),),
    Fields(down=DOWN, state={"q": "q", "qdot": "v", **SEEN, "columns": "6v", "rates": "6v"}, world={"t": 1}),
    ("q", "qdot", "t"),
    (*SEEN, "columns", "rates"),
)
