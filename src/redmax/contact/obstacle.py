"""What stands in the world and does not move: the ground, walls, ramps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.bodies import Body
from redmax.components.appearance import Appearance
from redmax.contact.height_field import HeightField
from redmax.contact.material import ContactMaterial
from redmax.contact.shape import ContactShape, shapes_of


@dataclass(frozen=True)
class Plane:
    """The half space below z = 0 of its frame, as far as one can see: the shape of an obstacle, never of a body."""


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A shape in the world. pose: (4, 4), of the frame in which the shape was described"""

    name: str
    shape: Body | Plane | HeightField
    pose: np.ndarray
    contact: ContactMaterial
    group: int = 0
    appearance: Appearance | None = None

    def shapes(self) -> list[ContactShape]:
        """In the table of contacts."""
        if isinstance(self.shape, Plane):
            return [ContactShape(self.name, -1, "plane", self.pose, np.zeros(3), 0.0, self.contact, self.group)]
        if isinstance(self.shape, HeightField):
            return [ContactShape(self.name, -1, "field", self.pose, np.zeros(3), 0.0, self.contact, self.group, solid=self.shape)]
        return [*shapes_of(self.name, -1, self.shape, self.pose @ self.shape.frame, self.contact, self.group)]
