"""Forces along a path: a scalar tension between two points, or through several (RedMax notes Secs. 1.9.3-1.9.6).

    l = sum_k |x_{k+1} - x_k|,   f = T(l, ldot, t),   wrench = -T dl/dE

T is positive when the path pulls its ends together. Since the force acts along the gradient of the length, its power is -T ldot.
Segments between two points of one body keep their length: it is a constant of the path, and nothing else is asked of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.handles import BodyHandle
from redmax.errors import About, SceneError
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.points import ConditionalPoint, Gate, Mover, MovingPoint
from redmax.joints.base import Joint
from redmax.math import less, logical_and, sqrt, where
from redmax.trace import Graph, Scalar, jvp, substitute
from redmax.trace.vector import vector_of
from redmax.types import Value


@dataclass(frozen=True)
class Segment:
    """From one point of a path to the next, most often on another body. start: the number of the first; dx: from one to the other;
    length, inverse: and its reciprocal, u: its unit vector, rate: of its length, dv: difference of the velocities.
    """

    start: int
    dx: Any
    length: Any
    inverse: Any
    u: Any
    rate: Any
    dv: Any


def segment(a: Site, b: Site, start: int = 0) -> Segment:
    """Of length zero where its points coincide; it then pulls nowhere."""
    dx, dv = np.asarray(b.x - a.x, object), np.asarray(b.v - a.v, object)
    square = dx @ dx
    apart = square > 0.0
    length = where(apart, sqrt(where(apart, square, 1.0)), 0.0)
    inverse = where(apart, 1.0 / where(apart, length, 1.0), 0.0)
    u = dx * inverse
    return Segment(start, dx, length, inverse, u, u @ dv, dv)


class PathForce(Force):
    """A tension along the straight segments between its anchors, in their order: subclass it and write `tension`."""

    gates: tuple[Any, ...] = ()  # for each anchor when it is in use, or None

    def tension(self, length: Value, rate: Value, t: Value) -> Any:
        """N, positive if it pulls; length (m) and its rate (m/s) of the whole path."""
        raise SceneError(f"{self.label} gives no tension. Define tension(length, rate, t) in its class.", owner=self.label)

    def stored(self, length: Value, t: Value) -> Any:
        """The potential of the part of the tension that is elastic (J), or None."""
        return None

    def hold(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "definite") -> None:
        self.name = name
        if not (isinstance(places, list | tuple) or (isinstance(places, np.ndarray) and places.ndim)):
            raise SceneError(
                f"{self.label} takes a list of points. Got {brief(places)}.", owner=self.label, argument=self.place_argument(0)
            )
        if len(places) < 2:
            raise SceneError(
                f"{self.label} runs through {len(places)} points. It needs two or more.", owner=self.label, argument=self.place_argument(0)
            )
        joints: dict[BodyHandle, int] = {}
        with About(self.label, self.place_argument(0)):
            self.movers = tuple(mover(p, joints) for p in places)
            self.gates = tuple(gate(p, joints) for p in places)
        self.joints = tuple(joints)
        if self.gates[0] or self.gates[-1]:
            raise SceneError(
                f"{self.label} has a ConditionalPoint at an end. Its first and last points must always be in use.",
                owner=self.label,
                argument=self.place_argument(0),
            )
        super().hold([fixed_part(p) for p in places], name, stiffness_kind)
        crossings = set(self.crossings)
        inside = [(a, b) for k, (a, b) in enumerate(pairwise(self.anchors)) if k not in crossings]
        self.fixed_length = float(sum(np.linalg.norm(b.position - a.position) for a, b in inside))  # m, of segments within bodies

    def check_added(self, joints: Sequence[Joint]) -> None:
        if not self.crossings:
            why = f"lies within the body {self.bodies[0].name!r}, so that its length never changes and it moves nothing"
            raise SceneError(
                f"{self.label} {why}. Let it run to another body or to the world.", owner=self.label, argument=self.place_argument(1)
            )
        for user in (*self.movers, *self.gates):
            if user is None:
                continue
            joint, who = joints[user.joint], "MovingPoint" if isinstance(user, Mover) else "ConditionalPoint"
            what = f"{self.label}: a {who} follows coordinate {user.coordinate} of the joint {self.joints[user.joint].joint!r}"
            if user.coordinate >= joint.dof:
                has = f"which has {joint.dof} coordinates" if joint.dof else "which has no degree of freedom"
                raise SceneError(
                    f"{what}, {has}. Give the body whose joint moves it as joint=, and coordinate= from 0 on.",
                    owner=self.label,
                    argument=self.place_argument(1),
                )
            if joint.nq != joint.dof or joint.changing[user.coordinate]:
                several = f"which has {joint.nq} numbers for {joint.dof} velocities, none of which counts by itself"
                why = f"{type(joint).__name__}, {several if joint.nq != joint.dof else 'which may change it for another during a run'}"
                raise SceneError(
                    f"{what}, {why}. Use a joint that keeps its coordinates.", owner=self.label, argument=self.place_argument(1)
                )

    @property
    def straight(self) -> bool:
        """Whether its points are fixed to their bodies and all in use, so that its own formulas give its stiffness."""
        return not any(self.movers) and not any(self.gates)

    @property
    def crossings(self) -> list[int]:
        """The numbers of the points from which the path goes on to another body, or from or to a point that may move."""
        firm = [not any(changes) for changes in zip(self.movers, self.gates, strict=True)]
        ends = enumerate(pairwise(self.anchors))
        return [k for k, (a, b) in ends if a.member != b.member or not (firm[k] and firm[k + 1])]

    def inside(self, k: int) -> bool:
        """Whether the segment from the k-th point stays within one body, also where that point is not in use and lies on the one before."""
        before, at, after = (self.anchors[i].member for i in (k - 1, k, k + 1))
        return at == after and (self.gates[k] is None or before == at)

    def segments(self, sites: Sequence[Site]) -> list[Segment]:
        """Those between two bodies, or between points that may move."""
        sites = self.in_use(sites)
        return [segment(sites[k], sites[k + 1], k) for k in self.crossings]

    def open(self, k: int) -> Any:
        """Whether the k-th point is in use; None if it always is."""
        gate = self.gates[k]
        if gate is None:
            return None
        q = self.coordinates[gate.joint][0][gate.coordinate]
        return logical_and(less(gate.lower, q), less(q, gate.upper))

    def in_use(self, sites: Sequence[Site]) -> list[Site]:
        """The sites that the path goes through; one that is not in use lies on the one before."""
        result: list[Site] = []
        for k, site in enumerate(sites):
            used = self.open(k)
            before = result[-1] if result else site
            result.append(site if used is None else Site(chosen(used, site.x, before.x), chosen(used, site.v, before.v), None, None))
        return result

    def length_and_rate(self, sites: Sequence[Site]) -> tuple[Any, Any]:
        return self.whole(self.segments(sites))

    def whole(self, parts: Sequence[Segment]) -> tuple[Any, Any]:
        """Length and rate of the path that has these segments between bodies."""
        inside = [self.fixed_length] if len(parts) < len(self.anchors) - 1 else []
        return sum_of([*[s.length for s in parts], *inside]), sum_of([s.rate for s in parts])

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        return self.stored(self.length_and_rate(sites)[0], t)

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        parts = self.segments(sites)
        T = self.tension(*self.whole(parts), t)
        return [(None, -T * w) for w in self.directions(parts)]

    def directions(self, parts: Sequence[Segment]) -> list[Any]:
        """dl/dx of each point."""
        zero = np.zeros(3).astype(object)
        result: list[Any] = [zero for _ in self.anchors]
        for s in parts:
            result[s.start], result[s.start + 1] = result[s.start] - s.u, result[s.start + 1] + s.u
        for k in reversed(range(len(result))):  # a point that is not in use hands its pull to the one on which it lies
            used = self.open(k)
            if used is not None:
                result[k - 1] = result[k - 1] + chosen(used, zero, result[k])
                result[k] = chosen(used, result[k], zero)
        return result


def numbered(joints: dict[BodyHandle, int], joint: Any) -> int:
    """The number of a joint among those that a force reads, to which it is added."""
    if not isinstance(joint, BodyHandle):
        raise SceneError(
            f"A point of a path follows the joint {brief(joint)}. Give the body that the joint carries, as add_body returned it."
        )
    return joints.setdefault(joint, len(joints))


def mover(place: Any, joints: dict[BodyHandle, int]) -> Mover | None:
    return Mover(numbered(joints, place.joint), place.coordinate, place.position) if isinstance(place, MovingPoint) else None


def gate(place: Any, joints: dict[BodyHandle, int]) -> Gate | None:
    return Gate(numbered(joints, place.joint), place.coordinate, *place.between) if isinstance(place, ConditionalPoint) else None


def fixed_part(place: Any) -> Any:
    """Where a point of a path is anchored."""
    return place.body if isinstance(place, MovingPoint) else place.point if isinstance(place, ConditionalPoint) else place


def chosen(condition: Any, a: Any, b: Any) -> Any:
    return vector_of([where(condition, x, y) for x, y in zip(a, b, strict=True)])


def sum_of(values: Sequence[Any]) -> Any:
    total: Any = 0.0
    for value in values:
        total = total + value
    return total


def tension_slopes(force: PathForce, length: Any, rate: Any, t: Any) -> tuple[Any, Any, Any]:
    """T and its derivatives by length and rate."""
    graph = length.graph if isinstance(length, Scalar) else Graph()
    at_length, at_rate = graph.input("length", 0), graph.input("rate", 0)
    T = force.tension(at_length, at_rate, t)
    given = {"length": length, "rate": rate}

    def leaf(base: str, index: int) -> Any:
        return given[base] if base in given else graph.input(base, index)

    T, T_l, T_rate = substitute([T, *jvp([T], {at_length: 1.0}), *jvp([T], {at_rate: 1.0})], leaf)
    return T, T_l, T_rate
