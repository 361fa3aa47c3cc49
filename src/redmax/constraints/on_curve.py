"""A point that stays on a curve: two rows, across the curve where the point is.

    y = R1' (x2 - x1),    e = y - c(s),    c'(s) . e = 0,    g = N' e,    N' c' = 0,  N' N = 1

s: the parameter of the curve, found from where the point is and carried along (constraints/carried.py), at the rate that keeps c' . e zero,

    sdot = c' . ydot / (c' . c' - c'' . e),

so that gdot and gddot are exact, on the curve and beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.given import ForceLimits, Frame, FromZero, Gain, Place
from redmax.components.holding import Site
from redmax.constraints.carried import Carrying
from redmax.constraints.complement import complement
from redmax.curves.base import ParametricCurve
from redmax.errors import SceneError
from redmax.forces.frames import crossed
from redmax.math import less, where
from redmax.trace import Table
from redmax.types import Value

PLACES = 64  # where the search begins, of a curve that ends or closes
WIDE, CLOSE = 20 * np.pi, 0.2  # of others: how far, and how closely, places lie


class PointOnCurve(Carrying):
    """A point stays on a curve of another body, or of the world. Two rows.

    point: of a body or of the world; curve: such as redmax.curves.Helix(0.3, 0.1), in the axes of the place `on`, (0, 0, 0) of the world
        unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 2
    carries = 1
    slides = 1
    shown = 1
    oriented = True
    held = ("point", "on")

    def __init__(
        self,
        point: Place,
        curve: ParametricCurve,
        on: Frame = (0.0, 0.0, 0.0),
        *,
        name: str | None = None,
        gain: Gain | None = None,
        compliance: FromZero = 0.0,
        force_limits: ForceLimits | None = None,
    ) -> None:
        self.hold((point, on), name, gain=gain, compliance=compliance, force_limits=force_limits)
        if not isinstance(curve, ParametricCurve):
            valid = "a curve such as redmax.curves.Circle(0.3)"
            raise SceneError(f"The curve of {self.label} must be {valid}. Got {brief(curve)}.", owner=self.label, argument="curve")
        self.curve = curve
        places = curve_places(curve)
        self.places, self.starts = Table(places), len(places)

    def seen(self, sites: Sequence[Site]) -> Any:
        """Where the point is, in the axes of the curve."""
        point, on = sites
        return on.R.T @ (point.x - on.x)

    def velocity(self, sites: Sequence[Site]) -> Any:
        """The rate of that."""
        point, on = sites
        return on.R.T @ (point.v - on.v - crossed(on.omega, point.x - on.x))

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        q, delta = self.carried
        c, slope, _ = self.curve.derivatives(q[0] + delta[0])
        return complement(slope[:, None]).T @ (self.seen(sites) - c)

    def sliding(self, sites: Sequence[Site], t: Value) -> Any:
        q, delta = self.carried
        c, slope, bend = self.curve.derivatives(q[0] + delta[0])
        return [(slope @ self.velocity(sites)) / (slope @ slope - bend @ (self.seen(sites) - c))]

    def beginning(self, sites: Sequence[Site], number: Value, t: Value) -> tuple[Any, Any]:
        s = self.places[number]
        e = self.seen(sites) - np.asarray(self.curve.point(s), object)
        return [s], e @ e

    def improved(self, sites: Sequence[Site], q: Any, delta: Any, t: Value) -> tuple[Any, Any]:
        c, slope, bend = self.curve.derivatives(q[0])
        e, square = self.seen(sites) - c, slope @ slope
        curved = square - bend @ e
        step = (slope @ e) / where(less(0.5 * square, curved), curved, square)  # far from the curve, as if it were straight
        return [q[0] + step], [step]


def curve_places(curve: ParametricCurve) -> np.ndarray:
    """Parameters over a curve, or over as much of one without ends as there is room for."""
    low, high = curve.domain
    if np.isfinite([low, high]).all():
        return low + (high - low) * np.arange(PLACES + 1) / PLACES
    here, there = (np.asarray(curve.point(s), float) for s in (0.3, 0.3 + (curve.period or 0.0)))
    if curve.period is not None and np.allclose(here, there):
        return curve.period * np.arange(PLACES) / PLACES
    return np.arange(-WIDE, WIDE, CLOSE)
