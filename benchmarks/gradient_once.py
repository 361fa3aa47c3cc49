"""A fresh process for `gradients`: the time from a model to its first gradient of a run, as JSON. Arguments: case, integrator.

Imports are not in it, so what redmax imports late, the compiler above all, is imported first.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import redmax as rm
import redmax.backends.llvm.executable
import redmax.design.gradients
from benchmarks.cases import CASES

STEPS, DT = 5, 1e-3


def main(case: str, method: str) -> None:
    model = CASES[case]().model()
    start = perf_counter()
    g = rm.gradient(model, lambda now: now.q @ now.q, STEPS * DT, DT, by=["q", "qdot", "tau"], integrator=method)
    made = perf_counter()
    g()
    print(json.dumps({"total": perf_counter() - start, "made": made - start}))


if __name__ == "__main__":
    main(*sys.argv[1:])
