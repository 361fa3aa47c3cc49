"""Points of bodies that nodes go with: J_a, how fast each moves with the coordinates of the joints (RedMax notes Eqs. 2.83-2.86).

J_k = v_k + w_k x (x - o)         (w_k; v_k) the twist of coordinate k about the origin o of its tree, in world axes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.model.model import Model
from redmax.program.routines.call import Addresses, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole
from redmax.solvers.reduced_matrix import ReducedMatrix


@routine
def point_columns(x: Vector, o: Vector, J: Matrix, count: Whole, s: Places) -> None:
    """J of a point at x, for the coordinates whose twists are s."""
    a = x[0] - o[0]
    b = x[1] - o[1]
    c = x[2] - o[2]
    for k in range(count):
        t = s[k]
        J[0, k] = t[3] + t[1] * c - t[2] * b
        J[1, k] = t[4] + t[2] * a - t[0] * c
        J[2, k] = t[5] + t[0] * b - t[1] * a


@dataclass(frozen=True, eq=False)
class PointColumns:
    """J (3, coordinates that move the body) of some points, each on a body. name: of the data; H: numbers the coordinates."""

    name: str
    H: ReducedMatrix
    model: Model
    bodies: Sequence[int]

    @cached_property
    def starts(self) -> list[int]:
        """Where the matrix of each point begins."""
        counts = [sum(self.H.dofs[j] for j in self.model.tree.ancestors(body)) for body in self.bodies]
        return np.concatenate([[0], 3 * np.cumsum(counts)]).astype(int).tolist()

    @property
    def J(self) -> Data:
        """All of them."""
        return Data(self.name, self.starts[-1])

    def matrix(self, at: Addresses, k: int) -> tuple[int, int]:
        """J of one point."""
        return at[self.J] + self.starts[k], (self.starts[k + 1] - self.starts[k]) // 3

    def numbers(self, at: Addresses, k: int) -> list[int]:
        """Which coordinates its columns are of."""
        return self.H.columns(at, self.bodies[k], "twist")[1]

    def row(self, at: Addresses, k: int, x: int) -> tuple[Any, ...]:
        """For `point_columns`, of a point that is at x."""
        twists, _ = self.H.columns(at, self.bodies[k], "twist")
        return x, at.field(self.bodies[k], "o"), self.matrix(at, k), len(twists), twists
