"""Gradients of runs, by the initial state and the torques of every step, over the run alone; and what masses, lengths and springs add.

A call of `redmax.gradient` is timed as it is, with all that Python does around the compiled code. The run is that of the compiled loop,
with the same torques and every step a sample, which must end where the gradient's does before anything is timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import CASES
from benchmarks.parameters import springy_chain
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.run.controls import checked_controls

FIGURE = "gradient of a run"
METHODS = {"euler": (1e-3, 3.5), "rk4": (1e-3, 3.5), "implicit": (1e-3, 4.0), "bdf1": (2e-3, 1.5), "bdf2": (2e-3, 1.5)}  # dt, target
STEPS, MORE = 4000, 1.0  # MORE: what all parameters may add, in runs


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "humanoid"):
        for method in METHODS if case == "RC20" else ("euler", "bdf1"):
            yield against(case, CASES[case](), method, (), effort)
    scene = springy_chain()
    names = tuple(f"{link.name}.{what}" for link in scene.links for what in ("mass", "com", "stiffness"))
    for method in ("euler", "bdf1"):
        yield against("20 springy links, 100 parameters", scene, method, names, effort)


def against(case: str, scene: rm.Scene, method: str, names: tuple[str, ...], effort: Effort) -> Row:
    """names: of the parameters that it is by, too."""
    dt, target = METHODS[method]
    steps = STEPS // 4 if method.startswith("bdf") else STEPS
    model = scene.model()
    rng = np.random.default_rng(0)
    begin = rm.State(0.0, model.q0, 0.1 * rng.normal(size=model.nv))
    tau = 0.1 * rng.normal(size=(steps, model.nv))
    g = rm.gradient(model, end, steps * dt, dt, by=["q", "qdot", "tau", *names], initial=begin, integrator=method)
    own = Contestant("redmax", lambda: g(tau=tau), 1, lambda: g(tau=tau).end.q[None])
    peer = alone(model, begin, tau, dt, method)
    error = agree(f"{case}: {method}", own.accelerations(), peer.accelerations(), 1e-6)
    mine, other = compete([own, peer], effort)
    goal = Target(ratio=target + (MORE if names else 0.0))
    note = f"{steps} steps, {other.best / steps * 1e6:.2f} us each"
    return Row(FIGURE, f"{case}, {method}", mine.best, peer.name, other.best, mine.ratio(other), goal, error, note)


def end(now: rm.Moment) -> Any:
    return now.q @ now.q + now.qdot @ now.qdot


def alone(model: rm.Model, begin: rm.State, tau: np.ndarray, dt: float, method: str) -> Contestant:
    """The compiled loop."""
    sim = rm.Simulation(model, dt=dt, integrator=method, initial=begin)
    sim.controls = checked_controls(sim, tau, len(tau))
    q, qdot = sim.room(len(tau))

    def call() -> None:
        sim.reset(begin)
        sim.runner.restore(None)
        sim.fill(1, q, qdot)

    call()
    return Contestant("the run alone", call, 1, lambda: q[-1])
