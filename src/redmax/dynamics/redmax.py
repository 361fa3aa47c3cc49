"""RedMax: reduced equations of motion from maximal mass and forces (RedMax supplement Eq. 12).

    (J^T M J) qddot = J^T (f - M Jdot qdot) + tau

f holds what is simple in maximal coordinates: Coriolis forces, weight, wrenches on bodies; tau what is simple in the joints. Hybrid dynamics (RedMax
notes Sec. 2.9) splits the joints into those whose acceleration is given (p) and the others (u): M_uu a_u = f_u - M_up a_p, then
tau_p = M_pu a_u + M_pp a_p - f_p. J, Jdot and f are compiled, in joint frames; the dense system is solved in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.dynamics.impedance import implicit_block, implicit_given
from redmax.dynamics.jacobian import COLUMN_STATE, Columned, fill_columns
from redmax.dynamics.kinematics import ad_transposed, applied_wrench, motion_matrices, passive_torque, prescribed_acceleration
from redmax.model import Model, moments
from redmax.program.fields import Fields
from redmax.program.program import Host, Stage
from redmax.program.sweep import forward, recursion


def maximal_terms(j: Any, p: Any, w: Any) -> None:
    """A joint's columns, and f of its body: weight, wrenches, and ad(V)^T M V (RedMax supplement Eq. 9)."""
    X, S, Sdot = motion_matrices(j, j.qdot)
    V = (X @ p.V) + S @ j.qdot
    R = np.asarray(p.R, object).reshape(3, 3) @ X.R
    j.V, j.R = V, R.ravel()
    j.S_columns, j.Sdot_columns = S.T.ravel(), Sdot.T.ravel()
    j.frame = np.concatenate([X.R.ravel(), np.asarray(X.p, object), S @ j.qdot])
    weight = j.M @ np.concatenate([np.zeros(3), R.T @ j.gravity])
    j.force = weight - ad_transposed(V, j.M @ V) + applied_wrench(j, w)
    j.passive = passive_torque(j, w)


@forward
def explicit_terms(j: Any, p: Any, w: Any) -> None:
    maximal_terms(j, p, w)
    j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + j.passive
    j.block = np.zeros(j.joint.dof**2)


@forward
def implicit_terms(j: Any, p: Any, w: Any) -> None:
    maximal_terms(j, p, w)
    j.given = implicit_given(j, w)
    j.block = implicit_block(j, w).ravel()


def redmax_fields(model: Model, **extra: Any) -> Fields:
    joint = {"q": "q", "qdot": "v", "tau": "v", "qddot": "v", "given": "v", "passive": "v", "block": "vv", "force": 6}
    return Fields(down={"V": 6, "R": 9}, state={**joint, **COLUMN_STATE}, world={"t": 1, "h": 1}, **extra)


def stages(model: Model, implicit: bool) -> tuple[Stage, ...]:
    """Fill J, Jdot and f, then solve."""
    terms = recursion(implicit_terms if implicit else explicit_terms, name="redmax implicit" if implicit else "redmax explicit")
    return terms, fill_columns, Host("solve reduced system", reduced_solver(model))


def reduced_solver(model: Model) -> Callable[[Any], None]:
    columned = Columned(model)
    M = joint_frame_inertia(model)
    given = np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    free = ~given
    blocks = block_index(model)

    def solve(view: Any) -> None:
        J, Jdot = columned.dense(view["J"])
        MJ = M @ J
        inertia = np.tensordot(J, MJ, axes=([0, 1], [0, 1]))
        inertia[blocks] += view["block"]
        bias = view["force"].reshape(-1, 6) - (M @ (Jdot @ view["qdot"])[..., None])[..., 0]
        force = np.tensordot(J, bias, axes=([0, 1], [0, 1]))
        qddot = view["given"]  # prescribed accelerations; the others are replaced
        known = inertia[:, given] @ qddot[given]
        qddot[free] = np.linalg.solve(inertia[np.ix_(free, free)], (force + qddot - known)[free]) if free.any() else 0.0
        view["qddot"] = qddot
        if given.any():
            tau = view["tau"]
            tau[given] = (inertia @ qddot - force - view["passive"])[given]
            view["tau"] = tau

    return solve


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


def block_index(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the joints' own blocks in the reduced inertia, in the order in which they are stored."""
    rows: list[int] = []
    columns: list[int] = []
    for start, link in zip(model.offsets, model.links, strict=False):
        n = link.joint.dof
        rows += [start + a for a in range(n) for _ in range(n)]
        columns += [start + b for _ in range(n) for b in range(n)]
    return np.array(rows, int), np.array(columns, int)
