"""Programs differentiated along directions of the state: exactly, as they were traced (program/tangent.py)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.common.state_arrays import explain
from redmax.dynamics.programs import Programs
from redmax.program.kernel import PARAMETERS
from redmax.program.program import Program
from redmax.program.tangent import tangent
from redmax.trace.blame import blamed

# how the rate of an input is called
MOVED = {"q": "moved q", "qdot": "moved qdot", "qddot": "moved qddot", "tau": "moved tau", "wrench": "y", PARAMETERS: "moved parameters"}


class Slopes(Programs):
    """What functions of `Dynamics` ask of tangent programs."""

    def slope(self, name: str, program: Program, given: dict[str, Any], rates: dict[str, Any], time: float = 0.0) -> np.ndarray:
        """How what a program gives changes, (..., nv).

        given: all its inputs; rates: of those that change, of q as velocities (..., nv), of parameters (..., columns)
        time: of t, where a unit of time is the unit
        """
        n = self.model.nv
        shape, arrays = self.arrays(**{k: given[k] for k in program.inputs}, **{MOVED[k]: x for k, x in rates.items()})
        inputs, moves, own = np.split(np.arange(len(arrays)), np.cumsum([len(program.inputs), len(rates)]))
        values = dict(zip(program.inputs, (arrays[i] for i in inputs), strict=True))
        moved = dict(zip(rates, (arrays[i] for i in moves), strict=True))
        parameters = [arrays[i] for i in own]
        varied = [moved.pop(PARAMETERS)] if PARAMETERS in moved else [np.zeros_like(x) for x in parameters]
        changes: dict[str, np.ndarray] = {k: np.zeros_like(x) for k, x in values.items()} | moved
        if "q" in rates:
            changes["q"] = self.change_of_configuration(values["q"], changes["q"])
        changes["t"] = np.full_like(values["t"], time)
        worlds = math.prod(shape)
        outputs = [np.empty((1, worlds, n), self.dtype) for _ in range(2)]
        if name not in self.runners:
            self.runners[name] = make_runner(tangent(rolled_plan(self.model, program, self.backend)), self.backend, self.dtype)
        given_arrays = [*values.values(), *parameters, *changes.values(), *varied]
        try:
            failed = worlds and self.runners[name].run(given_arrays, outputs, worlds)
        except ArithmeticError as error:  # of a user's function, while it is traced
            raise blamed(error) from error
        if failed:
            explain(self.model, program, list(values.values()), outputs[:1])
        return outputs[1].reshape(*shape, n)

    def change_of_configuration(self, q: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """How configurations (..., size) change with velocities (..., nv); charts stay."""
        at = self.model.configurations
        worlds = np.broadcast_shapes(q.shape[:-1], velocity.shape[:-1])
        changed = np.zeros((*worlds, q.shape[-1]), self.dtype)
        spread = np.broadcast_to(q[..., at.coordinates], (*worlds, len(at.coordinates)))
        changed[..., at.coordinates] = at.rates(spread, np.broadcast_to(velocity, (*worlds, velocity.shape[-1])))
        return changed
