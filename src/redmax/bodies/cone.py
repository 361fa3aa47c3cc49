"""Cone about z, centre of mass h/4 above the base: Iz = 3/10 m r^2, Ix = Iy = 3/80 m (4 r^2 + h^2)."""

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
class Cone(Solid):
    """Solid cone of base `radius` and `height` (m), axis z, with its centre of mass at the origin.

    The base lies at z = -height/4, the tip at z = 3/4 height.
    """

    radius: Length
    height: Length

    def __post_init__(self) -> None:
        r = positive("Cone", "radius", self.radius, "m")
        h = positive("Cone", "height", self.height, "m")
        self._set(radius=r, height=h)
        across = 3 / 80 * (4 * r * r + h * h)
        self._fill(volume=pi * r * r * h / 3, unit_inertia=np.diag([across, across, 3 / 10 * r * r]))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "cone", "radius": self.radius, "height": self.height}

    def mesh(self, segments: int = 24) -> Triangles:
        r, h = self.radius, self.height
        return surfaces.revolve([(0, -h / 4), (r, -h / 4), (0, 3 * h / 4)], segments)
