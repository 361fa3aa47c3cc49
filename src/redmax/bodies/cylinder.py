"""Cylinder about z: Iz = m r^2 / 2, Ix = Iy = m (3 r^2 + h^2) / 12."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from redmax.bodies import surfaces
from redmax.bodies.base import Solid, Triangles
from redmax.components.checks import positive
from redmax.components.given import Length


@dataclass(frozen=True)
class Cylinder(Solid):
    """Solid cylinder of `radius` and `height` (m), axis z, centred at the origin."""

    radius: Length
    height: Length

    def __post_init__(self) -> None:
        r = positive("Cylinder", "radius", self.radius, "m")
        h = positive("Cylinder", "height", self.height, "m")
        self._set(radius=r, height=h)
        across = (3 * r * r + h * h) / 12
        self._fill(volume=pi * r * r * h, unit_inertia=np.diag([across, across, r * r / 2]))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "cylinder", "radius": self.radius, "height": self.height}

    def mesh(self, segments: int = 24) -> Triangles:
        r, z = self.radius, self.height / 2
        return surfaces.revolve([(0, -z), (r, -z), (r, z), (0, z)], segments)
