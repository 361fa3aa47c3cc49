"""Torus about z, a ring of radius R and a tube of radius r: Iz = m (R^2 + 3/4 r^2), Ix = Iy = m (R^2 / 2 + 5/8 r^2).

Its volume is the tube's section times the length of the ring, 2 pi^2 R r^2 (Pappus).
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
from redmax.errors import SceneError


@dataclass(frozen=True)
class Torus(Solid):
    """Solid ring, axis z, centred at the origin: a tube of radius `minor` (m) around a circle of radius `major` (m)."""

    major: Length
    minor: Length

    def __post_init__(self) -> None:
        R = positive("Torus", "major", self.major, "m")
        r = positive("Torus", "minor", self.minor, "m")
        if not r < R:
            raise SceneError(
                f"Torus: minor is {r:g}, expected less than major, {R:g}: the tube would run into itself.", owner="Torus", argument="minor"
            )
        self._set(major=R, minor=r)
        across = R * R / 2 + 5 / 8 * r * r
        self._fill(volume=2 * pi * pi * R * r * r, unit_inertia=np.diag([across, across, R * R + 3 / 4 * r * r]))

    def geometry(self) -> dict[str, Any]:
        return {"kind": "torus", "major": self.major, "minor": self.minor}

    def mesh(self, segments: int = 24) -> Triangles:
        around = max(3, segments // 2)  # the tube is the smaller circle: it gets half as many edges, the ring twice as many
        angle = 2 * pi * np.arange(around) / around
        section = np.column_stack([self.major + self.minor * np.cos(angle), self.minor * np.sin(angle)])
        return surfaces.revolve_closed(section, 2 * segments)
