"""The equations of motion as a residual, with its exact Jacobian: r(q, qdot, qddot) = 0, r the forces that inverse dynamics still
misses.

dr/dq, dr/dqdot and dr/dqddot = M come from the directional derivative of the inverse dynamics program, one direction per lane:
dM/dq, the gyroscopic terms, K and D of every force and joint at once, without forming any of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from redmax.backends.base import Runner, make_runner, rolled_plan
from redmax.dynamics.common.inverse import inverse_dynamics, inverse_fields
from redmax.model.model import Model
from redmax.model.parameters import default_columns
from redmax.program.program import Program
from redmax.program.tangent import tangent

State: TypeAlias = "tuple[np.ndarray, np.ndarray, np.ndarray]"  # q, qdot, qddot


class Residual:
    """r and its Jacobian for one model. Arrays are (nv,); charts: the charts' numbers in which q is meant."""

    def __init__(self, model: Model, backend: str) -> None:
        self.model, self.backend = model, backend
        fields = inverse_fields(False, model)
        self.program = Program("residual", (inverse_dynamics,), fields, ("q", "qdot", "qddot", "t"), ("tau",))
        self.charts = model.configurations.start
        self.parameters = default_columns(model)  # of the world that is solved, where a model has some

    @cached_property
    def runner(self) -> Runner:
        return make_runner(rolled_plan(self.model, self.program, self.backend), self.backend, "float64")

    @cached_property
    def tangent_runner(self) -> Runner:
        return make_runner(tangent(rolled_plan(self.model, self.program, self.backend)), self.backend, "float64")

    def value(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, t: float, tau: Any = 0.0) -> np.ndarray:
        """r, less the forces tau (nv,) that are given."""
        out = np.empty((1, 1, self.model.nv))
        self.runner.run([self.model.configurations.join(q, self.charts), qdot, qddot, np.full(1, t), *self.parameters], [out], 1)
        return out[0, 0] - tau

    def jacobian(self, state: State, t: float, rates: tuple[float, float], tau: Any = 0.0) -> np.ndarray:
        """dr/dx where x moves q by dx, qdot by rates[0] dx and qddot by rates[1] dx, (nv, nv)."""
        identity = np.eye(self.model.nv)
        return self.derivative_along(state, t, (identity, rates[0] * identity, rates[1] * identity))

    def derivative_along(self, state: State, t: float, directions: State) -> np.ndarray:
        """The derivative of r along directions (count, nv) of q, qdot and qddot, as columns (nv, count)."""
        count = len(directions[0])
        value, slope = np.empty((1, count, self.model.nv)), np.empty((1, count, self.model.nv))
        join, no_charts = self.model.configurations.join, np.zeros_like(self.charts)
        values = [join(state[0], self.charts), *state[1:], np.full(1, t), *self.parameters]
        moves = [join(np.ascontiguousarray(directions[0]), no_charts), *map(np.ascontiguousarray, directions[1:]), np.zeros(1)]
        moves += [np.zeros_like(p) for p in self.parameters]
        self.tangent_runner.run([*values, *moves], [value, slope], count)
        return slope[0].T
