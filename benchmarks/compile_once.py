"""A fresh process for `compile`: the time from rm.Dynamics(model) to the first result, as JSON. Arguments: case, worlds.

Imports are not in it, so what redmax imports late, the compiler above all, is imported first.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import redmax as rm
import redmax.backends.llvm.executable
import redmax.dynamics.dynamics
from benchmarks.cases import CASES, draw


def main(case: str, worlds: int) -> None:
    scene = CASES[case]()
    states, model = draw(scene, worlds), scene.model()
    arguments = [x[0] if worlds == 1 else x for x in (states.q, states.v, states.tau)]
    start = perf_counter()
    dynamics = rm.Dynamics(model)
    dynamics.runner("forward", dynamics.forward_program)
    planned = perf_counter()
    result = dynamics.forward(*arguments)
    end = perf_counter()
    found = {"total": end - start, "plan": planned - start, "code": end - planned, "accelerations": result.reshape(worlds, -1).tolist()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
