"""`linearize` of a step on a map q = f(q_R): the state has as few freedoms as q_R, and so have its derivatives.

    dq = J dq_R,   dqdot = J dqdot_R + B(dq_R, qdot_R),      J = df/dq_R,  B its second derivative

Ways that the map does not have count by their nearest that it has: dq_R = J^+ dq, dqdot_R = J^+ (dqdot - B(dq_R, qdot_R)).
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.design.gradients.solved_steps import Slopes
from redmax.design.gradients.tangents import Tangents
from redmax.dynamics.redmax.hyper_reduced import HyperReducedRunner
from redmax.errors import SimulationError
from redmax.program.kernel import PARAMETERS
from redmax.run.simulation import Simulation
from redmax.run.start import system_of

FEW = 0.25  # B(u, v) = (b(u + v) - b(u - v)) / 4, b(u) = B(u, u)


def slopes_of_mapped(sim: Simulation, tau: ArrayLike | None) -> Slopes:
    """By (x, tau, parameters), as of steps that are solved (solved_steps.py)."""
    map, runner, n = cast(CoordinateMap, sim.model.map), cast(HyperReducedRunner, sim.runner), sim.model.nv
    found = system_of(sim, sim.model)
    assert sim.method.program is not None
    step = Tangents(found.model, sim.method.program(found), sim.backend, counts=True)
    held, own = np.broadcast_to(sim.torques(tau), (len(sim.q), n)), sum(p.shape[-1] for p in sim.parameters.values())
    begin = [runner.begin(q, qdot) for q, qdot in zip(sim.q, sim.qdot, strict=True)]
    each = np.eye(3 * n + own)
    ways = [of_map(map, *x, each[:, :n], each[:, n : 2 * n]) for x in begin]
    places, rates = (np.array([x[k] for x in begin]) for k in (0, 1))
    numbers = {"t": sim.t, "t0": sim.t, "h": sim.dt, "k": 0.0}
    given = {name: np.full(1, x) for name, x in numbers.items()} | dict(sim.parameters)
    given |= {name: padded(x, k) for name, x, k in (("q", places, runner.led[0]), ("qdot", rates, runner.led[1]))}
    given["tau"] = np.concatenate([held, np.zeros((len(held), map.size))], axis=-1)
    moves = {name: padded(np.array([w[k] for w in ways]), runner.led[k]) for k, name in enumerate(("q", "qdot"))}
    moves["tau"] = np.zeros((len(held), len(each), n + map.size))
    moves["tau"][:, :, :n] = each[:, 2 * n : 3 * n]
    if own:
        moves[PARAMETERS] = np.repeat(each[None, :, 3 * n :], len(held), axis=0)
    values, slopes = step(given, moves, len(held))
    (q, dq), (qdot, dqdot) = (
        (values[name][:, k:], slopes[name][..., k:]) for name, k in zip(("q", "qdot"), runner.led, strict=True)
    )
    if not all(np.isfinite(x).all() for x in (q, qdot, dq, dqdot)):
        raise SimulationError(f"redmax.linearize: the step has no derivative at t = {sim.t:.6g} s. Take a state beside it.")
    x = np.array([of_joints(map, *each_world) for each_world in zip(q, qdot, dq, dqdot, strict=True)])
    return Slopes(np.swapaxes(x, 1, 2), np.zeros((len(q), 0, len(each))), map.coordinates(q), map.rates(q, qdot))


def padded(x: np.ndarray, count: int) -> np.ndarray:
    """With so many zeros before each row: of joints, whose state follows."""
    return np.concatenate([np.zeros((*x.shape[:-1], count)), x], axis=-1)


def bent(map: CoordinateMap, q_R: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """B(u, v), (directions, nv), of u (directions, size)."""
    both = [map.evaluate("bias", q=q_R, qdot=np.asarray(w)) for w in (*(u + v), *(u - v))]
    return FEW * (np.array(both[: len(u)]) - np.array(both[len(u) :]))


def of_map(map: CoordinateMap, q_R: np.ndarray, qdot_R: np.ndarray, dq: np.ndarray, dqdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ways (directions, size) of q_R and its rates that are nearest to ways (directions, nv) of the joints."""
    inverse = np.linalg.pinv(map.evaluate("J", q=q_R))
    places = dq @ inverse.T
    return places, (dqdot - bent(map, q_R, places, qdot_R)) @ inverse.T


def of_joints(map: CoordinateMap, q_R: np.ndarray, qdot_R: np.ndarray, dq_R: np.ndarray, dqdot_R: np.ndarray) -> np.ndarray:
    """(directions, 2 nv): the ways of the joints."""
    J = map.evaluate("J", q=q_R)
    return np.concatenate([dq_R @ J.T, dqdot_R @ J.T + bent(map, q_R, dq_R, qdot_R)], axis=-1)
