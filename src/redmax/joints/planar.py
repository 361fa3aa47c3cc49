"""Translation along two directions, without rotation (RedMax supplement Eq. 27 in two directions).

The group R^2 of Mueller, Screw and Lie group theory, Table 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.given import Axis
from redmax.errors import SceneError
from redmax.joints.base import Joint, unit_axis
from redmax.joints.frames import cleaned, exact
from redmax.lie import se3
from redmax.math import array
from redmax.types import Array

PARALLEL = 1e-6  # rad; directions nearer than this leave one of the two without a coordinate


class PlanarXY(Joint):
    """Along x, and along the direction (cosine, sine) of the xy plane."""

    dof = 2
    proven = True

    def __init__(self, cosine: Any, sine: Any) -> None:
        self.cosine, self.sine = cosine, sine

    def transform(self, q: Array) -> Any:
        return se3.pose(np.eye(3), array([q[0] + self.cosine * q[1], self.sine * q[1], 0.0]))


class Planar(Joint):
    """Translation by q1 along `first` and q2 along `second` (m): each "x", "y", "z" or any 3-vector, at any angle but parallel."""

    dof = 2
    proven = True

    def __init__(self, first: Axis = "x", second: Axis = "y") -> None:
        self.first, self.second = unit_axis(first, "Planar", "first"), unit_axis(second, "Planar", "second")
        if np.linalg.norm(np.cross(self.first, self.second)) < PARALLEL:
            got = f"{brief(first)} and {brief(second)}"
            raise SceneError(
                f"Planar needs two directions that are not parallel. Got {got}; for one, use Prismatic.", owner="Planar", argument="second"
            )

    def transform(self, q: Array) -> Any:
        return se3.pose(np.eye(3), self.first * q[0] + self.second * q[1])

    def canonical(self) -> tuple[Joint, np.ndarray]:
        """x along the first direction, z across both."""
        C = np.eye(4)
        normal = np.cross(self.first, self.second)
        sine = float(np.linalg.norm(normal))
        C[:3, 0], C[:3, 2] = self.first, normal / sine
        C[:3, 1] = np.cross(C[:3, 2], C[:3, 0])
        cosine, sine = exact(np.array([self.first @ self.second, sine])).tolist()
        return PlanarXY(cosine, sine), cleaned(C)
