"""Two surfaces that touch in a point and slide on each other (Si & Guenter Sec. 5: torus-torus, sphere-ellipsoid, ...).

E = F1(u1, v1) Q F2(u2, v2)^-1, with Q = Rx(pi) Rz(angle) so that the normals are opposed. Four coordinates place the contact on both
surfaces; the angle from the parent's x axis to the child's, about the child's normal, is fixed or a fifth one. Where they roll, the contact
moves as quickly over the one as over the other: a condition on velocities (constraints/rolling.py), beside the joint's coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite, flag
from redmax.components.given import Angle, Intervals
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.joints.charts import Slot, better_charts
from redmax.joints.drawing import Drawing
from redmax.joints.touching import relative_jacobian, relative_pose
from redmax.math import array, cos, sin
from redmax.surfaces.base import ParametricSurface
from redmax.types import Array

NORMAL = [0.0, 0.0, 1.0]


class SurfaceContact(Joint):
    """The child's surface touches the parent's, each given in its body's joint frame. q = (u1, v1, u2, v2), and the spin (rad).

    spin: whether the child may turn about the common normal; then surfaces with poles change their charts when they come near one
    angle: without spin, the fixed angle (rad) about the child's normal from the parent's x axis (along u) to the child's; the child's
        normal is opposed to the parent's, unless inside, and so is the sense of the turn; pi/2 crosses two rings
    inside: the two lie on the same side of the common tangent plane, as a ball within a sphere does
    domain: for each coordinate (lower, upper), where the contact stays; wherever the surfaces have frames unless given. To be stated where
        the surfaces can nestle against each other, as an egg in the hole of a ring: there the four coordinates are not independent
    rolling: whether they roll on each other without slip, instead of sliding
    """

    rolling: bool = False

    def __init__(
        self,
        parent: ParametricSurface,
        child: ParametricSurface,
        *,
        spin: bool = False,
        angle: Angle = 0.0,
        inside: bool = False,
        domain: Intervals | None = None,
        rolling: bool = False,
    ) -> None:
        for name, surface in (("parent", parent), ("child", child)):
            if not isinstance(surface, ParametricSurface):
                raise wrong("SurfaceContact", name, surface, "a surface such as redmax.surfaces.Sphere(0.1)")
        self.parent, self.child = parent, child
        self.spin, self.inside = flag("SurfaceContact", "spin", spin), flag("SurfaceContact", "inside", inside)
        self.rolling, self.dof = flag("SurfaceContact", "rolling", rolling), 4 + self.spin
        value = float(finite("SurfaceContact", "angle", angle, ((),), "a finite number (rad)"))
        if self.spin and value:
            raise SceneError(
                f"SurfaceContact: angle is {value:g}, but with spin it is a coordinate: set it as q[4] of the body.",
                owner="SurfaceContact",
                argument="angle",
            )
        if not self.spin:
            turn = np.array([np.cos(value), np.sin(value)])
            self.turn = np.where(np.abs(turn) < 4e-16, 0.0, turn)  # exact right angles leave zeros in the kernels
        self.stated = None if domain is None else self.within(domain)

    def within(self, domain: object) -> np.ndarray:
        """The domain stated, (dof, 2), as far as the surfaces reach."""
        from redmax.joints.checks import checked_domain

        lower, upper = np.transpose(checked_domain(domain, self.dof, "SurfaceContact") or ())
        least, most = np.transpose(self.reach)
        if not (np.maximum(lower, least) < np.minimum(upper, most)).all():
            nothing = f"of which nothing is left within that of the surfaces, {self.reach}"
            raise SceneError(f"SurfaceContact: domain is {brief(domain)}, {nothing}.", owner="SurfaceContact", argument="domain")
        return np.stack([np.maximum(lower, least), np.minimum(upper, most)], axis=-1)

    @property
    def discrete(self) -> tuple[tuple[str, ...], ...]:
        return tuple(s.charts for s in (self.parent, self.child) if s.charts) if self.spin else ()

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:  # type: ignore[override]
        return self.reach if self.stated is None else tuple((float(a), float(b)) for a, b in self.stated)

    @property
    def reach(self) -> tuple[tuple[float, float], ...]:
        """Where the surfaces have frames that change smoothly and, with spin, that move with the coordinates."""
        if self.spin:
            return *self.parent.domain, *self.child.domain, (-np.inf, np.inf)
        return *self.parent.frame_domain, *self.child.frame_domain

    def drawing(self) -> Sequence[Drawing]:
        return []  # the bodies show themselves

    def charts(self, q: Array) -> tuple[Any, Any]:
        """The charts in use on the two surfaces; None where there is no choice."""
        numbers = list(q[self.dof :])
        first = numbers.pop(0) if self.spin and self.parent.charts else None
        return first, numbers.pop(0) if self.spin and self.child.charts else None

    def crossing(self, q: Array) -> list[list[Any]]:
        """Q."""
        c, s = (cos(q[4]), sin(q[4])) if self.spin else self.turn
        sign = 1.0 if self.inside else -1.0
        return [[c, 0.0 - s, 0.0], [sign * s, sign * c, 0.0], [0.0, 0.0, sign]]

    def transform(self, q: Array) -> Any:
        one, two = self.charts(q)
        return relative_pose(self.parent.frame(q[0], q[1], one), self.crossing(q), self.child.inverse_frame(q[2], q[3], two))

    def jacobian(self, q: Array) -> Any:
        one, two = self.charts(q)
        G2, T2 = self.child.inverse_frame(q[2], q[3], two), self.child.spatial_twists(q[2], q[3], two)
        return relative_jacobian(self.parent.twists(q[0], q[1], one), self.crossing(q), G2, T2, NORMAL if self.spin else None)

    @property
    def rolls(self) -> int:
        return 2 if self.rolling else 0

    def slip(self, q: Array, qdot: Array) -> Any:
        one, two = self.charts(q)
        Q = array(self.crossing(q))
        w1 = self.parent.twists(q[0], q[1], one)[3:] @ qdot[:2]
        return (w1 - Q @ (self.child.twists(q[2], q[3], two)[3:] @ qdot[2:4]))[:2]

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        sign = -1.0 if not self.inside else 1.0
        slots = [Slot(s, at, turn) for s, at, turn in ((self.parent, 0, sign), (self.child, 2, -1.0)) if s.charts]
        return better_charts(states, self.dof, slots, spin=4) if self.discrete else None
