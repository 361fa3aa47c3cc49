"""The compiled time loop: 100,000 steps of RC20 with every sample saved, against the forward dynamics they contain; one world, and a
batch of worlds in lanes. And the memory that a batch of a million states takes beside its arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import redmax as rm
from benchmarks.agreement import agree
from benchmarks.cases import CASES, draw
from benchmarks.engines.redmax import Redmax
from benchmarks.processes import processes
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

CASE, DT = "RC20", 1e-5
STEPS, BATCH_STEPS, BATCH, STRIDE = 100_000, 2_000, 64, 10
CHECKED = 200  # steps that are compared with the method written out in Python
EVALUATIONS = {"euler": 1, "rk4": 4}
LIMIT = 1.3
GIBIBYTE = 2.0**30

MEMORY = """
import resource, sys
from pathlib import Path
import numpy as np
from benchmarks.cases import CASES
import redmax as rm
dynamics = rm.Dynamics(CASES["RC20"]().model())
dynamics.forward(np.zeros((16, 20)), np.zeros((16, 20)), np.zeros((16, 20)))
q, v, tau = (np.full((int(sys.argv[1]), 20), x) for x in (0.1, 0.2, 0.3))
pages = int(Path("/proc/self/statm").read_text().split()[1])  # what is resident now, not the peak that compiling may have left
out = dynamics.forward(q, v, tau)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - pages * resource.getpagesize() - out.nbytes)
"""


def measure(effort: Effort) -> Iterator[Row]:
    for method in EVALUATIONS:
        yield against_dynamics(method, 1, effort)
        yield against_dynamics(method, BATCH, effort)
    with processes() as python:
        worlds = 1_000_000 if effort.turns > 5 else 200_000
        extra = float(python.output("-c", MEMORY, str(worlds)))
    yield Row("memory", f"{worlds:,} states of RC20", None, note=f"{extra / GIBIBYTE:.3f} GiB beyond inputs and outputs (at most 2)")


def against_dynamics(method: str, worlds: int, effort: Effort) -> Row:
    """Time per evaluation of the forward dynamics: within the loop, and alone over an array of states."""
    scene = CASES[CASE]()
    model = scene.model()
    steps, stride = (STEPS, 1) if worlds == 1 else (BATCH_STEPS, STRIDE)
    start = draw(scene, worlds)
    state = rm.State(0.0, 0.01 * start.q, 0.0 * start.v) if worlds > 1 else rm.State(0.0, 0.01 * start.q[0], 0.0 * start.v[0])
    evaluations = steps * worlds * EVALUATIONS[method]

    def loop() -> rm.Trajectory:
        return rm.simulate(model, steps * DT, DT, integrator=method, initial=state, every=stride)

    alone = Redmax(scene).contestant(draw(scene, 4096), lanes=1 if worlds == 1 else None, name="its dynamics")
    few = rm.simulate(model, CHECKED * DT, DT, integrator=method, initial=state)
    error = agree(f"{method} loop", few.qdot[-1].reshape(worlds, -1), stepped_in_python(method, model, state).reshape(worlds, -1))
    inside = Contestant(method, loop, evaluations, lambda: np.empty(0))
    alone.call()
    own, other = compete([inside, alone], effort)
    case = f"{method}, {steps:,} steps, {'1 world' if worlds == 1 else f'{worlds} worlds'}"
    return Row("time loop", case, own.best, alone.name, other.best, own.ratio(other), Target(ratio=LIMIT), error, "per evaluation")


def stepped_in_python(method: str, model: rm.Model, state: rm.State) -> np.ndarray:
    """The rates after CHECKED steps of the method as its textbook has it, over the forward dynamics alone."""
    acceleration = rm.Dynamics(model).forward
    q, v = state.q, state.qdot
    for _ in range(CHECKED):
        a = acceleration(q, v)
        if method == "euler":
            v = v + DT * a
            q = q + DT * v
            continue
        v2 = v + DT / 2 * a
        a2 = acceleration(q + DT / 2 * v, v2)
        v3 = v + DT / 2 * a2
        a3 = acceleration(q + DT / 2 * v2, v3)
        v4 = v + DT * a3
        a4 = acceleration(q + DT * v3, v4)
        q, v = q + DT / 6 * (v + 2 * v2 + 2 * v3 + v4), v + DT / 6 * (a + 2 * a2 + 2 * a3 + a4)
    return v
