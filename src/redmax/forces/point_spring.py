"""PointSpring: pulls two points together, with no rest length (RedMax notes Sec. 1.9.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.forces.base import Force, Place, Site, Wrench
from redmax.forces.checks import nonnegative


class PointSpring(Force):
    """f = k dx + d dv on the first point toward the second, the opposite on the second; V = k/2 |dx|^2 (Eqs. 1.35, 1.36).

    The damper resists every difference of the two velocities, also across the line of the points while they are apart: its two forces are
    opposite but not in line, so that it slows the turning of the pair as a whole. SpringDamper resists along the line only.

    a, b: points of bodies or of the world; stiffness: k (N/m); damping: d (N s/m)
    """

    def __init__(
        self,
        a: Place,
        b: Place,
        *,
        stiffness: float,
        damping: float = 0.0,
        name: str | None = None,
        stiffness_kind: str = "symmetrised",
    ) -> None:
        self.hold([a, b], name, stiffness_kind)
        self.stiffness = nonnegative(self.label, "stiffness", stiffness)
        self.damping = nonnegative(self.label, "damping", damping)

    def potential(self, sites: Sequence[Site], t: Any) -> Any:
        dx = sites[1].x - sites[0].x
        return 0.5 * self.stiffness * (dx @ dx)

    def wrenches(self, sites: Sequence[Site], t: Any) -> list[Wrench]:
        pull = self.stiffness * (sites[1].x - sites[0].x) + self.damping * (sites[1].v - sites[0].v)
        return [(None, pull), (None, -pull)]
