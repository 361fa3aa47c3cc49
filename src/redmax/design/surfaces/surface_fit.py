"""What a fit of a surface gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from redmax.design.curves.descent import Iteration
from redmax.design.left_over import LeftOver
from redmax.joints.spline_surface import SplineSurface
from redmax.joints.twist_surface import TwistSurface
from redmax.types import Array


@dataclass(frozen=True)
class SurfaceFit(LeftOver):
    """A joint of one to three parameters fitted to poses, how near it comes to them, and how it was found.

    joint: it, a TwistSurface or a SplineSurface, whose coordinates are the parameters
    values: (n1, .., 6) its control values; base: (4, 4); knots: for each parameter those it was made with
    parameters: (N, dof) where on it each pose is, as given or found
    residuals: (N, 6) log(G(q)^-1 G_k), rad and m in the axes of the joint's frame; NaN where a pose was missing
    objective: the weighted sum, with the smoothing, that was made least; gradient: (n1, .., 6) of it by the control values
    log: what each iteration did; reason: a sentence why the last one was the last; converged: whether it ended at a stationary point
    """

    joint: TwistSurface | SplineSurface
    values: Array = field(repr=False)
    base: Array = field(repr=False)
    knots: tuple[Array, ...] = field(repr=False)
    parameters: Array = field(repr=False)
    residuals: Array = field(repr=False)
    objective: float
    gradient: Array = field(repr=False)
    log: tuple[Iteration, ...] = field(repr=False)
    reason: str
    converged: bool
