"""A program of one world over buffers of its own, so that nothing but copies stands between Python and the compiled code."""

from __future__ import annotations

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.model.model import Model
from redmax.program.program import Program


class Bound:
    """inputs: name -> (size,), to be filled before a call. A call returns the program's output, in a buffer that the next overwrites."""

    def __init__(self, model: Model, program: Program, backend: str) -> None:
        plan = make_plan(model, program, backend)
        self.inputs = {name: np.zeros(len(slots)) for name, slots in zip(plan.names[0], plan.inputs, strict=True)}
        self.out = np.zeros(len(plan.outputs[0]))
        self.run = make_runner(plan, backend, "float64").bind(self.inputs, [self.out])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The output for the input `x`, the others as they were left."""
        self.inputs["x"][:] = x
        self.run()
        return self.out
