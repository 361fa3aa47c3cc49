"""PrescribedPoint: a point that goes where a function of time says: three rows, g = x - p(t)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.checks import finite
from redmax.components.given import ForceLimits, Frame, FromZero, Gain, Place, VectorOfTime
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.forces.given import of_time, vector_at
from redmax.types import Value

VALID = "three finite numbers (m), or a function of t that returns three"


class PrescribedPoint(Constraint):
    """A point of a body goes where a function of time says, as a hand that is led: three rows. What that takes is its multipliers (N).

    point: of a body; position: function of t (s) -> (x, y, z) (m), or a constant point
    relative_to: in whose axes, from whose origin: a body, a frame, or (body, pose); the world, unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance (m/N): 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 3
    held = ("point", "relative_to")
    oriented = True

    def __init__(
        self, point: Place, position: VectorOfTime, *, relative_to: Frame | None = None, name: str | None = None,
        gain: Gain | None = None, compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        places = point, (0.0, 0.0, 0.0) if relative_to is None else relative_to
        self.hold(places, name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.position = position
        if callable(position):
            of_time(self.label, "position", position)
        else:
            self.position = finite(self.label, "position", position, ((3,),), VALID)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        point, base = sites
        return point.x - base.x - base.R @ vector_at(self.label, "position", self.position, t)
