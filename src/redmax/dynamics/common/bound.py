"""A program of one world over buffers of its own, so that nothing but copies stands between Python and the compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.model.model import Model
from redmax.program.program import Program


class Bound:
    """inputs: name -> (size,), to be filled before a call. A call returns the program's output, in a buffer that the next overwrites."""

    def __init__(self, model: Model, program: Program, backend: str) -> None:
        plan = make_plan(model, program, backend)
        runner: Any = make_runner(plan, backend, "float64")
        self.inputs = {name: np.zeros(len(slots)) for name, slots in zip(program.inputs, plan.inputs, strict=True)}
        self.out = np.zeros(len(plan.outputs[0]))
        arrays = list(self.inputs.values())
        if backend == "interpret":
            self.run = lambda: runner.run(arrays, [self.out[None, None]], 1)
        else:
            self.workspace = runner.lowered(1).take()  # the compiled call points into it
            self.run = self.workspace.bind(arrays, [self.out])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The output for the input `x`, the others as they were left."""
        self.inputs["x"][:] = x
        self.run()
        return self.out
