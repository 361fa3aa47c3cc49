"""Capsule about z: a cylinder (mass mc) and two half balls (together ms), whose centres lie 3r/8 beyond its ends.

Iz = mc r^2 / 2 + 2/5 ms r^2
Ix = Iy = mc (3 r^2 + h^2) / 12 + ms (2/5 r^2 + 3/8 h r + h^2 / 4)
"""

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
class Capsule(Solid):
    """Solid capsule, axis z, centred at the origin: `radius` (m), `height` (m) of the part between the caps."""

    radius: Length
    height: Length

    def __post_init__(self) -> None:
        r = positive("Capsule", "radius", self.radius, "m")
        h = positive("Capsule", "height", self.height, "m")
        self._set(radius=r, height=h)
        Vc, Vs = pi * r * r * h, 4 / 3 * pi * r * r * r
        mc, ms = Vc / (Vc + Vs), Vs / (Vc + Vs)
        along = mc * r * r / 2 + ms * 2 / 5 * r * r
        across = mc * (3 * r * r + h * h) / 12 + ms * (2 / 5 * r * r + 3 / 8 * h * r + h * h / 4)
        self._fill(volume=Vc + Vs, unit_inertia=np.diag([across, across, along]))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "capsule", "radius": self.radius, "height": self.height}

    def mesh(self, segments: int = 24) -> Triangles:
        shift = (0, self.height / 2)
        lower = self.radius * surfaces.arc(-pi / 2, 0, segments) - shift
        upper = self.radius * surfaces.arc(0, pi / 2, segments) + shift
        return surfaces.revolve(np.concatenate([lower, upper]), segments)
