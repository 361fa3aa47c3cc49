"""SpringDamper: pulls or pushes two points toward a distance, and resists its change (RedMax notes Sec. 1.9.6, corrected)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from redmax.errors import SceneError
from redmax.forces.base import Place, Site
from redmax.forces.checks import nonnegative, positive
from redmax.forces.path import PathForce

PER = ("length", "strain")


class SpringDamper(PathForce):
    """T = k (l - L) + d ldot between two points, with the energy k/2 (l - L)^2.

    a, b: points of bodies or of the world
    stiffness: k (N/m); damping: d (N s/m); per="strain": both are per unit of strain, k (N) and d (N s), T = (k (l - L) + d ldot) / L
    rest: L (m), the distance where the scene begins unless given
    """

    def __init__(
        self,
        a: Place,
        b: Place,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float | None = None,
        per: str = "length",
        name: str | None = None,
        stiffness_kind: str = "symmetrised",
    ) -> None:
        self.hold([a, b], name, stiffness_kind)
        self.stiffness = nonnegative(self.label, "stiffness", stiffness)
        self.damping = nonnegative(self.label, "damping", damping)
        self.rest = float("nan") if rest is None else positive(self.label, "rest", rest, "m")
        if per not in PER:
            raise SceneError(f"{self.label}: per is {per!r}. Valid: {', '.join(map(repr, PER))}.")
        self.per = per

    def settled(self, sites: Sequence[Site]) -> Self:
        L = float(self.length_and_rate(sites)[0]) if self.rest != self.rest else self.rest
        if self.per == "length":
            return self.replaced(rest=L)
        if not L > 0:
            raise SceneError(f"{self.label} has rest length {L:g} m, so it has no strain. Give rest= or per='length'.")
        return self.replaced(rest=L, stiffness=self.stiffness / L, damping=self.damping / L, per="length")

    def tension(self, length: Any, rate: Any, t: Any) -> Any:
        return self.stiffness * (length - self.rest) + self.damping * rate

    def stored(self, length: Any, t: Any) -> Any:
        return 0.5 * self.stiffness * (length - self.rest) ** 2
