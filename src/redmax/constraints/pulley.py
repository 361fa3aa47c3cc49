"""Ropes and belts that run over pulleys: straight spans between tangent points, and arcs (a point is a pulley of no radius).

A span from circle a to circle b, in their common plane across the axis n, with e from centre to centre, signed radii r (positive where the
rope winds around n in the sense of a right hand) and k = r_a - r_b:

    l = sqrt(e . e - k^2),    u = (l e - k e x n) / (e . e),    tangent points at  c + r u x n
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from redmax.components.checks import choice, positive, whole
from redmax.components.data_and_structure import Described
from redmax.components.given import Axis, Frame, Length, Place
from redmax.components.holding import Site
from redmax.components.kept_arguments import Made
from redmax.errors import SceneError, wrong
from redmax.forces.frames import crossed
from redmax.joints.base import unit_axis
from redmax.math import atan2, less, sqrt, where

Winding: TypeAlias = Literal["positive", "negative"]
PARALLEL = 1.0 - 1e-6  # cosine between axes of pulleys that follow each other


class Pulley(Made):
    """A circle that a rope or a belt runs over.

    centre: a body, a point (with the body's axes), a frame, or (body, pose); radius (m); axis: in the axes of that place
    winding: whether the rope goes around the axis in the "positive" sense, as the fingers of a right hand whose thumb is along it
    turns: whole turns that it is wound beyond the last part of one
    """

    def __init__(self, centre: Frame, radius: Length, *, axis: Axis = "y", winding: Winding = "positive", turns: int = 0) -> None:
        self.centre = centre
        self.radius = positive("Pulley", "radius", radius, "m")
        self.axis = unit_axis(axis, "Pulley")
        self.sense = 1 if choice("Pulley", "winding", winding, ("positive", "negative")) == "positive" else -1
        self.turns = whole("Pulley", "turns", turns, 0)


RopePoint: TypeAlias = Place | Pulley


@dataclass(frozen=True)
class Span:
    """From one circle or point to the next. length; along: the unit vector of its direction; u: its part across the axis, of length 1;
    start, end: from the centres to where it touches.
    """

    length: Any
    along: Any
    u: Any
    start: Any
    end: Any


class Course(Described):
    """Where a rope runs: for each of its places a signed radius (0: a point) and an axis, then which of them are pulleys."""

    def __init__(self, owner: str, argument: str, given: Any, closed: bool) -> None:
        valid = "a list of two or more points and Pulleys"
        if not isinstance(given, list | tuple) or len(given) < 2:
            raise wrong(owner, argument, given, valid)
        pulleys = [x if isinstance(x, Pulley) else None for x in given]
        self.closed = closed
        self.round = tuple(p is not None for p in pulleys)
        self.turns = tuple(0 if p is None else p.turns for p in pulleys)
        self.senses = tuple(1 if p is None else p.sense for p in pulleys)
        self.radii = np.array([0.0 if p is None else p.radius * p.sense for p in pulleys])
        self.axes = np.array([np.zeros(3) if p is None else p.axis for p in pulleys])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The numbers of the places that each span is between."""
        n = len(self.round)
        return [*pairwise(range(n)), *([(n - 1, 0)] if self.closed else [])]

    def spans(self, sites: Sequence[Site]) -> list[Span]:
        """The straight parts, in their order."""
        return [self.span(sites, a, b) for a, b in self.pairs]

    def span(self, sites: Sequence[Site], a: int, b: int) -> Span:
        """Between two places."""
        d = sites[b].x - sites[a].x
        if not (self.round[a] or self.round[b]):
            apart = less(0.0, d @ d)  # of a loose rope, points may meet
            length = where(apart, sqrt(where(apart, d @ d, 1.0)), 0.0)
            u = d / where(apart, length, 1.0)
            return Span(length, u, u, np.zeros(3), np.zeros(3))
        n = self.normal(sites, a if self.round[a] else b)
        h = n @ d
        e = d - h * n
        square, k = e @ e, self.radii[a] - self.radii[b]
        l = sqrt(square - k * k)  # noqa: E741
        u = (l * e - k * crossed(e, n)) / square
        m, length = crossed(u, n), sqrt(l * l + h * h)
        return Span(length, (l * u + h * n) / length, u, self.radii[a] * m, self.radii[b] * m)

    def normal(self, sites: Sequence[Site], k: int) -> Any:
        """The axis of a pulley, in the world."""
        return sites[k].R @ self.axes[k]

    def length(self, sites: Sequence[Site]) -> Any:
        """Of spans and arcs."""
        spans = self.spans(sites)
        total: Any = 0.0
        for span in spans:
            total = total + span.length
        for k in (k for k, is_round in enumerate(self.round) if is_round):
            into, out = spans[k - 1], spans[k] if k < len(spans) else None
            if out is not None and (k or self.closed):
                angle = wrapped(into.u, out.u, self.normal(sites, k), self.senses[k]) + 2.0 * np.pi * self.turns[k]
                total = total + self.senses[k] * self.radii[k] * angle
        return total

    def check(self, owner: str, argument: str, sites: Sequence[Site], loose: bool = False) -> None:
        """Raise where there is no such course where the scene begins. loose: whether points may be at one place"""
        for a, b in self.pairs:
            if self.round[a] and self.round[b] and self.normal(sites, a) @ self.normal(sites, b) < PARALLEL:
                said = f"{owner}: the axes of its pulleys {a} and {b} (from 0) are not parallel"
                fix = "Give both the same direction, with winding='negative' where it winds the other way"
                raise SceneError(f"{said}. {fix}.", owner=owner, argument=argument)
            with np.errstate(invalid="ignore"):
                length = float(self.span(sites, a, b).length)
            if not np.isfinite(length) or (length == 0.0 and not loose):
                why = "are at the same place, or so near each other that no line touches both"
                raise SceneError(f"{owner}: its places {a} and {b} (from 0) {why}. Move them apart.", owner=owner, argument=argument)


def wrapped(into: Any, out: Any, n: Any, sense: int) -> Any:
    """The angle by which the direction turns about n, from a quarter of a turn backwards to three forwards."""
    turned, ahead = sense * (n @ crossed(into, out)), into @ out
    return atan2(-ahead, turned) + 0.5 * np.pi
