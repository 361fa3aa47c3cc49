"""A point that stays in a plane: one row, g = n . (x - x0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.given import Axis, ForceLimits, Frame, FromZero, Gain, Place
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.joints.base import unit_axis
from redmax.types import Value


class PointInPlane(Constraint):
    """A point stays in a plane that is fixed to a body or to the world: one row.

    point: of a body or of the world; plane: a place in it, with axes: a point of the world, a body, a frame, or (body, pose)
    normal: of the plane, in the axes of that place
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance (m/N): 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("point", "plane")
    oriented = True

    def __init__(
        self, point: Place, plane: Frame = (0.0, 0.0, 0.0), normal: Axis = "z", *, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.hold((point, plane), name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.normal = unit_axis(normal, self.label, "normal")

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        point, plane = sites
        return [(plane.R @ self.normal) @ (point.x - plane.x)]
