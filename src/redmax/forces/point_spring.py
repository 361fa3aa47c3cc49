"""PointSpring: pulls two points together, with no rest length (RedMax notes Sec. 1.9.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.given import FromZero, Place, StiffnessKind
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.checks import nonnegative
from redmax.forces.frames import crossed
from redmax.types import Value


class PointSpring(Force):
    """A spring that draws two points together: f = k dx + d dv on the first, the opposite on the second.

    Its energy is V = k/2 |dx|^2 (RedMax notes Eqs. 1.35, 1.36).

    The damper resists any motion of the bodies against each other at the middle between the points, dv, and acts there: so it turns
    nothing that turns as a whole, also while the points are apart.

    a, b: points of bodies or of the world; stiffness: k (N/m); damping: d (N s/m)
    """

    held = ("a", "b")

    def __init__(
        self,
        a: Place,
        b: Place,
        *,
        stiffness: FromZero,
        damping: FromZero = 0.0,
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold_apart([a, b], name, stiffness_kind)
        self.stiffness = nonnegative(self.label, "stiffness", stiffness)
        self.damping = nonnegative(self.label, "damping", damping)
        self.oriented = self.damping > 0  # the velocity away from the points depends on how the bodies turn

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        dx = sites[1].x - sites[0].x
        return 0.5 * self.stiffness * (dx @ dx)

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]]:
        return [(sites[1].x - sites[0].x, self.stiffness * np.eye(3))]

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        a, b = sites
        pull = self.stiffness * (b.x - a.x)
        if not self.oriented:
            return [(None, pull), (None, -pull)]
        arm = 0.5 * (b.x - a.x)
        drag = self.damping * ((b.v - crossed(b.omega, arm)) - (a.v + crossed(a.omega, arm)))
        twist = crossed(arm, drag)  # about each point, of what acts at the middle
        return [(twist, pull + drag), (twist, -pull - drag)]
