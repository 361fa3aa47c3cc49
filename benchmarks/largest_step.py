"""How far one step of explicit Euler may go on joints along splines, and what it costs: the mechanisms of Lee & Terzopoulos, Sec. 7.

Joints are not constraints here, so there is no drift to stabilise, and steps may be long. A step dt counts as stable if ten seconds of
`forward-euler` stay finite, within the range of all joints, and with a kinetic energy that never exceeds BOUND times the largest one of
the accurate run (`adaptive`). Between steps from 1 ms to 0.5 s, each a sixth longer than the one before, the last stable one is found by
bisection: there may be islands of longer ones, by luck. Explicit Euler feeds energy to whatever oscillates, so that long before its
largest stable step it is not accurate; neither this criterion nor the scenes are exactly theirs, so their steps have no target here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.report import Row, duration
from benchmarks.timing import Contestant, Effort, compete
from redmax.scenes import find

SECONDS, BOUND = 10.0, 3.0
COUNTS = [round(20 * (7 / 6) ** k) for k in range(41)]  # steps in ten seconds: dt from 0.5 s down to 1 ms
PUBLISHED = {"globe": 0.02, "beads": 0.1}  # s
THEIRS = "Lee & Terzopoulos"
COSTS = {"letters": ("8 degrees of freedom", 0.049)}  # s for a step, on a Core 2 at 2.6 GHz
SAMPLED = 0.01  # s, of the accurate run
STEPS = 1000  # of those that are timed
CHECKED = 10  # steps that are compared with the method written out


def measure(effort: Effort) -> Iterator[Row]:
    for name in ("beads", "globe"):
        yield from rows(name, effort)


def rows(name: str, effort: Effort) -> Iterator[Row]:
    scene = find(name).scene()
    model = scene.model()
    highest = float(kinetic(rm.simulate(model, SECONDS, SAMPLED)).max())
    last = largest(model, BOUND * highest)
    theirs = PUBLISHED.get(name)
    note = f"dt for {SECONDS:g} s, not a time; theirs " + (duration(theirs) if theirs else "between 20 and 100 ms in all examples")
    error = checked(model)
    yield Row("largest step", name, last, THEIRS if theirs else "", theirs, None, None, error, note)
    yield cost(name, model, last, error, effort)


def largest(model: rm.Model, bound: float) -> float | None:
    """s; None if even the shortest step of the list fails."""

    @cache
    def stable(i: int) -> bool:
        return stays_below(model, SECONDS / COUNTS[i], bound)

    low, high = -1, len(COUNTS) - 1  # low fails (beyond the list), high is stable
    if not stable(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if stable(middle) else (middle, high)
    return SECONDS / COUNTS[high]


def stays_below(model: rm.Model, dt: float, bound: float) -> bool:
    try:
        run = rm.simulate(model, SECONDS, dt, integrator="forward-euler")
    except rm.SimulationError:
        return False
    return bool((kinetic(run) <= bound).all())


def kinetic(run: rm.Trajectory) -> np.ndarray:
    return np.nan_to_num(np.asarray(run.energy.kinetic), nan=np.inf)


def checked(model: rm.Model) -> float:
    """Some steps against the method over the forward dynamics alone, for joints that keep their charts."""
    dt = 1e-3
    run = rm.simulate(model, CHECKED * dt, dt, integrator="forward-euler")
    acceleration, q, v = rm.Dynamics(model).forward, run.q[0], run.qdot[0]
    for _ in range(CHECKED):
        q, v = q + dt * v, v + dt * acceleration(q, v)
    return agree("forward Euler", run.qdot[-1:], v[None])


def cost(name: str, model: rm.Model, dt: float | None, error: float, effort: Effort) -> Row:
    """One step within the compiled loop."""
    sim = rm.Simulation(model, dt=min(dt or 1e-3, 1e-3), integrator="forward-euler")
    start, tau = sim.state, sim.torques()
    q, qdot = sim.room(1)

    def call() -> None:
        sim.reset(start)
        sim.advance(STEPS, tau, q, qdot)

    (own,) = compete([Contestant(name, call, STEPS, lambda: qdot[0])], effort)
    what, theirs = COSTS.get(name, ("", None))
    peer = THEIRS if theirs else ""
    note = f"{model.nv} degrees of freedom" + (f"; theirs: {what}, a Core 2 at 2.6 GHz" if theirs else "")
    return Row("forward Euler step", name, own.best, peer, theirs, None, None, error, note)
