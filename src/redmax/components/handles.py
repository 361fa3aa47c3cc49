"""Names for a body, a point on it, a joint: what forces, constraints and users refer to."""

from __future__ import annotations

from dataclasses import dataclass, field

from redmax.components.checks import finite
from redmax.errors import called


@dataclass(frozen=True)
class BodyHandle:
    """A body of a scene, and the joint that carries it."""

    name: str
    index: int
    joint: str
    scene: str = field(default="", compare=False, repr=False)  # which it is of; copies of a scene are that scene too. "": nobody knows

    def point(self, x: float, y: float, z: float) -> Point:
        """A point fixed to the body, in its body frame (m)."""
        valid = "three finite numbers (m): body.point(x, y, z)"
        x, y, z = finite(called("Body", self.name), "point", (x, y, z), ((3,),), valid).tolist()
        return Point(self, (x, y, z))


@dataclass(frozen=True)
class Point:
    """A point of a body, in its body frame (m)."""

    body: BodyHandle
    position: tuple[float, float, float]
