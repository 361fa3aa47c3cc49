"""A mass without extension: a node of a deformable body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.bodies.base import NOT_GIVEN, Body, Triangles
from redmax.components.checks import positive
from redmax.components.given import Mass


@dataclass(frozen=True)
class PointMass(Body):
    """mass: kg. It has no inertia of rotation, so no joint may turn it."""

    mass: Mass = field(default=NOT_GIVEN)

    def __post_init__(self) -> None:
        self._set(mass=positive("PointMass", "mass", self.mass, "kg"), inertia=np.zeros((3, 3)), frame=np.eye(4))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "point"}

    def mesh(self, segments: int = 24) -> Triangles:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
