"""Points of a path that depend on a joint: they move over their body with one of its coordinates, or are in use only in a range of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import numpy as np

from redmax.arguments import as_objects, brief
from redmax.components.checks import finite, whole
from redmax.components.data_and_structure import Described
from redmax.components.from_function import check_call
from redmax.components.given import CalledWith, Interval, JointOf, OnBody, Place, Which
from redmax.components.handles import BodyHandle, Point
from redmax.components.kept_arguments import Made
from redmax.errors import SceneError, wrong
from redmax.forces.given import are_numbers
from redmax.joints.base import name_of
from redmax.trace import Scalar, jvp, substitute
from redmax.trace.vector import vector_of

WHICH = ": which of the joint's it is"


class MovingPoint(Made):
    """A point that moves over a body as a joint moves, such as where a muscle slides over a kneecap.

    body: on which it is; position: function of the coordinate -> (x, y, z) in the body's frame (m)
    joint: the body whose joint it follows; coordinate: which of the joint's
    """

    def __init__(
        self, body: BodyHandle, position: Annotated[Callable[[Any], Any], CalledWith(q=())], *, joint: JointOf, coordinate: Which = 0
    ) -> None:
        if not isinstance(body, BodyHandle):
            raise wrong("MovingPoint", "body", body, "a body, as scene.add_body returns it")
        if not callable(position):
            raise wrong("MovingPoint", "position", position, "a function of the coordinate that returns (x, y, z)")
        check_call("MovingPoint: position", position, ("coordinate",), {}, owner="MovingPoint", argument="position")
        self.body, self.position, self.joint = body, position, joint
        self.coordinate = whole("MovingPoint", "coordinate", coordinate, 0, WHICH)


class ConditionalPoint(Made):
    """A point that a path goes through only while a coordinate of a joint is in a range, such as where a muscle touches bone.

    point: where; joint: the body whose joint decides; coordinate: which of the joint's; between: (lower, upper) of the coordinate
    """

    def __init__(self, point: OnBody, *, joint: JointOf, coordinate: Which = 0, between: Interval) -> None:
        if not isinstance(point, Point):
            raise wrong("ConditionalPoint", "point", point, "a point of a body, such as body.point(x, y, z)")
        valid = "two finite numbers, the lower one first"
        lower, upper = finite("ConditionalPoint", "between", between, ((2,),), valid).tolist()
        if not lower < upper:
            raise wrong("ConditionalPoint", "between", between, valid)
        self.point, self.joint, self.between = point, joint, (lower, upper)
        self.coordinate = whole("ConditionalPoint", "coordinate", coordinate, 0, WHICH)


PathPoint: TypeAlias = Place | MovingPoint | ConditionalPoint


class Mover(Described):
    """What moves a point: the number of its joint among those that a force reads, and which of the joint's coordinates."""

    def __init__(self, joint: int, coordinate: int, position: Callable[[Any], Any]) -> None:
        self.joint, self.coordinate, self.position = joint, coordinate, position

    def offset(self, q: Any) -> tuple[Any, Any]:
        """Where the point is in its anchor's axes, and its derivative by the coordinate, (3,) each."""
        if not isinstance(q, Scalar):
            start = self.at(q).astype(float)
            if not np.isfinite(start).all():
                where = f"{start.tolist()} at the coordinate {float(q):g}, where the scene begins"
                raise SceneError(
                    f"MovingPoint: its function {name_of(self.position)!r} gives {where}, expected three finite numbers (m).",
                    owner="MovingPoint",
                    argument="position",
                )
            return start, np.zeros(3)
        place = q.graph.input("coordinate", 0)
        found = list(self.at(place))
        values = substitute([*found, *jvp(found, {place: 1.0})], lambda base, i: q if base == "coordinate" else q.graph.input(base, i))
        both = vector_of(values)
        return both[:3], both[3:]

    def at(self, q: Any) -> np.ndarray:
        """What the function gives, (3,)."""
        given = self.position(q)
        found = as_objects(given)
        if found.shape != (3,) or not are_numbers(found):
            got = f"shape {found.shape}" if found.size != 1 and found.shape != (3,) else brief(given)
            raise SceneError(
                f"MovingPoint: its function {name_of(self.position)!r} must return three numbers (m). Got {got}.",
                owner="MovingPoint",
                argument="position",
            )
        return found


class Gate(Described):
    """While a coordinate is between two numbers, the point is in use."""

    def __init__(self, joint: int, coordinate: int, lower: float, upper: float) -> None:
        self.joint, self.coordinate, self.lower, self.upper = joint, coordinate, float(lower), float(upper)
