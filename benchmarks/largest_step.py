"""How far one step of explicit Euler may go on joints along splines, and what it costs: the mechanisms of Lee & Terzopoulos, Sec. 7.

Joints are not constraints here, so there is no drift to stabilise, and steps may be long. Ten seconds of `forward-euler` are judged twice:
by whether all stays finite, and within the range of the joints; and by whether, too, the kinetic energy never exceeds BOUND times the
largest one of the accurate run (`adaptive`). Steps grow from 0.1 ms by a sixth each; the largest is the last before the first bad one, so
that a longer step that happens to go well does not count. An oscillation of frequency w grows by explicit Euler as exp(w^2 dt t / 2)
where nothing takes energy away, as here, so that it is accurate only with steps far below these. The mechanisms are alike, not the
same: the published steps are no targets.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.report import Row
from benchmarks.timing import Contestant, Effort, compete
from redmax.scenes import find

SECONDS, BOUND, FINITE = 10.0, 3.0, sys.float_info.max
COUNTS = [round(20 * (7 / 6) ** k) for k in reversed(range(56))]  # steps in ten seconds: dt from 0.1 ms to 0.5 s
PUBLISHED = {"globe": 0.02, "beads": 0.1}  # s
THEIRS = "Lee & Terzopoulos"
COSTS = {"spline-knee": (1, 0.006), "letters": (8, 0.049)}  # degrees of freedom, and s for a step on a Core 2 at 2.6 GHz
SAMPLED = 0.01  # s, of the accurate run
DT = 1e-3  # s, of the steps that are timed
STEPS = 1000  # of those that are timed
CHECKED = 10  # steps that are compared with the method written out


def measure(effort: Effort) -> Iterator[Row]:
    for name in ("beads", "globe", "letters", "spline-knee"):
        yield from rows(name, effort)


def rows(name: str, effort: Effort) -> Iterator[Row]:
    model = find(name).scene().model()
    error = checked(model)
    highest = float(kinetic(rm.simulate(model, SECONDS, SAMPLED)).max())

    bounds = {"finite": FINITE, f"kinetic energy within {BOUND:g} x": BOUND}
    found = largest(model, [min(bound * highest, FINITE) for bound in bounds.values()])
    theirs = PUBLISHED.get(name)
    peer, note = (THEIRS, "") if theirs else ("", "theirs: 20 to 100 ms in all examples")
    for what, last in zip(bounds, found):
        yield Row("largest explicit step", f"{name}, {what}", last, peer, theirs, None, None, error, note)
    yield cost(name, model, error, effort)


def largest(model: rm.Model, bounds: list[float]) -> list[float | None]:
    """For each bound of the kinetic energy (J) the longest step (s), None if not even the shortest keeps it."""
    last: dict[float, float | None] = dict.fromkeys(bounds)
    left = set(bounds)
    for count in COUNTS:
        reached = highest_kinetic(model, SECONDS / count)
        left = {bound for bound in left if reached <= bound}
        last |= dict.fromkeys(left, SECONDS / count)
        if not left:
            break
    return [last[bound] for bound in bounds]


def highest_kinetic(model: rm.Model, dt: float) -> float:
    """J, during a run; infinite if it broke off."""
    try:
        return float(kinetic(rm.simulate(model, SECONDS, dt, integrator="forward-euler")).max())
    except rm.SimulationError:
        return float("inf")


def kinetic(run: rm.Trajectory) -> np.ndarray:
    return np.nan_to_num(np.asarray(run.energy.kinetic), nan=np.inf)


def checked(model: rm.Model) -> float:
    """Some steps against the method over the forward dynamics alone, for joints that keep their charts."""
    run = rm.simulate(model, CHECKED * DT, DT, integrator="forward-euler")
    acceleration, q, v = rm.Dynamics(model).forward, run.q[0], run.qdot[0]
    for _ in range(CHECKED):
        q, v = q + DT * v, v + DT * acceleration(q, v)
    return agree("forward Euler", run.qdot[-1:], v[None])


def cost(name: str, model: rm.Model, error: float, effort: Effort) -> Row:
    """One step within the compiled loop."""
    sim = rm.Simulation(model, dt=DT, integrator="forward-euler")
    start, tau = sim.state, sim.torques()
    q, qdot = sim.room(1)

    def call() -> None:
        sim.reset(start)
        sim.advance(STEPS, tau, q, qdot)

    (own,) = compete([Contestant(name, call, STEPS, lambda: qdot[0])], effort)
    dofs, theirs = COSTS.get(name, (0, None))
    note = f"{model.nv} degrees of freedom" + (f"; theirs {dofs}, on a Core 2 at 2.6 GHz" if theirs else "")
    return Row("explicit step", name, own.best, THEIRS if theirs else "", theirs, None, None, error, note)
