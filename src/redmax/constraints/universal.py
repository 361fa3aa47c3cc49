"""Two points that are one and two axes at a right angle, as in the cross of a universal joint: four rows.

g = (x1 - x2;  a1 . a2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.given import Axis, ForceLimits, Frame, FromZero, Gain
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.joints.base import unit_axis
from redmax.types import Value


class UniversalClosure(Constraint):
    """A loop is closed by a universal joint: two points are one, and an axis of each place stays across the other's. Four rows.

    first, second: places on bodies or in the world: bodies, points (with the body's axes), frames, or (body, pose)
    axis: in the axes of the first place; second_axis: in those of the second; x and y, as of the joint Universal
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 4
    held = ("first", "second")
    oriented = True

    def __init__(
        self, first: Frame, second: Frame, axis: Axis = "x", second_axis: Axis = "y", *, name: str | None = None,
        gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.axes = np.array([unit_axis(axis, self.label), unit_axis(second_axis, self.label, "second_axis")])

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        one, two = sites
        return np.concatenate([one.x - two.x, [(one.R @ self.axes[0]) @ (two.R @ self.axes[1])]])
