"""Targets of rows that cannot be traced, as stages of a program: called from Python wherever rows are looked at, with the pose of the body.

Their values and rates are kept with the rows, where kernels read them. Bodies are placed for that by a sweep of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.constraints.twist_rows import TwistRows
from redmax.dynamics.common.islands import unplaced
from redmax.dynamics.common.kinematics import motion
from redmax.model.model import Model
from redmax.program.program import Host, ProgramStage
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.sweep import Sweep, forward, once, recursion
from redmax.solvers.reduced_matrix import copy

if TYPE_CHECKING:
    from redmax.dynamics.common.force_report import States


@forward
def place_moving(j: JointView, p: ParentView, w: WorldView) -> None:
    """Frames and twists."""
    X, m = motion(j, j.qdot, w)
    R_p: Any = np.eye(3) if j.root else np.asarray(p.row_R, object).reshape(3, 3)
    j.row_R, j.row_x = (R_p @ X.R).ravel(), p.row_x + R_p @ np.asarray(X.p, object)
    j.row_V = (X @ p.row_V) + m.twist(j.qdot)


def placing(dynamics: str) -> Sweep:
    """How dynamics of this name place bodies."""
    if dynamics != "maximal":
        return place_moving
    from redmax.dynamics.maximal.rows import place_free_moving

    return place_free_moving


@once
def none_lost(w: WorldView) -> None:
    w.closing_lost = 0.0


def called(model: Model) -> list[tuple[int, TwistRows]]:
    """The constraints whose targets are called, with their numbers."""
    return [(n, c) for n, c in enumerate(model.constraints) if isinstance(c, TwistRows) and c.carries]


def calls(model: Model, dynamics: str) -> tuple[ProgramStage, ...]:
    """The values of all targets, at the time and the pose of their bodies."""
    found = called(model)
    if not found:
        return ()
    values = Data("called targets", sum(c.carries for _, c in found))
    axes = [model.constraint_placed(c).anchors[0].rotation for _, c in found]
    numbers = [n for n, _ in found]

    def call(view: Any) -> None:
        R, V, t = view["row_R"].reshape(-1, 3, 3), view["row_V"].reshape(-1, 6), float(view["t"][0])
        bodies = [c.bodies[0].index for _, c in found]
        parts = [c.called(t, R[b] @ B, B.T @ V[b, :3]) for (_, c), b, B in zip(found, bodies, axes, strict=True)]
        view[values.name] = np.concatenate(parts)

    def kept(at: Addresses) -> list[tuple[Any, ...]]:
        rows, first = [], at[values]
        for r in (r for r in unplaced(model) if r.number in numbers):
            rows.append((first, at.kept(r.acting, r.k) + r.kept.carried, r.kept.carries))
            first += r.kept.carries
        return rows

    placed = recursion(placing(dynamics), name=f"called placing {dynamics}")
    names = ", ".join(str(c.name) for _, c in found)
    return placed, recursion(none_lost, name="called none lost"), Host(names, call), Call(copy, kept, (values,))


def called_states(c: TwistRows, states: States) -> np.ndarray:
    """(states, n): the same at states (...)."""
    b = c.bodies[0].index
    R, w = states.seen.pose[..., b, :3, :3].reshape(-1, 3, 3), states.seen.twist[..., b, :3].reshape(-1, 3)
    t = np.broadcast_to(states.t, states.qdot.shape[:-1]).ravel()
    return np.array([c.called(float(s), *motion) for s, *motion in zip(t, R, w, strict=True)]).reshape(len(t), c.carries)
