"""A body that follows a curve of its parent (Si & Guenter Fig. 3: a torus whose axis stays along a spline)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from redmax.components.checks import check_rigid, finite, flag
from redmax.components.from_function import check_call
from redmax.components.given import CalledWith, Vector3
from redmax.curves.base import ParametricCurve
from redmax.errors import Phrase, wrong
from redmax.joints.base import Joint
from redmax.joints.drawing import Drawing
from redmax.joints.swept import drawn_range, traced
from redmax.joints.tangent_frame import TangentFrame, checked_up
from redmax.lie import se3
from redmax.lie.three import product, rows, times, transpose
from redmax.math import array, cos, sin
from redmax.trace.blame import Blaming
from redmax.types import Array, ValueOrArray


class CurveJoint(Joint):
    """The child's origin follows a curve given in the parent's frame. q = s, the curve's parameter, and the spin (rad).

    frame: "tangent": the child's x axis is along the curve, its z axis towards `up` (a direction the tangent never has);
        "fixed": the child keeps the parent's orientation; or a function s -> R (3, 3) of the child's axes in the parent's
    spin: whether the child may turn about its x axis
    """

    @Blaming()
    def __init__(
        self,
        curve: ParametricCurve,
        frame: Annotated[Literal["tangent", "fixed"] | Callable[[Any], Any], CalledWith(s=())] = "tangent",
        *,
        up: Vector3 = (0.0, 0.0, 1.0),
        spin: bool = False,
    ) -> None:
        if not isinstance(curve, ParametricCurve):
            raise wrong("CurveJoint", "curve", curve, "a curve such as redmax.curves.Bezier(points)")
        if not callable(frame) and not (isinstance(frame, str) and frame in ("tangent", "fixed")):
            raise wrong("CurveJoint", "frame", frame, "'tangent', 'fixed', or a function s -> R (3, 3)")
        self.curve = curve
        self.frame, self.spin = frame, flag("CurveJoint", "spin", spin)
        self.dof = 1 + self.spin
        if frame == "tangent":
            self.up = checked_up("CurveJoint", curve, up, ("curve", "up"))
        elif callable(frame):
            check_axes(frame, curve)

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:  # type: ignore[override]
        return self.curve.domain, *[(-np.inf, np.inf)] * self.spin

    def drawing(self) -> Sequence[Drawing]:
        return traced(lambda s, t: self.curve.point(s), [drawn_range(self.curve.domain, self.curve.period)])

    def followed(self, s: ValueOrArray) -> Any:
        """The pose without spin."""
        if self.frame == "tangent":
            return TangentFrame(self.curve, self.up).frame(s)
        return se3.pose(self.frame(s) if callable(self.frame) else np.eye(3), self.curve.point(s))

    def transform(self, q: Array) -> Any:
        F = self.followed(q[0])
        return se3.pose(array(product(rows(F[..., :3, :3]), about_x(q[1]))), F[..., :3, 3]) if self.spin else F

    def jacobian(self, q: Array) -> Any:
        if callable(self.frame):
            return None
        if self.frame == "tangent":
            S = TangentFrame(self.curve, self.up).twists(q[0])
        else:
            S = array([[0.0], [0.0], [0.0], *[[x] for x in self.curve.derivatives(q[0])[1]]])
        if not self.spin:
            return S
        (column,), back = transpose(rows(S)), transpose(about_x(q[1]))
        return array(transpose([times(back, column[:3]) + times(back, column[3:]), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))


def about_x(angle: Any) -> list[list[Any]]:
    c, s = cos(angle), sin(angle)
    return [[1.0, 0.0, 0.0], [0.0, c, 0.0 - s], [0.0, s, c]]


def check_axes(frame: Callable[[Any], Any], curve: ParametricCurve) -> None:
    """Raise unless the function gives rotations along the curve."""
    check_call("CurveJoint: frame", frame, ("s",), {}, owner="CurveJoint", argument="frame")
    for s in curve.sample(5):
        E = np.eye(4)
        said = Phrase(f"frame({s:g})", "frame")
        E[:3, :3] = finite("CurveJoint", said, frame(float(s)), ((3, 3),), "a rotation (3, 3)")
        check_rigid("CurveJoint", said, E)
