"""A step in maximal coordinates of a damped chain: bodies with joints as constraints, in one compiled loop, against the same step of
recursive dynamics. One world, and a batch in lanes; 100 links take a little more than five times as long as 20."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

FIGURE = "maximal step"
DT, DAMPING, BATCH = 1e-5, 0.1, 64
STEPS = {20: 500, 100: 100}
TARGETS = {20: 40e-6, 100: 220e-6}  # seconds a step of one world
TOLERANCE = 1e-3  # joints open a little, and close again, to the order of the method


def measure(effort: Effort) -> Iterator[Row]:
    for n in STEPS:
        for integrator in ("euler", "implicit"):
            yield against_recursive(n, integrator, 1, effort)
        yield against_recursive(n, "euler", BATCH, effort)


def against_recursive(n: int, integrator: str, worlds: int, effort: Effort) -> Row:
    """Seconds a step and world."""
    scene = chain(n, DAMPING)
    states, steps = draw(scene, worlds), STEPS[n] if worlds == 1 else 10
    start = rm.State(0.0, 0.5 * states.q, 0.1 * states.v)
    pair = [contestant(name, scene, integrator, start, steps) for name in ("maximal", "recursive")]
    for c in pair:
        c.call()
    error = agree(f"RC{n}: {steps} steps in maximal coordinates", *[c.accelerations() for c in pair], TOLERANCE)
    mine, other = compete(pair, effort)
    case = f"RC{n}, {integrator}, {'1 world' if worlds == 1 else f'{worlds} worlds'}"
    target = Target(seconds=TARGETS[n]) if worlds == 1 else None
    return Row(FIGURE, case, mine.best, pair[1].name, other.best, mine.ratio(other), target, error, f"dt {DT:g} s, {steps} steps a run")


def contestant(name: str, scene: rm.Scene, integrator: str, start: rm.State, steps: int) -> Contestant:
    """A run from one start, nothing saved but its end."""
    sim = rm.Simulation(scene, dt=DT, integrator=integrator, dynamics=name, initial=start)
    tau, (q, qdot) = sim.torques(), sim.room(1)

    def call() -> None:
        sim.reset(start)
        sim.advance(steps, tau, q, qdot)

    return Contestant(name, call, steps * len(np.atleast_2d(start.q)), lambda: qdot[0])
