"""The functions of `Dynamics` that say what the rows of constraints are at states: gaps and their rates, G, what velocities add.

    gdot = G qdot + dg/dt,    gddot = G qddot + bias

Rows are those of all constraints, as the scene has them, or of one, by its name. Their forces on the coordinates are G' lambda, one number
lambda for each row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers
from redmax.components.one_line import OneLine
from redmax.constraints.base import Constraint
from redmax.dynamics.common.constraint_report import RowStates, constraint_report
from redmax.dynamics.common.force_report import States
from redmax.dynamics.common.observe import Observation
from redmax.dynamics.common.parametrised import with_rows
from redmax.dynamics.common.row_wrenches import on_bodies, on_coordinates
from redmax.dynamics.kinematics import Kinematics
from redmax.dynamics.paths import states_at
from redmax.dynamics.programs import Pair
from redmax.errors import SceneError
from redmax.types import Given

RANK = 1e-9  # the smallest part of a row that others do not have, of rows that count


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintStates(OneLine):
    """One constraint at states (...).

    gap, rate: (..., rows), g and gdot: zero where it is kept, or from zero up where it is one-sided; lengths (m) or angles (rad)
    multipliers: (..., rows), lambda: what each row exerts along its gap (N or N m); of redundant rows, those of least norm
    points: (..., places, 3), where it holds on to bodies or the world (m)
    wrenches: (..., places, 6), torque and force on the bodies at each place, in world axes: those of +lambda on the first place
    torques: (..., rates), on the coordinates of the joints that it reads, one joint after the other
    power: (...), what it gives to bodies and joints (W): zero but for motions that are prescribed, for slack and for drift
    """

    gap: np.ndarray
    rate: np.ndarray
    multipliers: np.ndarray
    points: np.ndarray
    wrenches: np.ndarray
    torques: np.ndarray
    power: np.ndarray

    @property
    def wrench(self) -> np.ndarray:
        """(..., 6): on the first place."""
        return self.wrenches[..., 0, :]


class ConstraintFunctions(Kinematics):
    """Those functions. name: of one constraint; None for all of them, in the order of the scene."""

    def constraint_gap(self, q: ArrayLike, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., rows): g, how far each row is off (m or rad); of constraints on velocities, zeros."""
        return self.of_rows("gap", q, None, name, t)

    def constraint_rate(self, q: ArrayLike, qdot: ArrayLike, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., rows): gdot = G qdot + dg/dt, how fast it goes off."""
        return self.of_rows("rate", q, qdot, name, t)

    def constraint_bias(self, q: ArrayLike, qdot: ArrayLike, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., rows): Gdot qdot and what time adds, so that gddot = G qddot + bias."""
        return self.of_rows("bias", q, qdot, name, t)

    def observe(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> Observation:
        """Energy, momentum, poses and twists at states (..., n); constraints that give way store energy as springs do."""
        seen, soft = super().observe(q, qdot, t), [str(c.name) for c in self.model.constraints if c.compliant and not c.of_velocities]
        if not soft:
            return seen
        stored = sum(self.row_states(q, qdot, name, t)[1][0][1].stored[..., 0] for name in soft)
        return replace(seen, potential=(seen.potential + stored).astype(self.dtype, copy=False))

    def closing_coordinates(self, q: ArrayLike, name: str, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., n): the coordinates of the joint that closes a loop (Closure), or the parameter of a curve (PointOnCurve)."""
        constraint = self.model.constraint(name)
        if not constraint.carries:
            known = [repr(c.name) for c in self.model.constraints if c.carries]
            said = f"{constraint.label} has no coordinates of its own. Those that have: {', '.join(known) or 'none here'}."
            raise SceneError(said, owner=constraint.label, argument="name")
        _, [(_, rows)] = self.row_states(q, None, name, t)
        return rows.carried[..., : constraint.shown].astype(self.dtype, copy=False)

    def of_rows(self, what: str, q: ArrayLike, qdot: Given, name: str | None, t: ArrayLike) -> np.ndarray:
        """(..., rows) of what a report has."""
        states, reports = self.row_states(q, qdot, name, t)
        found = [getattr(report, what) for _, report in reports]
        return np.concatenate([np.zeros((*states.qdot.shape[:-1], 0)), *found], axis=-1).astype(self.dtype, copy=False)

    def gaps_and_rates(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike) -> Pair:
        """g and gdot of all rows."""
        states, reports = self.row_states(q, qdot, None, t)
        none = np.zeros((*states.qdot.shape[:-1], 0))
        gap, rate = ([none, *[getattr(report, what) for _, report in reports]] for what in ("gap", "rate"))
        return np.concatenate(gap, axis=-1).astype(self.dtype, copy=False), np.concatenate(rate, axis=-1).astype(self.dtype, copy=False)

    def constraint_jacobian(self, q: ArrayLike, name: str | None = None, t: ArrayLike = 0.0) -> np.ndarray:
        """G, (..., rows, nv): forces of constraints on the coordinates are G' lambda."""
        states, reports = self.row_states(q, None, name, t)
        pose, found = states.seen.pose[..., None, :, :, :], [np.zeros((*states.qdot.shape[:-1], 0, self.model.nv))]
        by_rows = self if self.parameters is None else with_rows(self, self.parameters[..., None, :])  # with an axis for rows
        for constraint, rows in reports:
            y = on_bodies(constraint, pose, rows.points[..., None, :, :], rows.pulls)
            G = by_rows.jacobian_transposed_product(states.q[..., None, :], y, states.t[..., None])
            found.append(G + on_coordinates(self.model, constraint, rows.slopes))
        return np.concatenate(found, axis=-2).astype(self.dtype, copy=False)

    def row_states(self, q: ArrayLike, qdot: Given, name: str | None, t: ArrayLike) -> tuple[States, list[tuple[Constraint, RowStates]]]:
        """States, and what the rows of each constraint that is asked for are there."""
        chosen = self.model.constraints if name is None else (self.model.constraint(name),)
        states = states_at(self, q, qdot, t)
        drift = self.drift(states.q, states.qdot, states.t)[1] if chosen else np.zeros(0)
        return states, [(c, constraint_report(self, c, states, drift)) for c in chosen]

    def row_forces(self, q: ArrayLike, multipliers: ArrayLike, t: ArrayLike = 0.0) -> Pair:
        """What multipliers (..., rows) do: wrenches on bodies (..., bodies, 6), in body frames, and torques on coordinates (..., nv)."""
        sizes = as_numbers(multipliers, "multipliers", "float64")
        if sizes.shape[-1:] != (self.model.row_count,):
            valid = f"(..., {self.model.row_count})"
            said = f"multipliers must have shape {valid}, one for each row of the model's constraints. Got {sizes.shape}."
            raise SceneError(said, argument="multipliers", got=str(sizes.shape), expected=valid)
        states, reports = self.row_states(q, None, None, t)
        lead = np.broadcast_shapes(states.qdot.shape[:-1], sizes.shape[:-1])
        bodies, coordinates = np.zeros((*lead, len(self.model.links), 6)), np.zeros((*lead, self.model.nv))
        for constraint, rows in reports:
            size = sizes[..., self.model.row_slice(str(constraint.name))]
            bodies += on_bodies(constraint, states.seen.pose, rows.points, on_places(size, rows.pulls))
            coordinates += on_coordinates(self.model, constraint, weighed(size, rows.slopes))
        return bodies, coordinates

    def constraint_with(self, name: str, q: ArrayLike, qdot: ArrayLike, multipliers: np.ndarray, t: ArrayLike) -> ConstraintStates:
        """The same where the multipliers of all rows are known, (..., rows)."""
        return self.constraints_with(q, qdot, multipliers, t, name)[name]

    def constraints_with(
        self, q: ArrayLike, qdot: ArrayLike, multipliers: np.ndarray, t: ArrayLike, name: str | None = None
    ) -> dict[str, ConstraintStates]:
        """The same of all constraints, by their names, or of one."""
        states, reports = self.row_states(q, qdot, name, t)
        sizes, lead = np.asarray(multipliers, float), states.qdot.shape[:-1]
        return {str(c.name): self.told(sizes[..., self.model.row_slice(str(c.name))], rows, lead) for c, rows in reports}

    def told(self, size: np.ndarray, rows: RowStates, lead: tuple[int, ...]) -> ConstraintStates:
        """What rows do with their multipliers (..., rows). lead: leading axes of the states."""
        lead = np.broadcast_shapes(lead, size.shape[:-1])
        power = (size * rows.speed).sum(axis=-1)
        found = [rows.gap, rows.rate, size, rows.points, on_places(size, rows.pulls), weighed(size, rows.slopes), power]
        widths = [x.shape[len(x.shape) - w :] for x, w in zip(found, (1, 1, 1, 2, 2, 1, 0), strict=True)]
        spread = [np.broadcast_to(x, (*lead, *width)) for x, width in zip(found, widths, strict=True)]
        return ConstraintStates(*[x.astype(self.dtype) for x in spread])

    def mobility(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """(...) whole numbers: in how many ways the mechanism can move at once there.

        Joints that are prescribed, rows that are one-sided and those that give way (force_limits) do not count.
        Of a mechanism in a singular position it is larger than elsewhere; rows that repeat others take nothing away.
        """
        G = self.constraint_jacobian(q, None, t).astype(float)
        free = ~np.repeat(self.model.prescribed, np.diff(self.model.offsets))
        free[self.model.offsets[len(self.model.bodies)] : self.model.offsets[len(self.model.bodies) + len(self.model.hidden)]] = False
        kept = np.repeat([not c.bounded for c in self.model.constraints], [c.size for c in self.model.constraints])
        G = G[..., kept.astype(bool), :][..., free]
        length = np.linalg.norm(G, axis=-1, keepdims=True)
        G = np.divide(G, length, out=np.zeros_like(G), where=length > 0)
        rank = (np.linalg.svd(G, compute_uv=False) > RANK).sum(axis=-1) if G.shape[-2] else np.zeros(G.shape[:-2], int)
        return int(free.sum()) - rank


def weighed(size: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(..., n): the sum over rows of multipliers (..., rows) times what a unit of each does, (..., rows, n)."""
    return (size[..., None, :] @ rows)[..., 0, :]


def on_places(size: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """(..., places, 6): the same of wrenches (..., rows, places, 6)."""
    found = weighed(size, pulls.reshape(*pulls.shape[:-2], 6 * pulls.shape[-2]))
    return found.reshape(*found.shape[:-1], *pulls.shape[-2:])
