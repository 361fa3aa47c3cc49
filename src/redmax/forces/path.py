"""Forces along a path: a scalar tension between two points, or through several (RedMax notes Secs. 1.9.3-1.9.6).

    l = sum_k |x_{k+1} - x_k|,   f = T(l, ldot, t),   wrench = -T dl/dE

T is positive when the path pulls its ends together. Since the force acts along the gradient of the length, its power is -T ldot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.points import ConditionalPoint, Gate, Mover, MovingPoint
from redmax.handles import BodyHandle
from redmax.math import less, logical_and, sqrt, where


@dataclass(frozen=True)
class Segment:
    """From one point of a path to the next. length, u: its unit vector, rate: of its length, dv: difference of the velocities."""

    length: Any
    u: Any
    rate: Any
    dv: Any


def segment(a: Site, b: Site) -> Segment:
    """Of length zero where its points coincide; it then pulls nowhere."""
    dx, dv = np.asarray(b.x - a.x, object), np.asarray(b.v - a.v, object)
    square = dx @ dx
    apart = square > 0.0
    length = where(apart, sqrt(where(apart, square, 1.0)), 0.0)
    u = dx * where(apart, 1.0 / where(apart, length, 1.0), 0.0)
    return Segment(length, u, u @ dv, dv)


class PathForce(Force):
    """A tension along the straight segments between its anchors, in their order."""

    gates: tuple[Any, ...] = ()  # for each anchor when it is in use, or None

    def tension(self, length: Any, rate: Any, t: Any) -> Any:
        """N, positive if it pulls; length (m) and its rate (m/s) of the whole path."""
        raise NotImplementedError

    def stored(self, length: Any, t: Any) -> Any:
        """The potential of the part of the tension that is elastic (J), or None."""
        return None

    def hold(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "symmetrised") -> None:
        self.name = name
        if len(places) < 2:
            raise SceneError(f"{self.label} runs through {len(places)} points. It needs two or more.")
        joints: list[BodyHandle] = []
        self.movers = tuple(Mover(numbered(joints, p.joint), p.coordinate, p.position) if isinstance(p, MovingPoint) else None for p in places)
        self.gates = tuple(Gate(numbered(joints, p.joint), p.coordinate, *p.between) if isinstance(p, ConditionalPoint) else None for p in places)
        self.joints = tuple(joints)
        if self.gates[0] or self.gates[-1]:
            raise SceneError(f"{self.label} has a ConditionalPoint at an end. Its first and last points must always be in use.")
        super().hold([fixed_part(p) for p in places], name, stiffness_kind)

    @property
    def straight(self) -> bool:
        """Whether its points are fixed to their bodies and all in use, so that its own formulas give its stiffness."""
        return not any(self.movers) and not any(self.gates)

    def segments(self, sites: Sequence[Site]) -> list[Segment]:
        sites = self.in_use(sites)
        return [segment(a, b) for a, b in zip(sites[:-1], sites[1:], strict=True)]

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
        parts = self.segments(sites)
        return sum_of([s.length for s in parts]), sum_of([s.rate for s in parts])

    def potential(self, sites: Sequence[Site], t: Any) -> Any:
        return self.stored(self.length_and_rate(sites)[0], t)

    def wrenches(self, sites: Sequence[Site], t: Any) -> list[Wrench]:
        T = self.tension(*self.length_and_rate(sites), t)
        return [(None, -T * w) for w in self.directions(self.segments(sites))]

    def directions(self, parts: Sequence[Segment]) -> list[Any]:
        """dl/dx of each point."""
        zero = np.zeros(3).astype(object)
        before, after = [zero, *[s.u for s in parts]], [*[s.u for s in parts], zero]
        result = [a - b for a, b in zip(before, after, strict=True)]
        for k in reversed(range(len(result))):  # a point that is not in use hands its pull to the one on which it lies
            used = self.open(k)
            if used is not None:
                result[k - 1] = result[k - 1] + chosen(used, zero, result[k])
                result[k] = chosen(used, result[k], zero)
        return result


def numbered(joints: list[BodyHandle], joint: Any) -> int:
    """The number of a joint among those that a force reads."""
    if not isinstance(joint, BodyHandle):
        raise SceneError(f"A point of a path follows the joint {joint!r}. Give the body that the joint carries, as add_body returned it.")
    if joint not in joints:
        joints.append(joint)
    return joints.index(joint)


def fixed_part(place: Any) -> Any:
    """Where a point of a path is anchored."""
    return place.body if isinstance(place, MovingPoint) else place.point if isinstance(place, ConditionalPoint) else place


def chosen(condition: Any, a: Any, b: Any) -> Any:
    return np.array([*[where(condition, x, y) for x, y in zip(a, b, strict=True)], None], object)[:-1]


def sum_of(values: Sequence[Any]) -> Any:
    total: Any = 0.0
    for value in values:
        total = total + value
    return total
