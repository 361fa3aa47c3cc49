"""Slopes through the assembly of what a run begins with: with constraints, a vector of `flat` stands for the nearest state on them.

    d P(a(x)) / dx_i = dP/dq . da_q/dx_i + dP/dqdot . da_qdot/dx_i,      a: x -> (q, qdot)      (run/assembly.py)

a is found by Newton's method in the kinetic metric, whose steps depend on all that x says: coordinates, rates, masses, centres. So da/dx_i
are differences of order 8, exact to rounding, as of parameters that are made again (dynamics/common/parameter_slopes.py).

A linkage that moves by its exact dimensions alone, such as Bennett's, has rows that repeat others only where it is closed. How it is closed
is then no smooth function of how it is open: differences are along the motions that it has, (1 - M^-1 G' (G M^-1 G')^+ G) dq, and small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from redmax.dynamics.common.parameter_slopes import STEP, WEIGHTS
from redmax.run.assembly import SMALL, Assembler
from redmax.run.simulation import Simulation

Begin = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
NEAR = 2.0**-15  # a step whose square is less than what rows may repeat each other by
SHAKE = 1e-3


def through_assembly(begin: Begin, x: np.ndarray, ways: Ways, by_q: np.ndarray, by_qdot: np.ndarray) -> np.ndarray:
    """(len(x),). begin: x -> configurations and rates"""
    found = np.zeros(len(x))
    for i in np.flatnonzero(ways.steps).tolist():
        step, move = ways.steps[i], ways.along(i)
        for k, weight in enumerate(WEIGHTS, 1):
            (q, qdot), (q_before, qdot_before) = begin(x + k * step * move), begin(x - k * step * move)
            found[i] += weight / step * (by_q @ (q - q_before) + by_qdot @ (qdot - qdot_before))
    return found


@dataclass(frozen=True, eq=False)
class Ways:
    """Which way to go for each number of a vector. steps: (n,) how far, 0 where nothing changes

    q: (nv, nv), the ways for those of "q", if they are not these themselves, which stand at `own`
    """

    steps: np.ndarray
    own: slice | None = None
    q: np.ndarray | None = None

    def along(self, i: int) -> np.ndarray:
        """(n,): the way for a number."""
        move = np.zeros(len(self.steps))
        if self.q is not None and self.own is not None and self.own.start <= i < self.own.stop:
            move[self.own] = self.q[i - self.own.start]
        else:
            move[i] = 1.0
        return move


def ways_of(sim: Simulation, parts: dict[str, slice], units: np.ndarray) -> Ways:
    """At the state where the simulation is. parts: where "q" stands in a vector; units: how much is much of each number of it"""
    steps = STEP * units
    one = Assembler(sim.model, sim.engine_of(0), tuple(values[:1] for values in sim.parameters.values()))
    if "q" not in parts or not repeats_when_closed(one, sim):
        return Ways(steps)
    rows, own = one.at(sim.q[0], np.zeros(one.n), sim.t), parts["q"]
    ways = [e + one.step(sim.t, rows, rows.G[0] @ e / rows.size[0], one.movable, False) for e in np.eye(one.n)]
    steps[own] = NEAR * units[own]
    return Ways(steps, own, np.array(ways))


def repeats_when_closed(one: Assembler, sim: Simulation) -> bool:
    """Whether more rows count beside where the mechanism is than there."""
    rest, shaken = np.zeros(one.n), SHAKE * one.unit * np.random.default_rng(0).uniform(-1, 1, one.n)
    here, beside = (one.at(sim.q[0], rest, sim.t, step) for step in (None, shaken))
    taking = one.rows_of(False)
    ranks = [np.linalg.matrix_rank((rows.G[0] / rows.size[0][:, None])[taking], SMALL) for rows in (here, beside)]
    return bool(ranks[0] < ranks[1])
