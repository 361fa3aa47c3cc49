"""SpringDamper: pulls or pushes two points toward a distance, and resists its change (RedMax notes Sec. 1.9.6, corrected)."""

from __future__ import annotations

from typing import Any

from redmax.components.given import FromZero, Length, Per, Place, StiffnessKind
from redmax.forces.elastic_path import ElasticPath
from redmax.types import Value


class SpringDamper(ElasticPath):
    """A spring and damper along the line between two points: the tension T = k (l - L) + d ldot, the energy k/2 (l - L)^2.

    a, b: points of bodies or of the world
    stiffness: k (N/m); damping: d (N s/m); per="strain": both are per unit of strain, k (N) and d (N s), T = (k (l - L) + d ldot) / L
    rest: L (m), the distance where the scene begins unless given
    """

    held = ("a", "b")

    def __init__(
        self,
        a: Place,
        b: Place,
        *,
        stiffness: FromZero = 0.0,
        damping: FromZero = 0.0,
        rest: Length | None = None,
        per: Per = "length",
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold([a, b], name, stiffness_kind)
        self.hold_law(stiffness, damping, rest, per)

    def tension(self, length: Value, rate: Value, t: Value) -> Any:
        return self.stiffness * (length - self.rest) + self.damping * rate

    def stored(self, length: Value, t: Value) -> Any:
        return 0.5 * self.stiffness * (length - self.rest) ** 2
