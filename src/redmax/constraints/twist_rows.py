"""Some of a body's twist follows a function of time: rows of velocities in body axes (RedMax notes Sec. 2.9, with rows of J as G).

    s = (R' omega; R' v)_rows - target(t, R)

lambda is the wrench on the body along these rows, in body axes. The rate of the target is exact: along time and along Rdot = [omega] R, or
as the user gives it. No position is held, so that nothing is taken back. A target that cannot be traced is called wherever rows are looked
at (dynamics/common/called_rows.py): its values and their rates are what the constraint carries, and rows see them as numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from redmax.components.handles import BodyHandle
from redmax.components.holding import Holding, Site
from redmax.constraints.base import Constraint, unused
from redmax.constraints.prescribed_twist import PrescribedTwist
from redmax.errors import TraceError
from redmax.lie import so3
from redmax.math import frozen
from redmax.trace import Graph
from redmax.trace.vector import vector_of
from redmax.types import Value

HERE = (0.0, 0.0, 0.0)
STEP = 1e-5  # s, of the differences by which the rate of a target is found that can neither be traced nor is given


class TwistRows(Constraint):
    """The rows of one twist that `scene.prescribe_twist` prescribes."""

    of_velocities = True
    oriented = True
    sees_world = True
    own = (*Holding.own, "twist")

    def __init__(self, twist: PrescribedTwist, body: BodyHandle, name: str) -> None:
        self.twist, self.rows_of_twist = twist, twist.rows
        self.size = len(twist.rows)
        if traceable(twist):
            self.velocity, self.acceleration = twist.velocity, twist.acceleration
        else:
            self.carries = 2 * self.size
        self.hold((body, HERE), name, gain=0.0)

    def speed(self, sites: Sequence[Site], t: Value) -> Any:
        site = sites[0]
        twist = np.concatenate([site.R.T @ site.omega, site.R.T @ site.v])
        return twist[list(self.rows_of_twist)] - self.target(t, site.R)

    def called(self, t: float, R: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The target and its rate as numbers, while the body turns with w (rad/s, body axes)."""
        v = self.twist.target(t, R)
        if self.twist.acceleration is not None:
            return np.concatenate([v, self.twist.target_rate(t, R, w)])
        before, after = (self.twist.target(t + e, R @ so3.exp(e * w)) for e in (-STEP, STEP))
        return np.concatenate([v, (after - before) / (2 * STEP)])

    def target(self, t: Value, R: Any) -> Any:
        """What the rows are to be, with the rate that the user gives it, if any."""
        if self.carries:
            told = self.carried[0]
            return told[: self.size] + (t - frozen(t)) * told[self.size :]
        v = self.twist.traced(t, R)
        if self.acceleration is None:
            return v
        still = np.array([frozen(x) for x in R.ravel()], object).reshape(3, 3)
        a = self.twist.sized(self.acceleration(frozen(t), still), "acceleration", object)
        return np.array([frozen(x) for x in v], object) + (t - frozen(t)) * a


def traceable(twist: PrescribedTwist) -> bool:
    """Whether its functions can be traced, as not all that users write can."""
    graph = Graph()
    t, R = graph.input("t", 0), vector_of(graph.inputs("R", 9)).reshape(3, 3)
    try:
        twist.differentiated(t, R, graph.inputs("w", 3))
        twist.traced(t, R)
    except TraceError:
        return False
    return True


def rows_of_twists(twists: Sequence[PrescribedTwist], taken: Iterable[str]) -> list[TwistRows]:
    """The twists of a scene as constraints, under names that no other has."""
    names = unused([f"twist of {twist.name}" for twist in twists], taken)
    return [TwistRows(twist, BodyHandle(twist.name, twist.body, ""), name) for twist, name in zip(twists, names, strict=True)]
