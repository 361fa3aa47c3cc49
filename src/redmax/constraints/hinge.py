"""Two points that are one and two axes along one line, as in a hinge: five rows.

    g = (x1 - x2;  b1 . a2,  c1 . a2)

a2: the axis on the second body; b1, c1: two directions across the axis on the first, which turn with it. The last two are the sines of
how far the axes are tilted against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.given import Axis, ForceLimits, Frame, FromZero, Gain
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.joints.base import frame_of_axis, unit_axis
from redmax.types import Value


class HingeClosure(Constraint):
    """A loop is closed by a hinge: two points are one, and the axes of the two places stay along one line. Five rows.

    first, second: places on bodies or in the world: bodies, points (with the body's axes), frames, or (body, pose)
    axis: in the axes of the first place; second_axis: in those of the second; the same unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 5
    held = ("first", "second")
    oriented = True

    def __init__(
        self, first: Frame, second: Frame, axis: Axis = "z", second_axis: Axis | None = None, *, name: str | None = None,
        gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)
        along = unit_axis(axis, self.label)
        self.across = frame_of_axis(along)[:3, :2].copy()
        self.along = along if second_axis is None else unit_axis(second_axis, self.label, "second_axis")

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        one, two = sites
        a, across = two.R @ self.along, one.R @ self.across
        return np.concatenate([one.x - two.x, [across[:, 0] @ a, across[:, 1] @ a]])
