"""The Jacobian J from reduced to maximal velocities, phi = J qdot, and its time derivative (RedMax supplement Sec. 3, Alg. 1-3).

Filled: J(i, i) = S_i and J(i, a) = X_i J(p, a), Jdot(i, a) = X_i Jdot(p, a) + Xdot_i J(p, a) with Xdot = -ad(S qdot) X (Eqs.
19-20, 49), one kernel over the relation (body, ancestor's column). Products J x, Jdot x and J^T y without forming J: one sweep
each, in O(n). The equations of motion ask for J alone. Everything is computed in joint frames, where it is sparse; constant adjoints take
the result to the body frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, motion, still
from redmax.joints.motion import Motion
from redmax.lie import Adjoint, se3
from redmax.model.model import Model
from redmax.program.columns import column_table
from redmax.program.fields import Fields
from redmax.program.program import Columns, Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion


@forward
def joint_columns(j: JointView, w: WorldView) -> None:
    begin(j, *motion(j, j.qdot, w))


def begin(j: JointView, X: Adjoint, m: Motion) -> None:
    """What a joint's own columns begin with, and the frame that takes others through it: R, p and the joint's twist."""
    j.S_columns, j.Sdot_columns = m.S.T.ravel(), m.Sdot.T.ravel()
    j.frame = np.concatenate([X.R.ravel(), np.asarray(X.p, object), m.twist(j.qdot)])


def through_joint(frame: Any, J: Any, Jdot: Any) -> tuple[Any, Any]:
    """A column and its rate, from the parent to the child."""
    X = Adjoint(frame[:9].reshape(3, 3), frame[9:12])
    moved = X @ J
    return moved, (X @ Jdot) - ad(frame[12:], moved)


def step_down(frame: Any, J: Any) -> tuple[Any]:
    """A column alone, from the parent to the child."""
    return (Adjoint(frame[:9].reshape(3, 3), frame[9:12]) @ J,)


begin_columns = recursion(joint_columns, name="joint columns")
fill_columns = Columns("J", ("S_columns", "Sdot_columns"), "frame", through_joint)
place_columns = Columns("placed J", ("S_columns",), "frame", step_down, rows=True)
PLACED_STATE = {"S_columns": "6v", "frame": 12}
COLUMN_STATE = {"S_columns": "6v", "Sdot_columns": "6v", "frame": 18}
JACOBIAN_FIELDS = Fields(state={"q": "q", "qdot": "v", **COLUMN_STATE}, world={"t": 1})
JACOBIAN = Program("jacobian", (begin_columns, fill_columns), JACOBIAN_FIELDS, ("q", "qdot", "t"), ("J",))


@forward
def multiply(j: JointView, p: ParentView, w: WorldView) -> None:
    """y = J x and z = Jdot x (Alg. 2), at the body frames."""
    X, m = motion(j, j.qdot, w)
    body = Adjoint(j.body_R, j.body_p)
    moved = X @ p.Jx
    j.Jx = moved + m.S @ j.x
    j.Jdotx = (X @ p.Jdotx) - ad(m.twist(j.qdot), moved) + m.Sdot @ j.x
    j.y, j.z = body @ j.Jx, body @ j.Jdotx


@forward
def place_joint(j: JointView, w: WorldView) -> None:
    j.X, j.S = still(j, w)


@backward
def multiply_transposed(j: JointView, p: ParentView) -> None:
    """x = J^T y (Alg. 3), y at the body frames."""
    X = j.X
    F = (Adjoint(j.body_R, j.body_p).T @ j.y) + j.F
    j.x = j.S.T @ F
    p.F += X.T @ F


@forward
def accumulate_drift(j: JointView, p: ParentView, w: WorldView) -> None:
    """What is left of twists and their rates without J qdot and J qddot, at the body frames."""
    X, m = motion(j, j.qdot, w)
    body = Adjoint(j.body_R, j.body_p)
    twist = m.twist(j.qdot)
    j.V, j.phi0 = (X @ p.V) + twist, (X @ p.phi0) + m.s
    j.a0 = (X @ p.a0) + ad(j.V, twist) + m.bias(j.qdot)
    j.y, j.z = body @ j.phi0, body @ j.a0


product = recursion(multiply, name="J x")
drift = recursion(accumulate_drift, name="drift")
DRIFT_FIELDS = Fields(down={"V": 6, "phi0": 6, "a0": 6}, state={"q": "q", "qdot": "v", "y": 6, "z": 6}, world={"t": 1})
transposed_product = recursion(place_joint, multiply_transposed, name="J^T y")
PRODUCT_FIELDS = Fields(down={"Jx": 6, "Jdotx": 6}, state={"q": "q", "qdot": "v", "x": "v", "y": 6, "z": 6}, world={"t": 1})
TRANSPOSED_FIELDS = Fields(up={"F": 6}, state={"q": "q", "x": "v", "y": 6}, world={"t": 1})
DRIFT = Program("drift", (drift,), DRIFT_FIELDS, ("q", "qdot", "t"), ("y", "z"))
PRODUCT = Program("jacobian product", (product,), PRODUCT_FIELDS, ("q", "qdot", "x", "t"), ("y", "z"))
TRANSPOSED_PRODUCT = Program("transposed jacobian product", (transposed_product,), TRANSPOSED_FIELDS, ("q", "y", "t"), ("x",))


jacobian_program = Program("jacobian", (begin_columns, fill_columns), JACOBIAN_FIELDS, ("q", "qdot", "t"), ("J",))
jacobian_product_program = Program("jacobian product", (product,), PRODUCT_FIELDS, ("q", "qdot", "x", "t"), ("y", "z"))
transposed_program = Program("transposed jacobian product", (transposed_product,), TRANSPOSED_FIELDS, ("q", "y", "t"), ("x",))
drift_program = Program("drift", (drift,), DRIFT_FIELDS, ("q", "qdot", "t"), ("y", "z"))


class Columned:
    """Packed columns as matrices, for one model."""

    def __init__(self, model: Model) -> None:
        self.shape = (len(model.links), 6, model.nv)
        self.table = column_table(model.tree, [link.joint.dof for link in model.links])

    def dense(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J and Jdot, (..., bodies, 6, nv), from (..., columns, 12), in joint frames."""
        parts = packed.reshape(*packed.shape[:-1], len(self.table), 2, 6)
        body, column = self.table.T
        result = np.zeros((2, *packed.shape[:-1], *self.shape), packed.dtype)
        result[0][..., body, :, column] = np.moveaxis(parts[..., 0, :], -2, 0)
        result[1][..., body, :, column] = np.moveaxis(parts[..., 1, :], -2, 0)
        return result[0], result[1]


def to_body_frames(model: Model) -> np.ndarray:
    """(bodies, 6, 6): the constant adjoints from the joint frames of the kernels to the body frames."""
    bodies = [C.T @ link.body for C, link in zip(model.frames, model.links, strict=True)]
    return np.array([np.asarray(se3.Ad(se3.inverse(b)), float) for b in bodies])
