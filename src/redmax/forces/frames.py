"""A body as a force's kernel sees it, and the places that anchors take on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.forces.base import Anchor, Site
from redmax.lie.three import cross
from redmax.trace.vector import vector_of


@dataclass(frozen=True)
class Frame:
    """The joint frame of a body in the world. R: axes; x: origin; omega, v: angular velocity and that of the origin, world axes."""

    R: Any
    x: Any
    omega: Any
    v: Any

    def point(self, position: Any) -> Site:
        """A point fixed to the body; its axes are not asked for."""
        arm = self.R @ position
        return Site(self.x + arm, self.v + crossed(self.omega, arm), None, None)

    def site(self, anchor: Anchor) -> Site:
        """An anchor with its axes."""
        point = self.point(anchor.position)
        return Site(point.x, point.v, self.R @ anchor.rotation, self.omega)


def member_frame(b: Any) -> Frame:
    """From a member's record: R, x of its joint frame and its twist V, in joint axes."""
    R, V = np.asarray(b.R, object).reshape(3, 3), b.V
    return Frame(R, b.x, R @ V[:3], R @ V[3:])


def world_site(anchor: Anchor) -> Site:
    zero = np.zeros(3).astype(object)
    return Site(anchor.position, zero, anchor.rotation, zero)


def crossed(a: Any, b: Any) -> np.ndarray:
    """a x b of (3,) arrays."""
    return vector_of(cross(list(a), list(b)))


def skew(a: Any) -> np.ndarray:
    """[a], with [a] b = a x b."""
    zero = 0.0
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]], object)
