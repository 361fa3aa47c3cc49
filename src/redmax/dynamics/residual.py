"""The equations of motion as a residual, with its exact Jacobian: r(q, qdot, qddot) = 0, r the forces that inverse dynamics still misses.

dr/dq, dr/dqdot and dr/dqddot = M come from the directional derivative of the inverse dynamics program, one direction per lane: dM/dq, the gyroscopic
terms, K and D of every force and joint at once, without forming any of them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from redmax.dynamics.inverse import inverse_dynamics, inverse_fields
from redmax.dynamics.system import Runner, make_runner, rolled_plan
from redmax.model import Model
from redmax.program.program import Program
from redmax.program.tangent import tangent


class Residual:
    """r and its Jacobian for one model. Arrays are (nv,)."""

    def __init__(self, model: Model, backend: str) -> None:
        self.model, self.backend = model, backend
        fields = inverse_fields(False, model.world_wrench)
        self.program = Program("residual", (inverse_dynamics,), fields, ("q", "qdot", "qddot", "t"), ("tau",))

    @cached_property
    def runner(self) -> Runner:
        return make_runner(rolled_plan(self.model, self.program, self.backend), self.backend, "float64")

    @cached_property
    def tangent_runner(self) -> Runner:
        return make_runner(tangent(rolled_plan(self.model, self.program, self.backend)), self.backend, "float64")

    def value(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, t: float) -> np.ndarray:
        out = np.empty((1, 1, self.model.nv))
        self.runner.run([q, qdot, qddot, np.full(1, t)], [out], 1)
        return out[0, 0]

    def jacobian(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, t: float, rate: float, rate2: float) -> np.ndarray:
        """dr/dx where x moves q by dx, qdot by rate dx and qddot by rate2 dx, (nv, nv)."""
        n = self.model.nv
        identity, still = np.eye(n), np.zeros(1)
        value, slope = np.empty((1, n, n)), np.empty((1, n, n))
        inputs = [q, qdot, qddot, np.full(1, t), identity, rate * identity, rate2 * identity, still]
        self.tangent_runner.run(inputs, [value, slope], n)
        return slope[0].T
