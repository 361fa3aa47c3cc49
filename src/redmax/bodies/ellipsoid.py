"""Ellipsoid: I = m/5 diag(b^2 + c^2, c^2 + a^2, a^2 + b^2) for semi-axes a, b, c."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from redmax.bodies import surfaces
from redmax.bodies.base import Solid, Triangles
from redmax.components.checks import positive3
from redmax.components.given import Sides


@dataclass(frozen=True)
class Ellipsoid(Solid):
    """Solid ellipsoid with semi-axes `radii` = (a, b, c) (m) along x, y, z, centred at the origin."""

    radii: Sides

    def __post_init__(self) -> None:
        a, b, c = positive3("Ellipsoid", "radii", self.radii, "semi-axes")
        self._set(radii=(a, b, c))
        volume = 4 / 3 * pi * a * b * c
        self._fill(volume, unit_inertia=np.diag([b * b + c * c, c * c + a * a, a * a + b * b]) / 5)

    def geometry(self) -> dict[str, Any]:
        return {"kind": "ellipsoid", "radii": list(self.radii)}

    def mesh(self, segments: int = 24) -> Triangles:
        vertices, faces = surfaces.revolve(surfaces.arc(-pi / 2, pi / 2, segments), segments)
        return vertices * self.radii, faces
