"""Inverse dynamics with its transposed derivative by q, qdot and qddot, against forward dynamics: what a gradient through a run is made of.

One evaluation gives tau and (dtau/dx)^T w. By qddot that is M w, which must be so before anything is timed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.single import some_states
from benchmarks.timing import Contestant, Effort, compete
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.residual import Residual
from redmax.program.cotangent import cotangent

FIGURE = "inverse dynamics, transposed derivative"
TARGET = 1.7


def measure(effort: Effort) -> Iterator[Row]:
    for case in ("RC20", "RC100", "humanoid"):
        for lanes, how in ((1, "scalar"), (None, "in lanes")):
            yield against(case, lanes, how, effort)


def against(case: str, lanes: int | None, how: str, effort: Effort) -> Row:
    scene = CASES[case]()
    states = some_states(scene)
    engine = Redmax(scene)
    model = engine.dynamics.model
    plan = cotangent(rolled_plan(model, Residual(model, "llvm").program, "llvm", keep=True), by=("q", "qdot", "qddot"))
    runner = make_runner(plan, "llvm", "float64")
    weights = np.ascontiguousarray(states.tau[::-1])
    inputs = [*map(np.ascontiguousarray, (model.configurations.join(states.q), states.v, states.tau)), np.zeros(1), weights]
    outputs = [np.empty((1, len(states), len(slots))) for slots in plan.outputs]

    def call() -> None:
        runner.run(inputs, outputs, len(states), lanes=lanes, workers=1)  # type: ignore[call-arg]

    own = Contestant("redmax", call, len(states), lambda: outputs[-1][0])
    peer = engine.contestant(states, lanes, "forward dynamics")
    for c in (own, peer):
        c.call()
    error = agree(f"{case}: M w", own.accelerations(), engine.dynamics.inertia_product(states.q, weights))
    mine, other = compete([own, peer], effort)
    return Row(FIGURE, case, mine.best, peer.name, other.best, mine.ratio(other), Target(ratio=TARGET), error, how)
