"""One linearly implicit step of a damped chain, within the compiled time loop, against a step of MuJoCo's `implicitfast`.

Both solve (M + h D) a = f with damping D in the joints and everything else at the start of the step, then q1 = q0 + h (v0 + h a): MuJoCo by
factorising M + h D along the tree, O(n depth^2), redmax by RedMax notes Alg. 10, O(n). One step and a run of many must give the same rates
before they are timed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.engines.mujoco import Stepper
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

FIGURE = "implicit step"
DT, DAMPING = 1e-4, 0.1
STEPS = {20: 2000, 100: 200}
TARGETS = {20: 0.5, 100: 0.15}
RUN_TOLERANCE = 1e-6  # rounding grows along a run of a long chain


def measure(effort: Effort) -> Iterator[Row]:
    for n, steps in STEPS.items():
        yield against(n, steps, effort)


def against(n: int, steps: int, effort: Effort) -> Row:
    scene = chain(n, DAMPING)
    states = draw(scene, 1)
    q, v = 0.5 * states.q[0], states.v[0]
    own, peer = Steps(scene, "implicit", DT), Stepper(scene, DT)
    for count, tolerance in ((1, 1e-9), (steps, RUN_TOLERANCE)):
        pair = [engine.contestant(q, v, count) for engine in (own, peer)]
        for c in pair:
            c.call()
        error = agree(f"RC{n}: {count} implicit steps", *[c.accelerations() for c in pair], tolerance)
    mine, other = compete(pair, effort)
    note = f"damping {DAMPING:g}, dt {DT:g} s, {steps:,} steps a run"
    return Row(FIGURE, f"RC{n}", mine.best, peer.name, other.best, mine.ratio(other), Target(ratio=TARGETS[n]), error, note)


class Steps:
    """redmax's own steps, with options of rm.Simulation."""

    def __init__(self, scene: rm.Scene | rm.Model, integrator: str, dt: float, **options: str) -> None:
        self.sim = rm.Simulation(scene, dt=dt, integrator=integrator, **options)  # type: ignore[arg-type]

    def contestant(self, q: np.ndarray, v: np.ndarray, steps: int, name: str = "redmax") -> Contestant:
        """From q, v (n,), nothing saved but the end; its `accelerations` are the last rates, (1, n)."""
        start, tau = rm.State(0.0, q, v), self.sim.torques()
        end_q, end_v = self.sim.room(1)

        def call() -> None:
            self.sim.reset(start)
            self.sim.advance(steps, tau, end_q, end_v)

        return Contestant(name, call, steps, lambda: end_v[0])
