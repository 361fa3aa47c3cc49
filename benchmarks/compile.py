"""From a model to its first result, in fresh processes: with an empty cache on disk, and again with what that left there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import CASES, draw
from benchmarks.engines.pinocchio import Pinocchio
from benchmarks.processes import Processes, processes
from benchmarks.report import Row, Target
from benchmarks.timing import Effort
from redmax.backends.llvm.target import host

COLD = {"12 signatures": 0.3, "humanoid": 0.6}
CACHED = 0.05


def measure(effort: Effort) -> Iterator[Row]:
    cached: list[Row] = []
    with processes() as python:
        once(python, "12 signatures", 1, "")  # leaves the byte code
        for case, worlds in product(COLD, sorted({1, host().doubles})):
            scene = CASES[case]()
            peer = Pinocchio(scene).contestant(draw(scene, worlds))
            peer.call()
            cold, again = cold_and_cached(python, case, peer.accelerations(), (COLD[case], CACHED), effort.processes)
            cached.append(again)
            yield cold
    yield from cached


def cold_and_cached(python: Processes, case: str, expected: np.ndarray, limits: tuple[float, float], repeats: int) -> list[Row]:
    """expected: (worlds, n), the accelerations that must come of it; limits: s, with an empty cache and with a full one."""
    worlds = len(expected)
    cold, cached = [], []
    for _ in range(repeats):
        with TemporaryDirectory() as folder:
            cold.append(once(python, case, worlds, folder))
            cached.append(once(python, case, worlds, folder))
    label = f"{case}, {'scalar' if worlds == 1 else f'{worlds} lanes'}"
    return [judge("compile", label, cold, expected, limits[0]), judge("from the cache", label, cached, expected, limits[1])]


def once(python: Processes, case: str, worlds: int, cache: str) -> dict[str, Any]:
    return json.loads(python.output("-m", "benchmarks.compile_once", case, str(worlds), REDMAX_CACHE_DIR=cache))


def judge(figure: str, label: str, found: list[dict[str, Any]], expected: np.ndarray, limit: float) -> Row:
    error = max(agree(f"{label}, {figure}", np.array(f["accelerations"]), expected) for f in found)
    best = min(found, key=lambda f: f["total"])
    note = f"plan and trace {best['plan']:.3f} s, code and first result {best['code']:.3f} s"
    return Row(figure, label, best["total"], target=Target(seconds=limit), agreement=error, note=note)
