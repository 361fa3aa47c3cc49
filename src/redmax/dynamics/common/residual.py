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
from redmax.constraints.coordinate_map import CoordinateMap
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


class MappedResidual:
    """The same for hyper-reduced coordinates (RedMax notes Sec. 2.6): J_rR^T r at q = f(q_R), with the curvature of f in its Jacobian."""

    def __init__(self, model: Model, map: CoordinateMap, backend: str) -> None:
        self.joints, self.map = Residual(model, backend), map

    def state(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray) -> State:
        """q, qdot, qddot of the joints."""
        at = {"q": q, "qdot": qdot, "qddot": qddot}
        return self.map.evaluate("position", **at), self.map.evaluate("rate", **at), self.map.evaluate("acceleration", **at)

    def value(self, q: np.ndarray, qdot: np.ndarray, qddot: np.ndarray, t: float, tau: Any = 0.0) -> np.ndarray:
        return self.map.evaluate("J", q=q).T @ self.joints.value(*self.state(q, qdot, qddot), t, tau)

    def jacobian(self, state: State, t: float, rates: tuple[float, float], tau: Any = 0.0) -> np.ndarray:
        at = dict(zip(("q", "qdot", "qddot"), state, strict=True))
        identity = np.eye(self.map.size)
        moves = np.concatenate([identity, rates[0] * identity, rates[1] * identity])
        moved = self.map.evaluate("derivatives", **at) @ moves
        r = self.joints.value(*self.state(*state), t, tau)
        slope = self.joints.derivative_along(self.state(*state), t, (moved[0].T, moved[1].T, moved[2].T))
        return self.map.evaluate("J", q=at["q"]).T @ slope + self.map.evaluate("bending", q=at["q"], force=r)
