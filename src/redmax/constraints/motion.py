"""Bodies as rows of constraints see them: where their joint frames are, how they move, and how that changes; and the places on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.components.holding import Anchor, Site
from redmax.constraints.base import Constraint
from redmax.forces.frames import crossed, skew
from redmax.program.member import MemberView
from redmax.program.sweep import Part

MOTION = (("R", 9), ("x", 3), ("omega", 3), ("v", 3), ("alpha", 3), ("a", 3), ("o", 3))


@dataclass(frozen=True)
class Motion:
    """A body's joint frame as rows see it, world axes. R, x, omega, v: as of a Frame; alpha, a: their rates; o: origin of the tree."""

    R: Any
    x: Any
    omega: Any
    v: Any
    alpha: Any
    a: Any
    o: Any

    def site(self, anchor: Anchor) -> tuple[Site, Any, Any]:
        """An anchor, with the accelerations of its point and of its axes."""
        arm = self.R @ anchor.position
        turning = crossed(self.omega, arm)
        site = Site(self.x + arm, self.v + turning, self.R @ anchor.rotation, self.omega)
        return site, self.a + crossed(self.alpha, arm) + crossed(self.omega, turning), self.alpha

    def carried(self, anchor: Anchor) -> tuple[Any, Any]:
        """The same accelerations without what velocities bring: J a of its point and of its axes."""
        return self.a + crossed(self.alpha, self.R @ anchor.position), self.alpha


def member_motion(b: MemberView, part: Part) -> Motion:
    """From a member's record. row_A is the rate of the twist, or J a alone where velocities or positions are asked for."""
    R, V, A = np.asarray(b.row_R, object).reshape(3, 3), b.row_V, b.row_A
    w, v = R @ V[:3], R @ V[3:]
    a = R @ A[3:]
    if part is Part.ACCELERATION_ROWS:
        a = a + crossed(w, v)  # the rate of R v
    return Motion(R, b.row_x, w, v, R @ A[:3], a, b.row_o)


def placed(constraint: Constraint, motions: Sequence[Motion]) -> tuple[list[tuple[Site, Any, Any]], list[Motion]]:
    """Each anchor, with the accelerations of its point and of its axes; and what each is fixed to."""
    still = Motion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))
    of_anchor = [motions[a.member] if a.member >= 0 else still for a in constraint.anchors]
    return [m.site(a) for m, a in zip(of_anchor, constraint.anchors, strict=True)], of_anchor


def moving(sites: Sequence[Site], coordinates: Iterable[tuple[Any, Any]], t: Any) -> dict[Any, Any]:
    """How places, coordinates and time change, all of them inputs."""
    seeds: dict[Any, Any] = {t: 1.0}
    for site in sites:
        seeds |= dict(zip(site.x, site.v, strict=True))
        seeds |= dict(zip(np.ravel(site.R), np.ravel(skew(site.omega) @ site.R), strict=True))
    for q, qdot in coordinates:
        seeds |= dict(zip(q, qdot, strict=False))  # charts in use do not change
    return seeds
