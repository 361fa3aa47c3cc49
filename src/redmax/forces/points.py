"""Points of a path that depend on a joint: they move over their body with one of its coordinates, or are in use only in a range of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.described import Described
from redmax.errors import SceneError
from redmax.forces.checks import number
from redmax.handles import BodyHandle, Point
from redmax.made import Made
from redmax.trace import jvp
from redmax.trace.scalar import Scalar


class MovingPoint(Made):
    """A point that moves over a body as a joint moves, such as where a muscle slides over a kneecap.

    body: on which it is; position: function of the coordinate -> (x, y, z) in the body's frame (m)
    joint: the body whose joint it follows; coordinate: which of the joint's
    """

    def __init__(self, body: BodyHandle, position: Callable[[Any], Any], *, joint: BodyHandle, coordinate: int = 0) -> None:
        if not callable(position):
            raise SceneError(f"MovingPoint: position is {position!r}, expected a function of the coordinate that returns (x, y, z).")
        self.body, self.position, self.joint, self.coordinate = body, position, joint, coordinate


class ConditionalPoint(Made):
    """A point that a path goes through only while a coordinate of a joint is in a range, such as where a muscle touches bone.

    point: where; joint: the body whose joint decides; coordinate: which of the joint's; between: (lower, upper) of the coordinate
    """

    def __init__(self, point: Point, *, joint: BodyHandle, coordinate: int = 0, between: tuple[float, float]) -> None:
        if not isinstance(point, Point):
            raise SceneError(f"ConditionalPoint: point is {point!r}, expected a point of a body, such as body.point(x, y, z).")
        lower, upper = (number("ConditionalPoint", "between", x, "two numbers, the lower one first") for x in between)
        if not lower < upper:
            raise SceneError(f"ConditionalPoint: between is {between!r}, expected two numbers, the lower one first.")
        self.point, self.joint, self.coordinate, self.between = point, joint, coordinate, (lower, upper)


class Mover(Described):
    """What moves a point: the number of its joint among those that a force reads, and which of the joint's coordinates."""

    def __init__(self, joint: int, coordinate: int, position: Callable[[Any], Any]) -> None:
        self.joint, self.coordinate, self.position = joint, coordinate, position

    def offset(self, q: Any) -> tuple[Any, Any]:
        """Where the point is in its anchor's axes, and its derivative by the coordinate, (3,) each."""
        if not isinstance(q, Scalar):
            return np.asarray(self.position(q), float), np.zeros(3)
        place = q.graph.input("coordinate", 0)
        found = list(np.asarray(self.position(place), object))
        if len(found) != 3:
            raise SceneError(f"MovingPoint: its function must return three numbers. Got {len(found)}.")
        from redmax.trace import substitute

        values = substitute([*found, *jvp(found, {place: 1.0})], lambda base, i: q if base == "coordinate" else q.graph.input(base, i))
        both = np.array([*values, None], object)[:-1]
        return both[:3], both[3:]


class Gate(Described):
    """While a coordinate is between two numbers, the point is in use."""

    def __init__(self, joint: int, coordinate: int, lower: float, upper: float) -> None:
        self.joint, self.coordinate, self.lower, self.upper = joint, coordinate, float(lower), float(upper)
