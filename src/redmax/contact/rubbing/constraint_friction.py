"""ConstraintFriction: Coulomb's friction where a constraint holds two parts together, from the force that it exerts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.given import FromZero, Length, Normals, Points
from redmax.constraints import HingeClosure
from redmax.constraints.base import Constraint
from redmax.contact.rubbing import points as rubbing
from redmax.contact.rubbing.joint_friction import JointFriction
from redmax.contact.rubbing.points import RubbingPoints
from redmax.errors import SceneError


class ConstraintFriction(JointFriction):
    """Friction where a loop is closed, or where a body leans on something: tangential forces, each at most `friction` times the normal one.

    constraint: the constraint, or its name: one between two bodies, or a body and the world. Its points are at its first place, and in the
        axes of its second (of the world, where there is one place alone)
    friction: Coulomb's coefficient, at rest and in motion
    radius, height: of a HingeClosure, the cylinder whose two ends bear it (m)
    points, normals, tangents: (points, 3) each, where the parts touch; see JointFriction
    sides: of what bounds friction at a point that slips in any direction: 4 is a square, larger even numbers are nearer to the disc of None
    """

    own = ("name", "body", "constraint")

    def __init__(
        self,
        constraint: Constraint | str,
        friction: FromZero,
        *,
        radius: Length | None = None,
        height: Length | None = None,
        points: Points | None = None,
        normals: Normals | None = None,
        tangents: Points | None = None,
        sides: int | None = 4,
        name: str | None = None,
    ) -> None:
        self.name, self.body = name, ""
        found = constraint.name if isinstance(constraint, Constraint) else constraint
        if not isinstance(found, str) or not found:
            valid = "the constraint that add_constraint returned, or its name"
            said = f"{self.label} is where a constraint holds: give {valid}. Got {brief(constraint)}."
            raise SceneError(said, owner=self.label, argument="constraint")
        self.constraint = found
        self.shape(friction, radius, height, None, points, normals, tangents, sides)

    def added_to(self, scene: Any, name: str) -> Self:
        """Itself: its constraint may be added later."""
        return self.replaced(name=name)

    def at(self, constraint: Constraint) -> RubbingPoints:
        """Its points at the first place of a constraint, in the axes of the second."""
        if constraint.joints or not 1 <= len(constraint.anchors) <= 2:
            fix = "Take one between two places, of bodies or of the world"
            said = f"{self.label} rubs in {constraint.label}, which does not hold one place at another. {fix}."
            raise SceneError(said, owner=self.label, argument="constraint")
        if self.points is not None and self.normals is not None:
            return rubbing.surface(self.points, self.normals, self.sides, self.tangents)
        if isinstance(constraint, HingeClosure):
            self.needs(f"in {constraint.label}", radius=self.radius, height=self.height)
            return rubbing.cylinder(np.asarray(constraint.along, float), float(self.radius or 0), float(self.height or 0))
        said = f"{self.label} rubs in {constraint.label}: a HingeClosure has a shape of its own. Give points and normals."
        raise SceneError(said, owner=self.label, argument="points")
