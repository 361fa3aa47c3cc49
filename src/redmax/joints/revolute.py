"""Rotation about a fixed axis (RedMax supplement Eqs. 29-30)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.given import Axis
from redmax.joints.base import Joint, sparse_frame_of_axis, unit_axis
from redmax.lie import se3, so3
from redmax.types import Array


class RevoluteZ(Joint):
    """Rotation about z."""

    dof = 1
    proven = True

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.rotation_about("z", q[0]), np.zeros(3))


ABOUT_Z = RevoluteZ()


class Revolute(Joint):
    """Rotation by q (rad) about `axis`: "x", "y", "z" or any 3-vector."""

    dof = 1
    proven = True

    def __init__(self, axis: Axis = "z") -> None:
        self.axis = unit_axis(axis, "Revolute")

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.rotation_about(self.axis, q[0]), np.zeros(3))

    def canonical(self) -> tuple[Joint, np.ndarray]:
        return ABOUT_Z, sparse_frame_of_axis(self.axis)
