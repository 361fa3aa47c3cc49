"""Points of bodies that nodes go with: J_a, how fast each moves with the coordinates of the joints (RedMax notes Eqs. 2.83-2.86).

    J_k = v_k + w_k x (x - o)         (w_k; v_k) the twist of coordinate k about the origin o of its tree, in world axes

Nodes may be held to bodies by constraint rows instead (Sec. 2.8; for comparison, the published mass-spring scene):

    x_node - x_body = g = 0:     G qdot1 = -b g,  so  G a = (-b g - G qdot0) / h,  with three rows of G for each node
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.lie.three import cross
from redmax.model.model import Model
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole
from redmax.solvers.reduced_matrix import ReducedMatrix
from redmax.trace.vector import vector_of

BAUMGARTE = 5.0
WORLD = -1


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


def rate_on_body(x: Any, R: Any, V: Any, place: Any) -> tuple[Any, Any]:
    """Where a place of a body is, and how fast it moves."""
    R = R.reshape(3, 3)
    arm = R @ place
    return x + arm, R @ V[3:] + vector_of(cross(list(R @ V[:3]), list(arm)))


def tie_to_body(h: Any, x: Any, R: Any, V: Any, at: Any, axes: Any, twist: Any, place: Any) -> list[Any]:
    """The point that a node is tied to, and G a."""
    point, rate = rate_on_body(at, axes, twist, place)
    return [point, (-BAUMGARTE * (x - point) - (R.reshape(3, 3) @ V[3:] - rate)) / h[0]]


def tie_to_world(h: Any, x: Any, R: Any, V: Any, place: Any) -> list[Any]:
    """The same of a place in the world."""
    return [place, (-BAUMGARTE * (x - place) - R.reshape(3, 3) @ V[3:]) / h[0]]


NODE = {"h": 1, "x": 3, "R": 9, "V": 6}
BODY = {"body_x": 3, "body_R": 9, "body_V": 6}
FOUND = {"point": 3, "g": 3}


@dataclass(frozen=True, eq=False)
class Ties:
    """The rows of one model: three for each node that is tied."""

    model: Model
    H: ReducedMatrix

    @cached_property
    def tied(self) -> list[tuple[int, int, np.ndarray]]:
        """(node, body or WORLD, place in the kernels' frame of it, which is turned against the user's)."""
        held = [(soft.first + i, b, place) for soft in self.model.soft for i, b, place in soft.ties]
        return [(i, b, place if b == WORLD else self.model.frames[b][:3, :3].T @ place) for i, b, place in held]

    @cached_property
    def moving(self) -> list[int]:
        """Ties to bodies, by their numbers."""
        return [k for k, (_, body, _) in enumerate(self.tied) if body != WORLD]

    @cached_property
    def columns(self) -> PointColumns:
        """J of the points of bodies."""
        return PointColumns("J of ties", self.H, self.model, [self.tied[k][1] for k in self.moving])

    @property
    def places(self) -> Data:
        """Where nodes are tied, in frames of bodies."""
        return Data("places of ties", 3 * len(self.tied))

    @property
    def points(self) -> Data:
        """The same in the world."""
        return Data("points of ties", 3 * len(self.tied))

    @property
    def g(self) -> Data:
        """G a."""
        return Data("rows of ties", 3 * len(self.tied))

    def fill(self) -> tuple[Call, ...]:
        """Places, points and g; then J."""
        kept, data = np.concatenate([np.zeros(0), *[place for _, _, place in self.tied]]), (self.places, self.points, self.g)

        def to_bodies(at: Addresses) -> list[tuple[int, ...]]:
            of_body = {k: [at.field(self.tied[k][1], name) for name in ("x", "R", "V")] for k in self.moving}
            return [(*self.node(at, k), *of_body[k], *self.found(at, k)) for k in self.moving]

        def to_world(at: Addresses) -> list[tuple[int, ...]]:
            return [(*self.node(at, k), *self.found(at, k)) for k in range(len(self.tied)) if k not in self.moving]

        def jacobians(at: Addresses) -> list[tuple[Any, ...]]:
            return [self.columns.row(at, n, at[self.points] + 3 * k) for n, k in enumerate(self.moving)]

        return (
            Call(Formula({}, {"places": kept.size}, lambda: [kept]), lambda at: [(at[self.places],)], data),
            Call(Formula({**NODE, **BODY, "place": 3}, FOUND, tie_to_body), to_bodies, data),
            Call(Formula({**NODE, "place": 3}, FOUND, tie_to_world), to_world, data),
            Call(point_columns, jacobians, (self.columns.J, *data)),
        )

    def node(self, at: Addresses, k: int) -> list[int]:
        """What a tie reads of its node."""
        return [at.world("h"), *[at.field(self.tied[k][0], name) for name in ("x", "R", "V")]]

    def found(self, at: Addresses, k: int) -> list[int]:
        """Its place, and where its point and g go."""
        return [at[data] + 3 * k for data in (self.places, self.points, self.g)]
