"""All rotations, in exponential coordinates: R = exp([q]) (RedMax supplement Sec. 4.7); or as elements of SO(3) (joints/group).

Exponential coordinates are singular at |q| = 2 pi. Before that, at |q| > 1.5 pi, the loop changes to the equivalent rotation vector
(1 - 2 pi/|q|) q, with qdot such that the twist S qdot is the same. Of an element qdot is the angular velocity, and nothing is singular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from redmax.joints.group.base import Element
from redmax.joints.group.joint import OnGroup
from redmax.joints.group.rotations import RotationMatrix, UnitQuaternion
from redmax.joints.orientation import rotation_vector
from redmax.lie import quaternions, se3, so3
from redmax.math import array, atan2, sqrt, where
from redmax.types import Array

TURN = 2 * np.pi
LIMIT = 1.5 * np.pi


class Spherical(OnGroup):
    """A ball joint: all rotations of the child about one point.

    coordinates: what q is. "exp": rotation about q by the angle |q| (rad). "quaternion" (w, x, y, z of length 1) or "matrix" (R, row by
        row): more numbers than velocities, which are then the angular velocity in the child's axes (rad/s), and never singular
    """

    dof = 3
    proven = True
    elements: ClassVar[Mapping[str, Element]] = {"quaternion": UnitQuaternion(), "matrix": RotationMatrix()}

    def __init__(self, coordinates: Literal["exp", "quaternion", "matrix"] = "exp") -> None:
        self.choose(coordinates)

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.exp(q), np.zeros(3)) if self.element is None else se3.pose(*self.element.pose(q))

    def jacobian(self, q: Array) -> Any:
        return stack_rows(so3.dexp_right(q), np.zeros((3, 3))) if self.element is None else self.identity_columns()

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        return rewind(states) if self.element is None else None

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        return turned_further(q, turn) if self.element is None else self.element.turned(q, turn, position)

    def rates_of_twist(self, q: Array, twist: Array) -> Any:
        return so3.dexp_right_inverse(q) @ twist[:3] if self.element is None else twist[:3]

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        found = self.placed(quaternion, position, near)
        return rotation_vector(quaternion, near) if found is None else found


def turned_further(q: Any, turn: Any) -> Any:
    """The rotation vector of exp(q) and a further turn, a unit quaternion, in its axes: the one that q goes to, beyond pi if need be."""
    c, *v = quaternions.product(quaternions.exp(q), turn)
    small = square(v) < 1e-300
    sine = sqrt(where(small, 1.0, square(v)))  # which has derivatives at zero, too
    scale = where(small, 2.0, 2.0 * atan2(sine, c) / sine)
    return array([scale * x for x in v])


def rewind(states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Rotation vectors and rates, all turned back by a full turn where the angle of the first exceeds 1.5 pi."""
    far = square(states[0][0]) > LIMIT**2
    return [turned_back(far, q, qdot) for q, qdot in states]


def turned_back(far: Any, q: Any, qdot: Any) -> tuple[Any, Any]:
    angle = sqrt(where(far, square(q), 1.0))
    inside = where(far, q * (1.0 - TURN / angle), q)  # both branches stay finite, so unselected ones harm nothing
    rate = so3.dexp_right_inverse(inside) @ (so3.dexp_right(q) @ qdot)
    return inside, where(far, rate, qdot)


def square(q: Any) -> Any:
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2]


def stack_rows(upper: Any, lower: Any) -> Any:
    return array([list(row) for row in upper] + [list(row) for row in lower])
