"""Ball: I = 2/5 m r^2."""

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
class Sphere(Solid):
    """Solid ball of `radius` (m), centred at the origin."""

    radius: Length

    def __post_init__(self) -> None:
        r = positive("Sphere", "radius", self.radius, "m")
        self._set(radius=r)
        self._fill(volume=4 / 3 * pi * r * r * r, unit_inertia=np.diag([2 / 5 * r * r] * 3))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "sphere", "radius": self.radius}

    def mesh(self, segments: int = 24) -> Triangles:
        return surfaces.revolve(self.radius * surfaces.arc(-pi / 2, pi / 2, segments), segments)
