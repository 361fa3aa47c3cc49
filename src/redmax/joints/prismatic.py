"""Translation along a fixed axis (RedMax supplement Sec. 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.given import Axis
from redmax.joints.base import Joint, sparse_frame_of_axis, unit_axis
from redmax.lie import se3
from redmax.types import Array


class PrismaticZ(Joint):
    """Translation along z."""

    dof = 1
    proven = True

    def transform(self, q: Array) -> Any:
        return se3.pose(np.eye(3), np.array([0.0, 0.0, q[0]], object))


class Prismatic(Joint):
    """Translation by q (m) along `axis`: "x", "y", "z" or any 3-vector."""

    dof = 1
    proven = True

    def __init__(self, axis: Axis = "z") -> None:
        self.axis = unit_axis(axis, "Prismatic")

    def transform(self, q: Array) -> Any:
        return se3.pose(np.eye(3), self.axis * q[0])

    def canonical(self) -> tuple[Joint, np.ndarray]:
        return PrismaticZ(), sparse_frame_of_axis(self.axis)
