"""What configurations must meet whatever is to be reached: constraints of the scene, and ranges where a map moves the joints.

    g(q) = 0, of one-sided rows g(q) >= 0        dynamics/common/row_values.py has g and G = dg/dqdot

Gaps are relative to the mechanism's size. Ranges of coordinates are bounds (bounds.py), unless a map moves several of them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.constraints.base import Constraint
from redmax.constraints.hard_limit import HardLimit
from redmax.design.reach.bounds import Bounds
from redmax.dynamics.common.row_values import RowValues
from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class Closures:
    """Of a model."""

    model: Model
    bounds: Bounds
    backend: str = "llvm"

    @cached_property
    def values(self) -> RowValues:
        return RowValues(self.model, self.backend)

    @cached_property
    def chosen(self) -> np.ndarray:
        """Which rows of the constraints are meant, by number."""
        taken = [self.is_meant(c) for c in self.model.constraints]
        return np.flatnonzero(np.array(taken, bool)[self.values.owner]) if any(taken) else np.zeros(0, int)

    def is_meant(self, c: Constraint) -> bool:
        """Whether a constraint holds positions, and those of bodies: with compliance it gives way, and nodes of deformables stay."""
        held = not c.compliant and not c.of_velocities and (c.automatic or bool(np.any(np.asarray(c.gain, float) > 0)))
        return held and not isinstance(c, HardLimit) and all(b.index < len(self.model.bodies) for b in c.bodies)

    @cached_property
    def ranged(self) -> tuple[np.ndarray, np.ndarray]:
        """The velocities whose coordinates must be above a bound, and those that must be below one: where a map moves them."""
        if self.model.map is None:
            return np.zeros(0, int), np.zeros(0, int)
        return np.flatnonzero(np.isfinite(self.bounds.lower)), np.flatnonzero(np.isfinite(self.bounds.upper))

    @property
    def size(self) -> int:
        """How many rows."""
        return len(self.chosen) + sum(map(len, self.ranged))

    @cached_property
    def sided(self) -> np.ndarray:
        """(size,): which only push."""
        one = np.array([c.one_sided for c in self.model.constraints], bool)
        loops = one[self.values.owner[self.chosen]] if len(self.chosen) else np.zeros(0, bool)
        return np.concatenate([loops, np.ones(sum(map(len, self.ranged)), bool)])

    def owner(self, row: int) -> str:
        """The constraint, or the coordinate, that a row is of."""
        if row < len(self.chosen):
            return str(self.model.constraints[self.values.owner[self.chosen[row]]].label)
        return f"the range of {self.bounds.words[np.concatenate(self.ranged)[row - len(self.chosen)]]}"

    def worst(self, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(worlds,) each: the largest gap of rows (worlds, size), and which it is."""
        gaps = np.abs(np.where(self.sided, np.minimum(c, 0.0), c))
        return gaps.max(axis=1, initial=0.0), gaps.argmax(axis=1) if self.size else np.full(len(c), -1)

    def largest(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """The same at configurations (worlds, n)."""
        if not self.size:
            return np.zeros(len(q)), np.full(len(q), -1)
        return self.worst(self.at(q, np.zeros((len(q), self.model.nv)), t)[0])

    def at(self, q: np.ndarray, dq: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """g (worlds, size) and G (worlds, size, nv) at configurations (worlds, n) moved by steps (worlds, nv)."""
        gaps, slopes = [np.zeros((len(q), 0))], [np.zeros((len(q), 0, self.model.nv))]
        if len(self.chosen):
            rows = self.values.at(q, np.zeros((len(q), self.model.nv)), t, dq)
            gaps.append((rows.gap / rows.size)[:, self.chosen])
            slopes.append((rows.G / rows.size[..., None])[:, self.chosen] * self.bounds.movable)
        if self.model.map is not None:
            (below, above), bounds = self.ranged, self.bounds
            gaps += [q[:, bounds.place[below]] - bounds.lower[below], bounds.upper[above] - q[:, bounds.place[above]]]
            slopes += [np.broadcast_to(s * np.eye(self.model.nv)[k], (len(q), len(k), self.model.nv)) for s, k in ((1, below), (-1, above))]
        return np.concatenate(gaps, axis=1), np.concatenate(slopes, axis=1)
