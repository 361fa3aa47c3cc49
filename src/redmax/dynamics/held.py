"""Accelerations of scenes whose joints follow a map of coordinates, with the rows of constraints in its coordinates.

    q = f(q_R):      J^T M J qddot_R = J^T (tau - r) + (G J)^T lambda,   G (J qddot_R + Jdot qdot_R) = g         (RedMax notes Sec. 2.6)

r = what inverse dynamics asks for at qddot = Jdot qdot_R. Everything follows from the O(n) functions of Dynamics, with doubles, state by
state.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_numbers, brief
from redmax.constraints.traced_rows import FAR
from redmax.dynamics.common.forward_with_rows import LEAVING, TOUCH
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.common.state_arrays import check_inputs, state_arrays
from redmax.errors import SceneError, SimulationError
from redmax.solvers.bordered import least_norm_with_rows

if TYPE_CHECKING:
    from redmax.dynamics.dynamics import Dynamics
    from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class Instant:
    """A state at one time, and what is given with it: configuration, (nv,), (nv,), (nv,), (bodies, 6), s."""

    q: np.ndarray
    qdot: np.ndarray
    tau: np.ndarray
    qddot: np.ndarray
    wrench: np.ndarray
    t: float


def is_held(model: Model) -> bool:
    return model.map is not None


class Held:
    """What Dynamics asks for a model that is held. engine: of doubles."""

    def __init__(self, engine: Dynamics) -> None:
        self.engine, self.model = engine, engine.model
        self.bodies = len(self.model.links)
        self.within = 0.0  # s: how long the steps are that may have left a limit a little

    def accelerations(
        self, q: Any, qdot: Any, tau: Any, qddot: Any, wrench: Any, t: Any, within: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As Dynamics.solve_rows."""
        if within != self.within:
            other = copy.copy(self)
            other.within = within
            return other.accelerations(q, qdot, tau, qddot, wrench, t, within)
        wrench = np.zeros((self.bodies, 6)) if wrench is None else wrench
        given = {"q": q, "qdot": qdot, "tau": tau, "qddot": qddot, "t": t, "wrench": wrench, **self.engine.own}
        shape, arrays = state_arrays(self.model, "float64", given)
        check_inputs(self.model, self.engine.hybrid_program(True), arrays[:6])
        found = np.zeros((2, math.prod(shape), self.model.nv))
        multipliers = np.zeros((found.shape[1], self.model.row_count))
        for n in range(found.shape[1]):
            x, v, force, asked, time, on, *own = (a if a.ndim == 1 else a[n] for a in arrays)
            with np.errstate(over="ignore", invalid="ignore"):  # of states too large: noticed by the result
                state = Instant(x, v, force, asked, on.reshape(self.bodies, 6), float(time[0]))
                found[0, n], found[1, n], multipliers[n] = self.of_world(own).solve(state)
        accelerations, torques = found.reshape(2, *shape, self.model.nv)
        return accelerations, torques, multipliers.reshape(*shape, self.model.row_count)

    def accelerations_R(self, q_R: Any, qdot_R: Any, tau: Any, wrench: Any, t: Any) -> np.ndarray:
        """As Dynamics.forward_R."""
        if self.model.map is None:
            raise SceneError(
                "The scene has no map; its coordinates are q, and their accelerations forward(q, qdot). See scene.set_map(...)."
            )
        wrench = np.zeros((self.bodies, 6)) if wrench is None else wrench
        shape, arrays = state_arrays(self.model, "float64", {"tau": tau, "t": t, "wrench": wrench, **self.engine.own})
        size = self.model.map.size
        given = [self.coordinates_R(x, name) for x, name in ((q_R, "q_R"), (qdot_R, "qdot_R"))]
        try:
            whole = np.broadcast_shapes(shape, *[x.shape[:-1] for x in given])
        except ValueError:
            raise SceneError(f"The leading axes of the inputs must agree. Got {shape} beside {[x.shape for x in given]}.") from None
        spread = [a if a.ndim == 1 else a.reshape(*shape, a.shape[-1]) for a in arrays]
        x, v, f, s, y, *own = (np.broadcast_to(a, (*whole, a.shape[-1])) for a in (*given, *spread))
        found = np.zeros((*whole, size))
        for n in np.ndindex(*whole):
            with np.errstate(over="ignore", invalid="ignore"):
                world = self.of_world([p[n] for p in own])
                found[n], _ = world.solve_mapped(x[n], v[n], f[n], y[n].reshape(self.bodies, 6), float(s[n][0]))
        return found

    def of_world(self, own: Sequence[np.ndarray]) -> Held:
        """The same with [the parameters of one world], where the model has some."""
        if not own:
            return self
        other = copy.copy(self)
        other.engine = with_rows(self.engine, own[0])
        return other

    def coordinates_R(self, value: Any, name: str) -> np.ndarray:
        map: Any = self.model.map
        array = as_numbers(value, name, "float64")
        if array.shape[-1:] != (map.size,) or not np.isfinite(array).all():
            raise SceneError(f"{name} must be finite numbers of shape (..., {map.size}) for this model's map. Got {brief(value)}.")
        return array

    def constraint_rows(self, s: Instant) -> tuple[np.ndarray, np.ndarray]:
        """G (rows, nv) of constraints, and what they ask of accelerations, (rows,)."""
        model, engine = self.model, self.engine
        loose = next((str(c.name) for c in model.constraints if c.limited), None)
        if loose is not None:
            said = f"The constraint {loose!r} has limited force: accelerations with it cannot be had yet where a map holds the scene too."
            raise SceneError(said, owner=loose)
        if not model.constraints:
            return np.zeros((0, model.nv)), np.zeros(0)
        b = np.repeat([c.gain for c in model.constraints], [c.size for c in model.constraints])
        gap, rate, bias = (engine.of_rows(what, s.q, s.qdot, None, s.t) for what in ("gap", "rate", "bias"))
        of_velocities = np.repeat([c.of_velocities for c in model.constraints], [c.size for c in model.constraints])
        asked = -bias - np.where(of_velocities, b, 2 * b) * rate - b**2 * gap
        G = engine.constraint_jacobian(s.q, None, s.t)
        turned = self.within * np.abs(bias + G @ s.qddot)  # by a step, of rows that rest
        open_ = self.sided & ((gap > TOUCH + self.within * turned) | (rate > LEAVING + 2.0 * turned))
        return G, np.where(open_, -FAR, asked)

    @property
    def sided(self) -> np.ndarray:
        """(rows,): which rows of constraints only push."""
        return np.repeat([c.one_sided for c in self.model.constraints], [c.size for c in self.model.constraints]).astype(bool)

    def solve(self, s: Instant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """qddot and torques, (nv,), and multipliers of constraints, (rows,)."""
        map: Any = self.model.map
        q_R, qdot_R = map.inverse(s.q, s.qdot)
        J, bias = self.map_terms(q_R, qdot_R)
        found, size = self.solve_mapped(q_R, qdot_R, s.tau, s.wrench, s.t)
        return J @ found + bias, s.tau, size

    def map_terms(self, q_R: np.ndarray, qdot_R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J_rR and Jdot_rR qdot_R."""
        map: Any = self.model.map
        return map.evaluate("J", q=q_R), map.evaluate("bias", q=q_R, qdot=qdot_R)

    def solve_mapped(
        self, q_R: np.ndarray, qdot_R: np.ndarray, tau: np.ndarray, wrench: np.ndarray, t: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """qddot_R, (coordinates of the map,), and multipliers of all rows; tau, wrench: on the joints and bodies."""
        map: Any = self.model.map
        J, bias = self.map_terms(q_R, qdot_R)
        s = Instant(map.coordinates(q_R), J @ qdot_R, tau, bias, wrench, t)
        A = J.T @ self.engine.inertia_product(s.q, J.T, t=t).T
        b = J.T @ (tau - self.engine.inverse_free(s.q, s.qdot, bias, wrench, t)[0])
        G, g = self.constraint_rows(s)
        try:
            return least_norm_with_rows(A, b, G @ J, g - G @ bias, self.sided)
        except np.linalg.LinAlgError:
            where = np.array2string(q_R, precision=6, threshold=8)
            why = f"at t = {t:.6g} s, q_R = {where}, its coordinates do not move the joints independently"
            raise SimulationError(f"The scene's map is singular: {why}. Use fewer, or take another state.") from None
