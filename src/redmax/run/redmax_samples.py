"""Accelerations at samples of runs, and what only redmax dynamics knows: of scenes with a map of coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.dynamics import Dynamics
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


def accelerations_and_torques(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(time, ..., nv) each: qddot with the torques that the run was given, and what prescribed joints need, zero for the others."""
    tau = () if run.controls is None else (run.controls,)
    found: tuple[np.ndarray, ...]
    if run.model.constraints:
        found = run.solved
    elif run.step_wrenches:
        given = np.zeros_like(run.qdot) if run.controls is None else run.controls
        found = where_known(run, lambda q, qdot, t, tau, w: run.engine.hybrid(q, qdot, tau, None, w, t), given, *run.step_wrenches)
    else:
        found = run.redmax or where_known(run, lambda q, qdot, t, *tau: run.engine.hybrid(q, qdot, *tau, t=t), *tau)
    prescribed = np.repeat(run.model.prescribed, [link.joint.dof for link in run.model.links])
    return found[0], np.where(prescribed | np.isnan(found[1]), found[1], 0.0).astype(found[1].dtype) if tau else found[1]


def redmax_samples(
    engine: Dynamics, t: np.ndarray, q: np.ndarray, qdot: np.ndarray, controls: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """qddot and torques (time, ..., nv). q, qdot: those of the map.

    engine: of the run, with the parameters of its worlds; controls: (time, ..., nv), torques that it was given
    """
    from redmax.dynamics.redmax.hyper_reduced import RedmaxDynamics

    model, lead = engine.model, q.shape[:-1]
    dynamics = RedmaxDynamics(model, backend=engine.backend)
    times = np.repeat(t, int(np.prod(lead[1:])))
    q, qdot = (x.reshape(len(times), x.shape[-1]) for x in (q, qdot))
    known = np.isfinite(q).all(axis=1) & np.isfinite(qdot).all(axis=1)  # the others are of worlds that broke off
    own = [np.broadcast_to(p, (*lead, p.shape[-1])).reshape(len(times), p.shape[-1])[known].astype(float) for p in engine.own.values()]
    given = np.zeros((len(times), model.nv)) if controls is None else np.asarray(controls, float).reshape(len(times), model.nv)
    states = zip(times[known], q[known], qdot[known], given[known], *own, strict=True)
    found = [dynamics(x, v, tau, time, own=more) for time, x, v, tau, *more in states]
    qddot, torque = np.full((2, len(times), model.nv), np.nan)
    for name, array in (("qddot", qddot), ("tau", torque)):
        array[known] = np.reshape([getattr(f, name) for f in found], (len(found), model.nv))
    return qddot.reshape(*lead, model.nv), torque.reshape(*lead, model.nv)


def mapped_samples(
    map: CoordinateMap, t: np.ndarray, q: np.ndarray, qdot: np.ndarray, nearby: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """q_R and its rates, (time, ..., coordinates of the map). nearby: (..., the same), from where the first is looked for."""
    lead, worlds = q.shape[:-1], int(np.prod(q.shape[1:-1]))
    q, qdot = (x.reshape(len(t), worlds, x.shape[-1]) for x in (q, qdot))
    first = np.broadcast_to(map.q, (worlds, map.size)) if nearby is None else nearby.reshape(worlds, map.size)
    found = np.full((2, len(t), worlds, map.size), np.nan)
    for w in range(worlds):
        guess = first[w]
        known = int(np.isfinite(qdot[:, w]).all(axis=1).sum())  # until it broke off
        for i in range(known):  # each from the one before, carried on
            found[:, i, w] = map.inverse(q[i, w], qdot[i, w], guess)
            guess = found[0, i, w] + (found[1, i, w] * (t[i + 1] - t[i]) if i + 1 < len(t) else 0.0)
    return found[0].reshape(*lead, map.size), found[1].reshape(*lead, map.size)
