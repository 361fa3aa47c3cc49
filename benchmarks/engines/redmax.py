"""redmax: the compiled forward dynamics over an array of states, as scalar code or in lanes, on one thread."""

from __future__ import annotations

import numpy as np

import redmax as rm
from benchmarks.cases import States
from benchmarks.timing import Contestant
from redmax.backends.base import make_plan
from redmax.backends.llvm.executable import Executable


class Redmax:
    """lanes: 1 for scalar code, None for what the CPU has."""

    def __init__(self, scene: rm.Scene) -> None:
        self.dynamics = rm.Dynamics(scene.model())

    def contestant(self, states: States, lanes: int | None, name: str = "redmax") -> Contestant:
        runner = Executable(make_plan(self.dynamics.model, self.dynamics.forward_program, "llvm"))
        q = self.dynamics.model.configurations.join(states.q)
        inputs = [*map(np.ascontiguousarray, (q, states.v, states.tau)), np.zeros(1)]
        out = np.empty((1, *states.v.shape))

        def call() -> None:
            runner.run(inputs, [out], len(states), lanes=lanes, workers=1)

        return Contestant(name, call, len(states), lambda: out[0])


def by_jacobians(scene: rm.Scene, states: States) -> np.ndarray:
    """Accelerations (worlds, n) another way: J and Jdot filled, J^T M J factorised. One explicit step of 1 s changes rates by them."""
    start = rm.State(0.0, states.q, states.v)
    sim = rm.Simulation(scene, dt=1.0, integrator="forward-euler", dynamics="redmax", solver="direct", initial=start)
    return sim.step(1, states.tau).qdot - states.v
