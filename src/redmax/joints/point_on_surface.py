"""A body that slides on a surface of its parent (Si & Guenter Fig. 4: a board that follows the tangent plane).

tangent:  E = F(u, v) Rz(spin)         the child's z axis is the normal
fixed:    E = (1, x(u, v))             the child keeps the parent's orientation
free:     E = (exp(w), x(u, v))        a point of the child slides, the child turns about it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from redmax.components.checks import flag
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.joints.charts import Slot, better_charts
from redmax.joints.drawing import Drawing
from redmax.joints.spherical import rewind
from redmax.joints.swept import drawn_range, traced
from redmax.lie import se3, so3
from redmax.lie.three import product, rows, split, times, transpose
from redmax.math import array, cos, sin
from redmax.surfaces.base import ParametricSurface
from redmax.trace.local import derivatives
from redmax.types import Array

DOF = {"tangent": 2, "fixed": 2, "free": 5}


class PointOnSurface(Joint):
    """The child's origin slides on a surface given in the parent's frame. q = (u, v), then the spin or the rotation vector w (rad).

    orientation: "tangent": the child's z axis is the normal, x along u; "fixed": it keeps the parent's orientation; "free": it may turn
    spin: whether a tangent child may turn about the normal
    inside: the z axis of a tangent child points inwards, as that of one that slides within the surface
    rolling: whether the point does not slip: it stays where it touches, and the child turns about it
    """

    rolling: bool = False

    def __init__(
        self,
        surface: ParametricSurface,
        orientation: Literal["tangent", "fixed", "free"] = "tangent",
        *,
        spin: bool = False,
        inside: bool = False,
        rolling: bool = False,
    ) -> None:
        if not isinstance(surface, ParametricSurface):
            raise wrong("PointOnSurface", "surface", surface, "a surface such as redmax.surfaces.Sphere(0.1)")
        if not isinstance(orientation, str) or orientation not in DOF:
            raise wrong("PointOnSurface", "orientation", orientation, f"one of {', '.join(map(repr, DOF))}")
        spin, inside = flag("PointOnSurface", "spin", spin), flag("PointOnSurface", "inside", inside)
        if (spin or inside) and orientation != "tangent":
            raise SceneError(
                f"PointOnSurface: spin and inside are of a tangent child, but orientation is {orientation!r}. Leave them out.",
                owner="PointOnSurface",
                argument="spin" if spin else "inside",
            )
        self.surface = surface
        self.orientation = orientation
        self.spin, self.inside = spin, inside
        self.rolling, self.dof = flag("PointOnSurface", "rolling", rolling), DOF[orientation] + self.spin

    @property
    def discrete(self) -> tuple[tuple[str, ...], ...]:
        return (self.surface.charts,) if self.surface.charts and self.charted else ()

    @property
    def charted(self) -> bool:
        """Whether a change of charts can leave the pose alone: without spin, the tangent frame is that of the one chart."""
        return self.spin or self.orientation != "tangent"

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:  # type: ignore[override]
        own = self.surface.domain if self.charted else self.surface.frame_domain
        return *own, *[(-np.inf, np.inf)] * (self.dof - 2)

    def drawing(self) -> Sequence[Drawing]:
        ranges = [drawn_range(*side) for side in zip(self.surface.domain, self.surface.periods)]
        return traced(lambda u, v, t: self.surface.point(u, v), ranges)

    def chart_of(self, q: Array) -> Any:
        return q[self.dof] if self.discrete else None

    def turn(self, q: Array) -> list[list[Any]]:
        """The child's axes in those of the surface."""
        c, s = (cos(q[2]), sin(q[2])) if self.spin else (1.0, 0.0)
        sign = -1.0 if self.inside else 1.0
        return [[c, 0.0 - s, 0.0], [sign * s, sign * c, 0.0], [0.0, 0.0, sign]]

    def transform(self, q: Array) -> Any:
        chart = self.chart_of(q)
        if self.orientation == "tangent":
            F = self.surface.frame(q[0], q[1], chart)
            return se3.pose(array(product(rows(F[..., :3, :3]), self.turn(q))), F[..., :3, 3])
        return se3.pose(np.eye(3) if self.orientation == "fixed" else so3.exp(q[2:5]), self.surface.point(q[0], q[1], chart))

    def jacobian(self, q: Array) -> Any:
        chart = self.chart_of(q)
        if self.orientation == "tangent":
            Qt = transpose(self.turn(q))
            columns = [times(Qt, c[:3]) + times(Qt, c[3:]) for c in transpose(rows(self.surface.twists(q[0], q[1], chart)))]
            return array(transpose(columns + [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]] * self.spin))
        slides = [split(d) for d in derivatives(lambda u, v: self.surface.point(u, v, chart), q[:2], [(0,), (1,)])]
        if self.orientation == "fixed":
            return array(transpose([[0.0, 0.0, 0.0, *d] for d in slides]))
        Rt = transpose(rows(so3.exp(q[2:5])))
        turns = transpose(rows(so3.dexp_right(q[2:5])))
        return array(transpose([*[[0.0, 0.0, 0.0, *times(Rt, d)] for d in slides], *[[*w, 0.0, 0.0, 0.0] for w in turns]]))

    @property
    def rolls(self) -> int:
        return 2 if self.rolling else 0

    def slip(self, q: Array, qdot: Array) -> Any:
        return (self.surface.twists(q[0], q[1], self.chart_of(q))[3:] @ qdot[:2])[:2]

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        new = list(states)
        if self.discrete:
            slot = Slot(self.surface, 0, -1.0 if self.inside else 1.0)
            new = better_charts(new, self.dof, [slot], spin=2 if self.spin else None)
        if self.orientation == "free":
            wound = rewind([(q[2:5], qdot[2:5]) for q, qdot in new])
            new = [(array([*q[:2], *w, *q[5:]]), array([*qdot[:2], *wdot])) for (q, qdot), (w, wdot) in zip(new, wound, strict=True)]
        return new if self.discrete or self.orientation == "free" else None
