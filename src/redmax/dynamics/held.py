"""Accelerations of scenes whose motion is held: by prescribed twists that cannot be traced, by a map of coordinates, or by both.

    M qddot = f + tau + G^T lambda,  G qddot = g:      qddot = a + M^-1 G^T lambda,   (G M^-1 G^T) lambda = g - G a
    q = f(q_R):      J^T M J qddot_R = J^T (tau - r),   r = what inverse dynamics asks for at qddot = Jdot qdot_R  (RedMax notes Sec. 2.6)

a is the acceleration without the rows. A row is a wrench y on the bodies that it holds, and lambda its size: G^T lambda = J^T y lambda.
Everything follows from the O(n) functions of Dynamics, with doubles, state by state.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_numbers, brief
from redmax.constraints.law import FAR
from redmax.dynamics.common.forward_with_rows import LEAVING, TOUCH
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.common.state_arrays import check_inputs, state_arrays
from redmax.errors import SceneError, SimulationError
from redmax.solvers.bordered import DEPENDENT, check_independent, least_norm_with_rows, solve_with_rows

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
    return bool(model.called_twists) or model.map is not None


class Held:
    """What Dynamics asks for a model that is held. engine: of doubles."""

    def __init__(self, engine: Dynamics) -> None:
        self.engine, self.model = engine, engine.model
        self.bodies = len(self.model.links)
        self.given = np.repeat(self.model.prescribed, [link.joint.dof for link in self.model.links])

    def accelerations(self, q: Any, qdot: Any, tau: Any, qddot: Any, wrench: Any, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As Dynamics.solve_rows."""
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

    def rows(self, s: Instant) -> tuple[np.ndarray, np.ndarray]:
        """y (rows, bodies, 6) in body frames, and g (rows,)."""
        seen = self.engine.observe(s.q, s.qdot, s.t)
        rate = self.engine.drift(s.q, s.qdot, s.t)[1]  # of the twists, without qddot
        y = [np.zeros((0, self.bodies, 6))]
        g = [np.zeros(0)]
        for twist in self.model.called_twists:
            rows, b = list(twist.rows), twist.body
            part = np.zeros((len(rows), self.bodies, 6))
            part[np.arange(len(rows)), b, rows] = 1.0
            y.append(part)
            g.append(twist.target_rate(s.t, seen.pose[b, :3, :3], seen.twist[b, :3]) - rate[b, rows])
        return np.concatenate(y), np.concatenate(g)

    def constraint_rows(self, s: Instant) -> tuple[np.ndarray, np.ndarray]:
        """G (rows, nv) of constraints, and what they ask of accelerations, (rows,): all of them as if they were kept exactly."""
        model, engine = self.model, self.engine
        loose = [(c.name, "is one-sided") for c in model.constraints if c.one_sided and model.map is None]
        loose += [(c.name, "has limited force") for c in model.constraints if c.limited]
        if loose:
            name, kind = loose[0]
            raise SceneError(
                f"The constraint {name!r} {kind}: accelerations with it cannot be had yet where "
                f"{'prescribed twists hold' if model.map is None else 'a map holds'} the scene too.", owner=str(name),
            )  # fmt: skip
        if not model.constraints:
            return np.zeros((0, model.nv)), np.zeros(0)
        b = np.repeat([c.gain for c in model.constraints], [c.size for c in model.constraints])
        gap, rate, bias = (engine.of_rows(what, s.q, s.qdot, None, s.t) for what in ("gap", "rate", "bias"))
        of_velocities = np.repeat([c.of_velocities for c in model.constraints], [c.size for c in model.constraints])
        asked = -bias - np.where(of_velocities, b, 2 * b) * rate - b**2 * gap
        open_ = self.sided & ((gap > TOUCH) | (rate > LEAVING))
        return engine.constraint_jacobian(s.q, None, s.t), np.where(open_, -FAR, asked)

    @property
    def sided(self) -> np.ndarray:
        """(rows,): which rows of constraints only push."""
        return np.repeat([c.one_sided for c in self.model.constraints], [c.size for c in self.model.constraints]).astype(bool)

    def solve(self, s: Instant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """qddot and torques, (nv,), and multipliers of constraints, (rows,)."""
        m = self.model.row_count
        if self.model.map is not None:
            q_R, qdot_R = self.model.map.inverse(s.q, s.qdot)
            J, bias = self.map_terms(q_R, qdot_R)
            found, size = self.solve_mapped(q_R, qdot_R, s.tau, s.wrench, s.t)
            return J @ found + bias, s.tau, size[len(size) - m :]
        engine = self.engine
        free = engine.hybrid_free(s.q, s.qdot, s.tau, s.qddot, s.wrench, s.t)[0]
        (y, g), (Gc, gc) = self.rows(s), self.constraint_rows(s)
        G, g = np.concatenate([engine.jacobian_transposed_product(s.q, y, s.t), Gc]), np.concatenate([g, gc])
        if not len(gc):
            check_independent(G[:, ~self.given])
        W = engine.held_product(s.q, G, s.t)
        size = np.linalg.lstsq(G @ W.T, g - G @ free, rcond=DEPENDENT)[0] if len(gc) else np.linalg.solve(G @ W.T, g - G @ free)
        qddot, constrained = free + size @ W, size[len(y) :]
        if not self.given.any():
            return qddot, s.tau, constrained
        needed = engine.inverse_free(s.q, s.qdot, qddot, s.wrench + np.tensordot(size[: len(y)], y, 1), s.t)[0] - constrained @ Gc
        return qddot, np.where(self.given, needed, s.tau), constrained

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
        y, g = self.rows(s) if self.model.called_twists else (np.zeros((0, self.bodies, 6)), np.zeros(0))
        Gc, gc = self.constraint_rows(s)
        G = np.concatenate([self.engine.jacobian_transposed_product(s.q, y, t) if len(y) else np.zeros((0, self.model.nv)), Gc])
        try:
            asked = np.concatenate([g, gc]) - G @ bias
            if len(gc):
                return least_norm_with_rows(A, b, G @ J, asked, np.concatenate([np.zeros(len(g), bool), self.sided]))
            return solve_with_rows(A, b, G @ J, asked)
        except np.linalg.LinAlgError:
            where = np.array2string(q_R, precision=6, threshold=8)
            why = f"at t = {t:.6g} s, q_R = {where}, its coordinates do not move the joints independently"
            raise SimulationError(f"The scene's map is singular: {why}. Use fewer, or take another state.") from None
