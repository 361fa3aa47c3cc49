"""From a model to its first result, in fresh processes: with an empty cache on disk, and again with what that left there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES, draw
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.backends.llvm.target import host

ROOT = Path(__file__).resolve().parents[1]
COLD = {"12 signatures": 0.3, "humanoid": 0.6}
CACHED = 0.05


def measure(effort: Effort) -> Iterator[Row]:
    lanes = host().doubles
    for case in COLD:
        for worlds in sorted({1, lanes}):
            yield from cold_and_cached(case, worlds, effort)


def cold_and_cached(case: str, worlds: int, effort: Effort) -> Iterator[Row]:
    cold, cached = [], []
    for _ in range(effort.processes):
        with TemporaryDirectory() as folder:
            cold.append(fresh_process(case, worlds, folder))
            cached.append(fresh_process(case, worlds, folder))
    label = f"{case}, {'scalar' if worlds == 1 else f'{worlds} lanes'}"
    scene = CASES[case]()
    peer = Pinocchio(scene).contestant(draw(scene, worlds))
    peer.call()
    for figure, found, limit in (("compile", cold, COLD[case]), ("from the cache", cached, CACHED)):
        errors = [agree(f"{label}, {figure}", np.array(f["accelerations"]), peer.accelerations()) for f in found]
        best = min(found, key=lambda f: f["total"])
        note = f"plan and trace {best['plan']:.3f} s, then {best['code']:.3f} s"
        yield Row(figure, label, best["total"], target=Target(seconds=limit), agreement=max(errors), note=note)


def fresh_process(case: str, worlds: int, cache: str) -> dict[str, Any]:
    environment = {**os.environ, "REDMAX_CACHE_DIR": cache}
    command = [sys.executable, "-m", "benchmarks.compile_once", case, str(worlds)]
    return json.loads(subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout)
