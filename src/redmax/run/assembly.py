"""Assembly: coordinates and rates that meet the constraints, found from where the user put the parts, with what is to be held held.

    dq = -M^-1 G' (G M^-1 G')^+ g,     q <- q + a dq        again, with a <= 1 so that gaps shrink and no joint moves far at once
    qdot <- qdot - M^-1 G' (G M^-1 G')^+ gdot

Over the coordinates that are free. Small steps of least kinetic distance lead to the nearest branch of a mechanism. Where rows lie on
each other at the start, as of a linkage that is drawn straight, a small shake finds a way out. Constraints with a gain or compliance of
their own are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.common.row_values import RowsAt, RowValues
from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SceneError
from redmax.model.mechanism_size import mechanism_size
from redmax.model.model import Model
from redmax.run.coordinate_units import units_of_rates
from redmax.run.not_met import ENOUGH, open_error, rate_error

CLOSED = 1e-13  # gaps relative to the mechanism's size: as small as can be asked for
MOST_STEPS, HALVINGS, SHAKES = 100, 12, 4
LONGEST = 0.3  # radians, or parts of the mechanism's size, that a joint moves at once
SMALL = 1e-7  # singular values, relative to the largest, along which nothing is asked to move


@dataclass(frozen=True, eq=False)
class Assembler:
    """Of one world of a model. engine: its dynamics; parameters: its own, if it has some."""

    model: Model
    engine: Dynamics
    parameters: tuple[np.ndarray, ...] = ()

    @cached_property
    def values(self) -> RowValues:
        """The rows as numbers."""
        return RowValues(self.model, self.engine.backend)

    @cached_property
    def size(self) -> float:
        """Of the mechanism."""
        return mechanism_size(self.model)

    @property
    def unit(self) -> np.ndarray:
        """(n,): what is much for each coordinate that is looked for."""
        return self.unit_of_joints

    @cached_property
    def unit_of_joints(self) -> np.ndarray:
        """(nv,): what is much for each coordinate of a joint: one radian, or the size of the mechanism."""
        return np.array([self.size if unit == self.model.units.length else 1.0 for unit in units_of_rates(self.model)])

    def rows_of(self, rates: bool) -> np.ndarray:
        """(m,): which rows take part."""
        found = [c.automatic and not c.compliant and (rates or not c.of_velocities) for c in self.model.constraints]
        return np.array(found, bool)[self.values.owner]

    @cached_property
    def bounded(self) -> np.ndarray:
        """(m,): which rows only push, or give way at a limit."""
        return np.array([c.bounded for c in self.model.constraints], bool)[self.values.owner]

    @cached_property
    def one_sided(self) -> np.ndarray:
        """(m,): which rows only push."""
        return np.array([c.one_sided for c in self.model.constraints], bool)[self.values.owner]

    @cached_property
    def equal(self) -> np.ndarray:
        """(m,): which rows are to be met exactly, from both sides."""
        return ~self.bounded & ~np.array([c.compliant for c in self.model.constraints], bool)[self.values.owner]

    @cached_property
    def movable(self) -> np.ndarray:
        """(nv,): coordinates whose motion is not given."""
        return np.repeat(~np.array(self.model.prescribed, bool), np.diff(self.model.offsets))

    @property
    def n(self) -> int:
        """How many coordinates are looked for."""
        return self.model.nv

    def called(self, k: int) -> str:
        """Whose coordinate it is."""
        return self.model.joint_of(k)

    def own_state(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coordinates that are looked for, and their rates, of those of the joints."""
        return q, qdot

    def of_joints(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The other way."""
        return q, qdot

    def at(self, q: np.ndarray, qdot: np.ndarray, t: float, step: np.ndarray | None = None) -> RowsAt:
        """The rows at a configuration (n,) moved by a step (nv,)."""
        return self.values.at(q[None], qdot[None], t, None if step is None else step[None], self.parameters)

    def gaps(self, rows: RowsAt) -> np.ndarray:
        """(worlds, m): of rows that take part, relative to the mechanism's size."""
        gap = np.where(self.one_sided, np.minimum(rows.gap, 0.0), rows.gap)
        return np.where(self.rows_of(False), gap / rows.size, 0.0)

    def slips(self, rows: RowsAt) -> np.ndarray:
        """(worlds, m): their rates, of one-sided rows those that close further."""
        closing = np.where(rows.gap <= CLOSED * rows.size, np.minimum(rows.rate, 0.0), 0.0)
        return np.where(self.rows_of(True), np.where(self.one_sided, closing, rows.rate) / rows.size, 0.0)

    def step(self, t: float, rows: RowsAt, off: np.ndarray, free: np.ndarray, rates: bool) -> np.ndarray:
        """(nv,): the least kinetic change that takes back what is off, (m,), of positions or of rates; limits that are kept stay out."""
        taking, q = self.rows_of(rates) & ~(self.one_sided & (off == 0.0)), rows.q[0]
        free = free & (rows.G[0].any(axis=0) | ~self.of_nodes)
        G = (rows.G[0] / rows.size[0][:, None])[taking][:, free]
        M = self.inertia(q, t, free)
        L = np.linalg.cholesky(M + 1e-14 * np.trace(M) / max(len(M), 1) * np.eye(len(M)))
        y = np.linalg.lstsq(np.linalg.solve(L, G.T).T, -off[taking], rcond=SMALL)[0]
        found = np.zeros(self.n)
        found[free] = np.linalg.solve(L.T, y)
        return found

    @cached_property
    def of_nodes(self) -> np.ndarray:
        """(nv,): coordinates of nodes of deformables, each of which moves nothing but its own mass."""
        return np.arange(self.n) >= self.model.offsets[len(self.model.links) - len(self.model.nodes)]

    def inertia(self, q: np.ndarray, t: float, free: np.ndarray) -> np.ndarray:
        """M of the coordinates that are free."""
        if not self.model.nodes:
            return np.asarray(self.engine.inertia(q, t), float)[np.ix_(free, free)]
        chosen = np.flatnonzero(free)  # of thousands
        columns = np.zeros((len(chosen), self.model.nv))
        columns[np.arange(len(chosen)), chosen] = 1.0
        return np.asarray(self.engine.by_columns().inertia_product(q[None], columns, t=t), float)[:, chosen]

    def closed(self, q: np.ndarray, t: float, free: np.ndarray) -> np.ndarray:
        """The configuration that meets all rows of positions, (n,). Raises SceneError where none was found."""
        found, off = self.approach(q, t, free)
        shaken, rng = np.zeros(self.n), np.random.default_rng(0)
        for k in range(SHAKES):
            if off <= ENOUGH:
                return found
            shaken[free] = (0.05 * (k + 1) * self.unit * rng.uniform(-1, 1, self.n))[free]
            again, gap = self.approach(self.at(q, shaken, t, shaken).q[0], t, free)
            found, off = (again, gap) if gap < 0.99 * off else (found, off)
        if off > ENOUGH:
            raise open_error(self, q, found, t, free)
        return found

    def approach(self, q: np.ndarray, t: float, free: np.ndarray) -> tuple[np.ndarray, float]:
        """As near as damped steps come, and how far that is off."""
        rest = np.zeros(self.n)
        rows = self.at(q, rest, t)
        for _ in range(MOST_STEPS):
            off = self.gaps(rows)[0]
            if np.abs(off).max(initial=0.0) <= CLOSED:
                break
            dq = self.step(t, rows, off, free, False)
            a = min(1.0, LONGEST / max(float(np.abs(dq / self.unit).max(initial=0.0)), 1e-300))
            for _ in range(HALVINGS):
                tried = self.at(rows.q[0], rest, t, a * dq)
                if np.linalg.norm(self.gaps(tried)) < (1.0 - 1e-3 * a) * np.linalg.norm(off):
                    break
                a /= 2
            else:
                break  # as near as it gets
            rows = tried
        return rows.q[0], float(np.abs(self.gaps(rows)).max(initial=0.0))

    def moving(self, q: np.ndarray, qdot: np.ndarray, t: float, free: np.ndarray) -> np.ndarray:
        """Rates that keep all rows, (nv,). Raises SceneError where there are none."""
        rows = self.at(q, qdot, t)
        slip = self.slips(rows)[0]
        found = qdot + self.step(t, rows, slip, free, True)
        left = self.slips(self.at(q, found, t))[0]
        if np.abs(left).max(initial=0.0) > 1e-9 * max(np.abs(slip).max(initial=0.0), np.abs(qdot / self.unit).max(initial=0.0)):
            raise rate_error(self, rows, left * rows.size[0], free)
        return found

    def kept_rates(self, q: np.ndarray, qdot: np.ndarray, t: float, free: np.ndarray) -> np.ndarray:
        """Rates on the constraints: those that are given (not zero) as they are, where that can be; else the nearest."""
        try:
            return self.moving(q, qdot, t, free & (qdot == 0.0))
        except SceneError:
            return self.moving(q, qdot, t, free)

    def gap_of(self, number: int, values: np.ndarray) -> float:
        """|g| of a constraint."""
        return float(np.linalg.norm(values[self.values.owner == number]))


def free_of(model: Model, movable: np.ndarray, fixed: Any) -> np.ndarray:
    """(nv,): the coordinates that may move, without those of the joints that are fixed, by their names or those of their bodies."""
    free = movable.copy()
    for name in fixed:
        free[model.v_slice(name)] = False
    return free


def assembler_of(model: Model, engine: Dynamics, parameters: tuple[np.ndarray, ...] = ()) -> Assembler:
    """Of the coordinates of the joints, or of those that these follow from."""
    if model.map is None:
        return Assembler(model, engine, parameters)
    from redmax.run.assembly_through_map import MappedAssembler

    return MappedAssembler(model, engine, parameters)
