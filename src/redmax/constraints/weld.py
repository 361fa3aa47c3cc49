"""Two frames that are one: six rows.

g = (x1 - x2;  2 sin(angle / 2) axis)       of the rotation R1' R2 that is left between them
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.checks import flag
from redmax.components.given import ForceLimits, Frame, FromZero, Gain
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.math import maximum, sqrt
from redmax.types import Array, Value

LEAST = 1e-12  # of 1 + trace R, which vanishes for half a turn


class WeldClosure(Constraint):
    """A loop is closed by a weld: two frames are one. Six rows.

    first, second: places on bodies or in the world: bodies, points (with the body's axes), frames, or (body, pose)
    as_placed: whether the second keeps the pose that it has in the first as the scene begins, instead of coinciding with it
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 6
    held = ("first", "second")
    oriented = True

    def __init__(
        self, first: Frame, second: Frame, *, as_placed: bool = False, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.as_placed = flag(self.label, "as_placed", as_placed)
        self.position, self.rotation = np.zeros(3), np.eye(3)  # of the second in the first

    def settled(self, sites: Sequence[Site]) -> Self:
        if not self.as_placed:
            return self
        one, two = sites
        return self.replaced(position=one.R.T @ (two.x - one.x), rotation=one.R.T @ two.R)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        one, two = sites
        return np.concatenate([one.x + one.R @ self.position - two.x, turned_by((one.R @ self.rotation).T @ two.R)])


def turned_by(R: Array) -> Any:
    """2 sin(angle / 2) axis of a rotation: smooth, and growing, up to half a turn."""
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]], object)
    return w / sqrt(maximum(1.0 + R[0, 0] + R[1, 1] + R[2, 2], LEAST))
