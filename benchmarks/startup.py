"""What stands between a Python user and the compiled code: the import, and the call for one state."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES, States, draw
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.engines.redmax import Redmax
from benchmarks.processes import Processes, processes
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

IMPORT = """
from time import perf_counter
start = perf_counter()
import redmax
package = perf_counter()
redmax.Scene, redmax.simulate
names = perf_counter()
import redmax.backends.llvm.executable
print(package - start, names - start, perf_counter() - names)
"""
REPEATS = 5
CASE, WORLDS = "RC20", 2500


def measure(effort: Effort) -> Iterator[Row]:
    with processes() as python:
        yield from importing(python)
    yield calling(effort)


def importing(python: Processes) -> Iterator[Row]:
    """In fresh processes, without the interpreter's own start; the first is not counted, it writes byte code."""
    times = np.array([[float(x) for x in python.output("-c", IMPORT).split()] for _ in range(REPEATS + 1)])[1:]
    package, names, compiler = times.min(axis=0)
    yield Row("import", "redmax", package, target=Target(seconds=0.3), note=f"best of {REPEATS}; its names come when they are asked for")
    yield Row("import", "scenes and runs", names, note="redmax.Scene and redmax.simulate, NumPy and the import itself included")
    yield Row("import", "the compiler", compiler, note="late: when the first function is compiled or loaded")


def calling(effort: Effort) -> Row:
    """One state through `Dynamics.forward`, less the same state inside a compiled loop."""
    scene = CASES[CASE]()
    one = draw(scene, 1)
    engine = Redmax(scene)
    q, v, tau = one.q[0], one.v[0], one.tau[0]
    python = Contestant("Python", lambda: engine.dynamics.forward(q, v, tau), 1, lambda: engine.dynamics.forward(q, v, tau)[None])
    compiled = engine.contestant(States(*(np.repeat(x, WORLDS, axis=0) for x in (one.q, one.v, one.tau))), lanes=1)
    peer = Pinocchio(scene).contestant(one)
    for c in (python, compiled, peer):
        c.call()
    error = max(agree(f"{CASE}, {c.name}", c.accelerations(), peer.accelerations()) for c in (python, compiled))
    whole, inside = compete([python, compiled], effort)
    overhead = float(np.median(whole.samples - inside.samples))
    note = f"d.forward(q, v, tau) {whole.best * 1e6:.2f} us, of which compiled code {inside.best * 1e6:.2f} us"
    return Row("call overhead", CASE, overhead, target=Target(seconds=3e-6), agreement=error, note=note)
