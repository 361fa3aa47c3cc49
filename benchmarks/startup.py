"""What stands between a Python user and the compiled code: the import, and the call for one state."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES, States, draw
from benchmarks.compile import ROOT
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.engines.redmax import Redmax
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete

IMPORT = "from time import perf_counter as t; a = t(); import redmax; print(t() - a)"
CASE = "RC20"
WORLDS = 512


def measure(effort: Effort) -> Iterator[Row]:
    yield importing(max(effort.processes, 5))
    yield calling(effort)


def importing(processes: int) -> Row:
    """In fresh processes, without the interpreter's own start; the first one may have to write byte code."""
    command = [sys.executable, "-c", IMPORT]
    times = [float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout) for _ in range(processes + 1)]
    return Row("import redmax", "fresh process", min(times), target=Target(seconds=0.3), note=f"best of {processes + 1}; NumPy is part of it")


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
