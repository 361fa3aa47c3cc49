"""All rotations, in exponential coordinates: R = exp([q]) (RedMax supplement Sec. 4.7).

The coordinates are singular at |q| = 2 pi. Before that, at |q| > 1.5 pi, the loop changes to the equivalent rotation vector
(1 - 2 pi/|q|) q, with qdot such that the twist S qdot is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.joints.orientation import rotation_vector
from redmax.lie import se3, so3
from redmax.math import array, sqrt, where
from redmax.types import Array

TURN = 2 * np.pi
LIMIT = 1.5 * np.pi


class Spherical(Joint):
    """Rotation about q by the angle |q| (rad)."""

    dof = 3
    proven = True
    chart = "exp"

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.exp(q), np.zeros(3))

    def jacobian(self, q: Array) -> Any:
        return stack_rows(so3.dexp_right(q), np.zeros((3, 3)))

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        return rewind(states)

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        return rotation_vector(quaternion, near)


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
