"""JointFriction: Coulomb's friction where the parts of a joint touch, from the force that the joint transmits."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from redmax.components.checks import finite, number, positive, positive3
from redmax.components.given import FromZero, JointOf, Length, Points, Sides
from redmax.contact.rubbing import points as rubbing
from redmax.contact.rubbing.points import RubbingPoints
from redmax.errors import SceneError, wrong
from redmax.forces.joint_force import JointForce
from redmax.joints import Prismatic, Revolute, Spherical, SphericalEuler
from redmax.joints.base import Joint
from redmax.types import Array, Value

EVEN = "an even number from 4 up, or None for a disc"


class JointFriction(JointForce):
    """Friction in a joint: tangential forces at its points, each at most `friction` times the normal force there.

    friction: Coulomb's coefficient, at rest and in motion
    radius, height: of a hinge, the cylinder whose two ends bear it (m); radius alone: of a ball joint
    size: of a slide, the box whose corners bear it (m): along its axis, and across
    points, normals: (points, 3) each, in the joint frame: where the parts of any joint touch, in place of these
    sides: of what bounds friction at a point that slips in any direction: 4 is a square, larger even numbers are nearer to the disc of None
    """

    def __init__(
        self,
        joint: JointOf,
        friction: FromZero,
        *,
        radius: Length | None = None,
        height: Length | None = None,
        size: Sides | None = None,
        points: Points | None = None,
        normals: Points | None = None,
        sides: int | None = 4,
        name: str | None = None,
    ) -> None:
        self.hold(joint, name)
        self.friction = number(self.label, "friction", friction, "a number from 0 up", least=0)
        self.radius = None if radius is None else positive(self.label, "radius", radius, "m")
        self.height = None if height is None else positive(self.label, "height", height, "m")
        self.size = None if size is None else positive3(self.label, "size", size, "sides")
        self.points, self.normals = self.own_points(points, normals)
        if sides is not None and (isinstance(sides, bool) or not isinstance(sides, int) or sides < 4 or sides % 2):
            raise wrong(self.label, "sides", sides, EVEN)
        self.sides = sides

    def own_points(self, points: Any, normals: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Places, and unit normals; nothing where there are none."""
        if points is None and normals is None:
            return None, None
        if points is None or normals is None:
            raise SceneError(f"{self.label} takes points and normals together, (points, 3) each. Got one of them.", owner=self.label)
        found = finite(self.label, "points", points, ((-1, 3),), "a list of points (m)")
        across = finite(self.label, "normals", normals, ((len(found), 3),), f"{len(found)} directions, one for each point")
        length = np.linalg.norm(across, axis=1, keepdims=True)
        if not len(found) or not (length > 0).all():
            raise wrong(self.label, "normals", normals, "directions that are not zero, one for each point")
        return found, across / length

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        """Nothing along the coordinates by themselves: what it exerts follows from the force that the joint transmits."""
        return np.zeros(len(qdot))

    def fitted(self, joint: Joint, joint_name: str, q: np.ndarray) -> Self:
        """Itself, if the joint has the shape that it asks for."""
        found = super().fitted(joint, joint_name, q)
        found.on(joint, joint_name)
        return found

    def on(self, joint: Joint, joint_name: str) -> RubbingPoints:
        """Its points in the frame of this joint."""
        if self.points is not None and self.normals is not None:
            return rubbing.surface(self.points, self.normals, self.sides)
        if isinstance(joint, Revolute):
            self.needs(joint, joint_name, radius=self.radius, height=self.height)
            return rubbing.cylinder(np.asarray(joint.axis, float), float(self.radius or 0), float(self.height or 0))
        if isinstance(joint, Prismatic):
            self.needs(joint, joint_name, size=self.size)
            return rubbing.box(np.asarray(joint.axis, float), self.size or ())
        if isinstance(joint, Spherical | SphericalEuler):
            self.needs(joint, joint_name, radius=self.radius)
            return rubbing.ball(float(self.radius or 0), self.sides)
        kinds = "Revolute, Prismatic and Spherical joints have shapes of their own"
        fix = "Give points and normals, or put two hinges in the place of a universal joint"
        said = f"{self.label} is in joint {joint_name!r}, {type(joint).__name__}: {kinds}. {fix}."
        raise SceneError(said, owner=self.label, argument="joint")

    def needs(self, joint: Joint, joint_name: str, **given: Any) -> None:
        """Raise unless just these of its shape are given."""
        absent = [name for name, value in given.items() if value is None]
        others = [n for n in ("radius", "height", "size") if n not in given and getattr(self, n) is not None]
        asked = " and ".join(given)
        if absent or others:
            got = f"Got no {absent[0]}" if absent else f"Got {others[0]}"
            said = f"{self.label} in joint {joint_name!r}, {type(joint).__name__}, takes {asked}, or points and normals. {got}."
            raise SceneError(said, owner=self.label, argument=(absent or others)[0])
