"""Box: I = m/12 diag(y^2 + z^2, z^2 + x^2, x^2 + y^2) for side lengths x, y, z (RedMax notes Eq. 1.24)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.bodies import surfaces
from redmax.bodies.base import Solid, Triangles
from redmax.components.checks import positive3
from redmax.components.given import Sides


@dataclass(frozen=True)
class Cuboid(Solid):
    """Solid box with side lengths `size` = (x, y, z) (m), centred at the origin."""

    size: Sides

    def __post_init__(self) -> None:
        x, y, z = positive3("Cuboid", "size", self.size, "full side lengths")
        self._set(size=(x, y, z))
        self._fill(volume=x * y * z, unit_inertia=np.diag([y * y + z * z, z * z + x * x, x * x + y * y]) / 12)

    def geometry(self) -> dict[str, Any]:
        return {"kind": "cuboid", "size": list(self.size)}

    def mesh(self, segments: int = 24) -> Triangles:
        return surfaces.box(self.size)
