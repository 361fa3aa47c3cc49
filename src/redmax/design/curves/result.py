"""What a fit of a curve gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import finite
from redmax.design.curves.chains import chain
from redmax.design.curves.descent import Iteration
from redmax.design.curves.smoothing import bending
from redmax.design.curves.spans import Spans, make_spans
from redmax.design.curves.windows import places, windows
from redmax.design.left_over import LeftOver
from redmax.joints.spline_curve import SplineCurve
from redmax.types import Array


@dataclass(frozen=True)
class CurveFit(LeftOver):
    """A joint fitted to poses, how near it comes to them, and how it was found.

    joint: it, whose coordinate is the parameter of the poses
    frames: (n, 4, 4) its control frames (m); knots: those it was made with. Both make one with limits at its ends:
        `SplineCurve(fit.frames, knots=fit.knots, outside="limit", limit_stiffness=20)`
    parameters: (N,) where on it each pose is
    residuals: (N, 6) log(G(q)^-1 G_k), rad and m in the axes of the joint's frame; NaN where a pose was missing
    objective: the weighted sum that was made least; gradient: (n, 6) of it by body twists of the control frames
    smoothing: the weight of the bending; metric: (6, 6) what residuals and bending are measured with
    log: what each iteration did; reason: a sentence why the last one was the last; converged: whether it ended at a stationary point
    """

    joint: SplineCurve
    frames: Array = field(repr=False)
    knots: Array = field(repr=False)
    parameters: Array = field(repr=False)
    residuals: Array = field(repr=False)
    objective: float
    gradient: Array = field(repr=False)
    log: tuple[Iteration, ...] = field(repr=False)
    reason: str
    converged: bool
    smoothing: float = 0.0
    metric: Array = field(default_factory=lambda: np.eye(6), repr=False)

    def poses(self, q: ArrayLike) -> Array:
        """(N, 4, 4) where the joint is at many values (N,) of its coordinate, all at once."""
        values = finite("CurveFit.poses", "q", q, ((-1,),), "numbers (N,): values of the coordinate")
        at, order = places(self.spans, values)
        bound = chain(self.spans, self.frames)
        found = np.empty((len(values), 4, 4))
        found[order] = windows(bound.starts, bound.twists, at).G
        return found

    @cached_property
    def bending(self) -> float:
        """The integral of the squared joint Hessian |dS/dq|^2 over the curve."""
        bends, bound = bending(self.spans, self.metric), chain(self.spans, self.frames)
        return bends.value(windows(bound.starts, bound.twists, bends.at))

    @cached_property
    def spans(self) -> Spans:
        """The pieces of the curve."""
        axis = self.joint.axis
        return make_spans("CurveFit", axis.count, axis.order, self.knots, axis.cyclic)
