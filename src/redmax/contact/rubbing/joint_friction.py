"""JointFriction: Coulomb's friction where the parts of a joint touch, from the force that the joint transmits."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from redmax.components.checks import finite, number, positive, positive3
from redmax.components.given import FromZero, JointOf, Length, Normals, Points, Sides
from redmax.contact.rubbing import points as rubbing
from redmax.contact.rubbing.points import RubbingPoints
from redmax.errors import SceneError, wrong
from redmax.forces.joint_force import JointForce
from redmax.joints import Prismatic, Revolute, Spherical, SphericalEuler, Universal
from redmax.joints.base import Joint
from redmax.types import Array, Value

EVEN = "an even number from 4 up, or None for a disc"


class JointFriction(JointForce):
    """Friction in a joint: tangential forces at its points, each at most `friction` times the normal force there.

    friction: Coulomb's coefficient, at rest and in motion
    radius, height: of a hinge, the cylinder whose two ends bear it (m), of a universal joint both its pins; radius alone: of a ball joint
    size: of a slide, the box whose corners bear it (m): along its axis, and across
    points, normals: (points, 3) each, in the joint frame: where the parts of any joint touch, in place of these; of points with several
        normals, (points, n, 3). tangents: (points, 3), along which alone each slips; in any direction across its normal unless given
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
        normals: Normals | None = None,
        tangents: Points | None = None,
        sides: int | None = 4,
        name: str | None = None,
    ) -> None:
        self.hold(joint, name)
        self.shape(friction, radius, height, size, points, normals, tangents, sides)

    def shape(
        self, friction: Any, radius: Any, height: Any, size: Any, points: Any, normals: Any, tangents: Any, sides: Any
    ) -> None:  # fmt: skip
        """What is given of where the parts touch, checked."""
        self.friction = number(self.label, "friction", friction, "a number from 0 up", least=0)
        self.radius = None if radius is None else positive(self.label, "radius", radius, "m")
        self.height = None if height is None else positive(self.label, "height", height, "m")
        self.size = None if size is None else positive3(self.label, "size", size, "sides")
        self.points, self.normals, self.tangents = self.own_points(points, normals, tangents)
        if sides is not None and (isinstance(sides, bool) or not isinstance(sides, int) or sides < 4 or sides % 2):
            raise wrong(self.label, "sides", sides, EVEN)
        self.sides = sides

    def own_points(self, points: Any, normals: Any, tangents: Any) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
        """Places, unit normals and tangents; nothing where there are none."""
        if points is None and normals is None and tangents is None:
            return None, None, None
        if points is None or normals is None:
            got = "one of them" if tangents is None or points is not None or normals is not None else "tangents alone"
            said = f"{self.label} takes points and normals together, (points, 3) each. Got {got}."
            raise SceneError(said, owner=self.label, argument="points" if points is None else "normals")
        x = finite(self.label, "points", points, ((-1, 3),), "a list of points (m)")
        if not len(x):
            raise wrong(self.label, "points", points, "a list of points (m), of which there is at least one")
        N = finite(self.label, "normals", normals, ((len(x), 3), (len(x), -1, 3)), f"{len(x)} directions, one or several for each point")
        N = N.reshape(len(x), -1, 3)
        if tangents is None and N.shape[1] > 1:
            said = f"{self.label} has {N.shape[1]} normals at each point: give tangents, (points, 3), along which points slip."
            raise SceneError(said, owner=self.label, argument="tangents")
        if tangents is None:
            return x, self.units("normals", normals, N), None
        T = finite(self.label, "tangents", tangents, ((len(x), 3),), f"{len(x)} directions, one for each point")
        return x, self.units("normals", normals, N), self.units("tangents", tangents, T)

    def units(self, argument: str, given: Any, found: np.ndarray) -> np.ndarray:
        """Directions of length one."""
        length = np.linalg.norm(found, axis=-1, keepdims=True)
        if not (length > 0).all():
            raise wrong(self.label, argument, given, "directions that are not zero, for each point")
        return found / length

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        """Nothing along the coordinates by themselves: what it exerts follows from the force that the joint transmits."""
        return np.zeros(len(qdot))

    def fitted(self, joint: Joint, joint_name: str, q: np.ndarray) -> Self:
        """Itself, if the joint has the shape that it asks for."""
        found = super().fitted(joint, joint_name, q)
        found.on(joint, joint_name)
        return found

    def on(self, joint: Joint, joint_name: str) -> tuple[RubbingPoints, ...]:
        """Its points in the frame of this joint; of a universal joint those of both pins, in the frame of the cross."""
        if self.points is not None and self.normals is not None:
            return (rubbing.surface(self.points, self.normals, self.sides, self.tangents),)
        where = f"in joint {joint_name!r}, {type(joint).__name__},"
        if isinstance(joint, Revolute):
            self.needs(where, radius=self.radius, height=self.height)
            return (rubbing.cylinder(np.asarray(joint.axis, float), float(self.radius or 0), float(self.height or 0)),)
        if isinstance(joint, Universal):
            self.needs(where, radius=self.radius, height=self.height)
            return rubbing.pins(float(self.radius or 0), float(self.height or 0))
        if isinstance(joint, Prismatic):
            self.needs(where, size=self.size)
            return (rubbing.box(np.asarray(joint.axis, float), self.size or ()),)
        if isinstance(joint, Spherical | SphericalEuler):
            self.needs(where, radius=self.radius)
            return (rubbing.ball(float(self.radius or 0), self.sides),)
        kinds = "Revolute, Prismatic, Spherical and Universal joints have shapes of their own"
        said = f"{self.label} is in joint {joint_name!r}, {type(joint).__name__}: {kinds}. Give points and normals."
        raise SceneError(said, owner=self.label, argument="joint")

    def crossed(self, joint: Joint) -> bool:
        """Whether its points are on the pins of a cross."""
        return isinstance(joint, Universal) and self.points is None

    def needs(self, where: str, **given: Any) -> None:
        """Raise unless just these of its shape are given."""
        absent = [name for name, value in given.items() if value is None]
        others = [n for n in ("radius", "height", "size") if n not in given and getattr(self, n) is not None]
        if absent or others:
            got = f"Got no {absent[0]}" if absent else f"Got {others[0]}"
            said = f"{self.label} {where} takes {' and '.join(given)}, or points and normals. {got}."
            raise SceneError(said, owner=self.label, argument=(absent or others)[0])
