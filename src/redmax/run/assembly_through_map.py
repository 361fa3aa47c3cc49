"""Assembly where the coordinates of the joints follow from fewer, q = f(q_R): of q_R, with the rows G J and the inertia J' M J."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.dynamics.common.row_values import RowsAt
from redmax.run.assembly import Assembler


class MappedAssembler(Assembler):
    """q and qdot of its functions are q_R and its rates."""

    @property
    def map(self) -> CoordinateMap:
        """Of the model."""
        assert self.model.map is not None
        return self.model.map

    @property
    def n(self) -> int:
        return self.map.size

    @property
    def unit(self) -> np.ndarray:
        return self.unit_of_map

    @cached_property
    def unit_of_map(self) -> np.ndarray:
        """(n,): what moves a joint by much."""
        moved = np.abs(self.map.evaluate("J", q=self.map.q) / self.unit_of_joints[:, None]).max(axis=0)
        return 1.0 / np.where(moved > 0.0, moved, 1.0)

    @cached_property
    def movable(self) -> np.ndarray:
        return np.ones(self.n, bool)

    def called(self, k: int) -> str:
        return f"q_R[{k}]"

    def inertia(self, q: np.ndarray, t: float, free: np.ndarray) -> np.ndarray:
        J = self.map.evaluate("J", q=q)[:, free]
        return J.T @ super().inertia(self.map.coordinates(q), t, np.ones(self.model.nv, bool)) @ J

    def own_state(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.map.inverse(q, qdot)

    def of_joints(self, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.map.coordinates(q), self.map.rates(q, qdot)

    def at(self, q: np.ndarray, qdot: np.ndarray, t: float, step: np.ndarray | None = None) -> RowsAt:
        moved = q if step is None else q + step
        rows = super().at(*self.of_joints(moved, qdot), t)
        return replace(rows, q=moved[None], G=rows.G @ self.map.evaluate("J", q=moved))
