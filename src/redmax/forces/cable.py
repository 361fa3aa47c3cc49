"""Cable: runs through several points without friction, and only pulls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.arguments import brief
from redmax.components.given import FromZero, Length, Per, StiffnessKind
from redmax.errors import SceneError
from redmax.forces.elastic_path import ElasticPath
from redmax.forces.points import PathPoint
from redmax.math import maximum, where
from redmax.types import Value


class Cable(ElasticPath):
    """A line that only pulls: while it is longer than L, T = max(0, k (l - L) + d ldot) with the energy k/2 (l - L)^2, else nothing.

    Its damping acts only while the cable is taut, and can at most take its whole tension away: it never pushes.

    points: two or more, of bodies or of the world, in the order of its course; the tension is the same along it
    stiffness: k (N/m); damping: d (N s/m); per="strain": both are per unit of strain, k (N) and d (N s), T = (k (l - L) + d ldot) / L
    rest: L (m), the length where the scene begins unless given
    """

    held = ("points",)

    def __init__(
        self,
        points: Sequence[PathPoint],
        *,
        stiffness: FromZero,
        damping: FromZero = 0.0,
        rest: Length | None = None,
        per: Per = "length",
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.name = name
        if not isinstance(points, list | tuple):
            raise SceneError(f"{self.label} takes a list of points. Got {brief(points)}.", owner=self.label, argument="points")
        self.hold(points, name, stiffness_kind)
        self.hold_law(stiffness, damping, rest, per)

    def tension(self, length: Value, rate: Value, t: Value) -> Any:
        pull = self.stiffness * (length - self.rest) + self.damping * rate
        return where(length > self.rest, maximum(pull, 0.0), 0.0)

    def stored(self, length: Value, t: Value) -> Any:
        return where(length > self.rest, 0.5 * self.stiffness * (length - self.rest) ** 2, 0.0)
