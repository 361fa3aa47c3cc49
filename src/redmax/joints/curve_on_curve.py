"""Two curves that touch with their tangents aligned and slide along each other (the curve-curve joint of Si & Guenter Sec. 1).

E = F1(s1) Rx(spin) F2(s2)^-1, with F1 and F2 the tangent frames of the parent's and the child's curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.checks import flag
from redmax.components.given import Vector3
from redmax.curves.base import ParametricCurve
from redmax.errors import Phrase, wrong
from redmax.joints.base import Joint
from redmax.joints.curve_joint import about_x
from redmax.joints.drawing import Drawing, Side
from redmax.joints.swept import drawn_range, traced
from redmax.joints.tangent_frame import TangentFrame, checked_up
from redmax.joints.touching import relative_jacobian, relative_pose
from redmax.math import array
from redmax.types import Array

STILL = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
TANGENT = [1.0, 0.0, 0.0]


class CurveOnCurve(Joint):
    """The child's curve touches the parent's, each given in its body's joint frame. q = (s1, s2), and the spin about the tangent (rad).

    parent_up, child_up: directions that the tangents never have; without spin, the frames that they define stay aligned
    rolling: whether they roll on each other without slip, instead of sliding
    """

    rolling: bool = False

    def __init__(
        self,
        parent: ParametricCurve,
        child: ParametricCurve,
        *,
        spin: bool = False,
        parent_up: Vector3 = (0.0, 0.0, 1.0),
        child_up: Vector3 = (0.0, 0.0, 1.0),
        rolling: bool = False,
    ) -> None:
        for name, curve in (("parent", parent), ("child", child)):
            if not isinstance(curve, ParametricCurve):
                raise wrong("CurveOnCurve", name, curve, "a curve such as redmax.curves.Bezier(points)")
        self.parent, self.child = parent, child
        self.parent_up = checked_up(Phrase("CurveOnCurve: parent", "CurveOnCurve"), parent, parent_up, ("parent", "parent_up"))
        self.child_up = checked_up(Phrase("CurveOnCurve: child", "CurveOnCurve"), child, child_up, ("child", "child_up"))
        self.spin = flag("CurveOnCurve", "spin", spin)
        self.rolling, self.dof = flag("CurveOnCurve", "rolling", rolling), 2 + self.spin

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:  # type: ignore[override]
        return self.parent.domain, self.child.domain, *[(-np.inf, np.inf)] * self.spin

    def drawing(self) -> Sequence[Drawing]:
        sides: tuple[tuple[ParametricCurve, Side], ...] = ((self.parent, "parent"), (self.child, "child"))
        return [d for curve, on in sides for d in traced(lambda s, t, c=curve: c.point(s), [drawn_range(curve.domain, curve.period)], on)]

    def frames(self) -> tuple[TangentFrame, TangentFrame]:
        return TangentFrame(self.parent, self.parent_up), TangentFrame(self.child, self.child_up)

    @property
    def rolls(self) -> int:
        return int(self.rolling)

    def slip(self, q: Array, qdot: Array) -> Any:
        one, two = self.frames()
        return array([one.twists(q[0])[3, 0] * qdot[0] - two.twists(q[1])[3, 0] * qdot[1]])

    def transform(self, q: Array) -> Any:
        one, two = self.frames()
        return relative_pose(one.frame(q[0]), about_x(q[2]) if self.spin else STILL, two.inverse_frame(q[1]))

    def jacobian(self, q: Array) -> Any:
        one, two = self.frames()
        Q, axis = (about_x(q[2]), TANGENT) if self.spin else (STILL, None)
        return relative_jacobian(one.twists(q[0]), Q, two.inverse_frame(q[1]), two.spatial_twists(q[1]), axis)
