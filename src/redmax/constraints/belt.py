"""A belt, or a cable, that neither stretches nor slips on its pulleys: one row of velocities for each straight span from body to body.

    s = u . (v_b - v_a)         v: of the material of the bodies, where the span from a to b touches them

Their sum is the rate of the length of all spans and arcs, which is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from redmax.components.checks import flag
from redmax.components.given import ForceLimits, FromZero, Gain
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.pulley import Course, Pulley, RopePoint
from redmax.forces.frames import crossed
from redmax.types import Value


class Belt(Constraint):
    """A belt that neither stretches nor slips on its pulleys, which it turns: a row of velocities for each straight span from body to body.

    path: Pulleys and points, in their order; closed: whether it goes on from the last to the first
    Around pulleys whose centres keep their distance the rows of a closed belt repeat each other, which does no harm. Where centres move,
    nothing holds the length but its rate: Rope(path, closed=True, slack=False) beside it does.
    gain (1/s): how quickly a slip is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    held = ("path",)
    oriented = True
    of_velocities = True

    def __init__(
        self, path: Sequence[RopePoint], *, closed: bool = True, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.course = Course(self.label, "path", path, flag(self.label, "closed", closed))
        self.hold(
            [p.centre if isinstance(p, Pulley) else p for p in path], name, gain=gain, compliance=compliance, force_limits=force_limits
        )
        members = [a.member for a in self.anchors]
        self.crossing = tuple(k for k, (a, b) in enumerate(self.course.pairs) if members[a] != members[b])  # within a body nothing moves
        self.size = len(self.crossing)

    def settled(self, sites: Sequence[Site]) -> Self:
        self.course.check(self.label, "path", sites)
        return self

    def speed(self, sites: Sequence[Site], t: Value) -> Any:
        rows: list[Any] = []
        for k in self.crossing:
            a, b = self.course.pairs[k]
            span, one, two = self.course.span(sites, a, b), sites[a], sites[b]
            rows.append(span.along @ (two.v + crossed(two.omega, span.end) - one.v - crossed(one.omega, span.start)))
        return rows
