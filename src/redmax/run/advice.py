"""What to try when a run blows up: a smaller step, with a number, and the integrators that do the scene and bear more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from redmax.model.state import State
from redmax.run.combinations import allowed
from redmax.run.failures import Failure
from redmax.run.good_samples import counted, good_states
from redmax.run.stable_step import stable_step, steps_below

if TYPE_CHECKING:
    from redmax.run.samples import Samples
    from redmax.run.simulation import Simulation

LOOKS, STATES, WORLDS = 24, 4, 4  # samples that are looked at, those near which steps are judged, and worlds of a batch
INSTEAD = {  # what else there is, and why, by what failed
    "forward-euler": {
        "euler": "which costs as much and does not gain energy",
        "adaptive": "which chooses its steps",
        "implicit": "which bears stiff forces at large steps, but damps",
    },
    "explicit": {"adaptive": "which chooses its steps", "implicit": "which bears stiff forces at large steps, but damps"},
    "implicit": {"adaptive": "which chooses its steps", "bdf2": "which solves each step to the end"},
    "bdf1": {"adaptive": "which chooses its steps"},
    "bdf2": {"adaptive": "which chooses its steps"},
    "adaptive": {"implicit": "which bears stiff forces and jumps", "bdf2": "which does so more accurately"},
}


def what_to_try(sim: Simulation, states: Sequence[State] = (), duration: float = 1.0, world: int = 0) -> str:
    """A sentence. states: of a world of the run while it was good, q a configuration; duration: of the run (s)."""
    found = [step_to_try(sim, states, duration, world)]
    found += ["solver='direct', as conjugate gradients need a positive definite matrix"] * (sim.options.solver == "cg")
    found += [f"integrator={name!r}, {why}" for name, why in others(sim).items()]
    tried = ", or ".join(filter(None, found))
    return f" Try {tried}." if tried else ""


def step_to_try(sim: Simulation, states: Sequence[State], duration: float, world: int) -> str:
    """A smaller step, with a number where the motion near the states tells one, or else a fifth to a tenth; "" if no step helps."""
    if sim.method.adaptive:
        return "forces and motions that are smooth there"
    if not states:
        return "a smaller dt"
    h = stable_step(sim.method.name, sim.engine_of(world), states, sim.dt, duration)
    h = next(h for h in steps_below(sim.dt) if h <= 0.2 * sim.dt) if h is None else h
    return f"a smaller dt, such as dt={h:g}" if h else ""


def advice_of(sim: Simulation, samples: Samples, world: int = 0, count: int | None = None) -> str:
    """What to try of a run, or one of its worlds, of which so many samples are there: all of them, unless said."""
    n = samples.done if count is None else count
    states = [samples.state(k) for k in np.unique(np.linspace(0, n - 1, LOOKS).astype(int))]
    own = [State(s.t, np.array(s.q[world]), np.array(s.qdot[world])) for s in states]
    return what_to_try(sim, good_states(own, sim, STATES), seconds_of(sim, samples), world)


def seconds_of(sim: Simulation, samples: Samples) -> float:
    """How long the run was to be (s)."""
    return float(samples.settings.get("duration") or samples.done * sim.dt)


def advised(sim: Simulation, samples: Samples) -> list[Failure]:
    """The worlds that were left behind, with what to try: of many, what holds for the first ones is said of all."""
    found: list[Failure] = []
    times = samples.begin + np.arange(samples.done) * (sim.dt * samples.every)
    sentence = ""
    for failure in counted(tuple(sim.failures), times):
        if failure.by_steps:
            if len(found) < WORLDS:
                sentence = advice_of(sim, samples, int(np.ravel_multi_index(failure.world, sim.batch)), failure.samples)
            failure = replace(failure, reason=failure.reason + sentence)
        found.append(failure)
    return found


def others(sim: Simulation) -> dict[str, str]:
    """Other integrators that can do the scene, on the dynamics in use or any, and why they may help."""
    name = sim.method.name
    instead = INSTEAD.get(name) or INSTEAD["explicit"]
    return {other: why for other, why in instead.items() if allowed(sim.model, replace(sim.options, integrator=other, solver="auto"))}
