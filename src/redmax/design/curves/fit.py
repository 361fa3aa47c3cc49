"""Fit a spline joint to measured poses: the control frames that make sum_k w_k rho(|log(G(q_k)^-1 G_k)|^2) least.

Lee and Terzopoulos (2008), Sec. 6.2, with exact derivatives in the place of their approximations; `descent` has the iteration, `misfit` and
`chains` the derivatives, `bands` the linear algebra.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import number, whole
from redmax.design.curves import given
from redmax.design.curves.descent import Descent, Iteration, descend
from redmax.design.curves.knots import with_more
from redmax.design.curves.loss import Loss, Squares
from redmax.design.curves.misfit import Misfit
from redmax.design.curves.objective import AtFrames, Objective
from redmax.design.curves.result import CurveFit
from redmax.design.curves.smoothing import bending
from redmax.design.curves.smoothing_weight import WAYS, Way, by_cross_validation, by_l_curve
from redmax.design.curves.spans import Spans, make_spans
from redmax.design.curves.start import start
from redmax.design.curves.windows import places, windows
from redmax.design.metric import Metric, metric_matrix
from redmax.errors import SceneError, wrong
from redmax.joints.frame_product import NEAR_PI, checked_frames
from redmax.joints.spline_curve import SplineCurve
from redmax.types import Array, Given

OWNER = "fit_curve"
ROUGHLY = 1e-5  # of gradients of milder losses, where the fit with the one that is asked for begins
SPLITS = 12  # times that frames are put between others that came half a turn apart


def fit_curve(
    poses: ArrayLike,
    parameters: ArrayLike,
    *,
    frames: int | None = None,
    order: int = 4,
    knots: ArrayLike | Literal["clamped", "uniform"] | None = None,
    cyclic: bool = False,
    period: float | None = None,
    weights: Given = None,
    metric: Metric | None = None,
    loss: Loss | None = None,
    smoothing: float | Way | None = None,
    initial: Given = None,
    tolerance: float = 1e-14,
    iterations: int = 100,
) -> CurveFit:
    """The spline joint that comes nearest to poses, by least squares of log(G(q)^-1 G_k), or with a robust loss.

    poses: (N, 4, 4) (m). One that is NaN is missing; of one whose position is NaN the rotation counts.
    parameters: (N,) the coordinate of the joint at each, in any order
    frames: how many control frames it has; None for as many as poses, through all of which it then passes
    order: 4 is cubic; any order above
    knots: None or "clamped" for pieces of one length, the ends repeated so that the joint begins and ends at a control frame; "uniform" for
        pieces of one length and nothing else; or numbers, as `SplineCurve` takes them. None with as many frames as poses: means of
        parameters, with which all poses can be met
    cyclic, period: whether the motion begins again, and after how much of the parameter
    weights: (N,) of poses, or (N, 6) of the components of their residuals, three turning and three moving
    metric: None for the plain norm of a residual, whose 6 numbers are rad and m; or as of `pose_distances`: a length, weights, a body
    loss: Huber, Cauchy or Tukey instead of squares, so that outliers count less
    smoothing: the weight of the integral of the squared joint Hessian |dS/dq|^2, which is added; or how to find it: "cross-validation", or
        "l-curve". There may then be more frames than poses.
    initial: (n, 4, 4) control frames to begin with, instead of those of a linear fit of positions and quaternions
    tolerance: of the longest entry of the gradient for each pose (its weight); iterations: how many at most

    Fitted frames that come half a turn apart, which no joint can have, get others between them, and the fit goes on with these.
    """
    found = given.data(OWNER, poses, parameters, weights, repeated=True)
    shape = given.shape(OWNER, found.q, frames, order, knots, cyclic, period)
    if loss is not None and not isinstance(loss, Loss):
        raise wrong(OWNER, "loss", loss, "rm.Huber(scale), rm.Cauchy(scale) or rm.Tukey(scale)")
    number(OWNER, "tolerance", tolerance, "a number from 0 up", least=0)
    whole(OWNER, "iterations", iterations, 0)
    smooth = checked_smoothing(smoothing)
    problem = Problem(found, metric_matrix(metric, OWNER), loss or Squares(), float(tolerance), int(iterations), smoothing=smooth)
    return solved(problem, shape, None if initial is None else checked_initial(initial, shape.count))


@dataclass(frozen=True)
class Problem:
    """What stays the same when frames are added."""

    data: given.Data
    metric: Array
    loss: Loss
    tolerance: float
    iterations: int
    exact: bool = True
    smoothing: float | Way = 0.0

    def rough(self, point: AtFrames) -> AtFrames:
        """Near the minimum: where another objective goes on."""
        return descend(point, ROUGHLY * self.data.total, self.iterations, exact=False).point


def solved(problem: Problem, shape: given.Shape, C: Array | None) -> CurveFit:
    """With more frames where they come half a turn apart."""
    log: list[Iteration] = []
    notes: list[str] = []
    for _ in range(SPLITS):
        spans = make_spans(OWNER, shape.count, shape.order, shape.knots, shape.cyclic)
        descent, order = descended(problem, spans, C)
        log += descent.log
        angles = np.linalg.norm(descent.point.chain.z[:, :3], axis=1)
        wide = np.flatnonzero(angles > np.pi - NEAR_PI)
        if not len(wide):
            return result(problem, spans, descent, order, tuple(log), notes)
        knots = with_more(shape.knots, shape.order, shape.cyclic, wide)
        count = given.places_of_knots.count_of(OWNER, knots, shape.order, shape.cyclic)
        pair = f"{wide[0]} and {(wide[0] + 1) % shape.count}"
        notes.append(f"Frames {pair} came half a turn apart: there are {count} frames now instead of {shape.count}.")
        shape, C = given.Shape(shape.order, knots, shape.cyclic, count), None
    why = "The data do not determine them, or turn faster than knots can follow"
    fix = "Fit fewer frames or smooth the curve; poses that follow each other less than half a turn apart determine which way round it goes"
    raise SceneError(f"{OWNER}: frames keep coming half a turn apart. {why}. {fix}.", owner=OWNER, argument="frames")


def descended(problem: Problem, spans: Spans, initial: Array | None) -> tuple[Descent[AtFrames], Array]:
    """From where it starts to a minimum; and which pose is at each place."""
    data = problem.data
    at, order = places(spans, data.q)
    W = given.metric_of(problem.metric, None if data.components is None else data.components[order])
    misfit = Misfit(at, data.poses[order], W, data.weights[order], problem.loss)
    bends = bending(spans, problem.metric) if problem.smoothing else None
    weight = 0.0 if isinstance(problem.smoothing, str) else problem.smoothing
    C = start(spans, data.q, data.poses, data.weights) if initial is None else initial
    first = AtFrames(Objective(spans, misfit, bends, weight), C)
    if isinstance(problem.smoothing, str):
        first = with_weight(problem, first, problem.smoothing)
    elif initial is None:
        for loss in problem.loss.milder:
            milder = replace(first.of, misfit=replace(misfit, loss=loss))
            first = AtFrames(first.of, problem.rough(AtFrames(milder, first.C)).C)
    return descend(first, problem.tolerance * data.total, problem.iterations, problem.exact), order


def with_weight(problem: Problem, point: AtFrames, way: Way) -> AtFrames:
    """The weight of smoothing found, for squares even where the loss is another: outliers would count as what smoothing leaves."""
    mildest = replace(point.of.misfit, loss=(*problem.loss.milder, problem.loss)[0])
    near = AtFrames(replace(point.of, misfit=mildest), point.C)
    found = by_l_curve(near, problem.rough) if way == "l-curve" else by_cross_validation(near, problem.rough, problem.data.measured)
    return AtFrames(replace(point.of, smoothing=found.of.smoothing), found.C)


def result(
    problem: Problem, spans: Spans, descent: Descent[AtFrames], order: Array, log: tuple[Iteration, ...], notes: list[str]
) -> CurveFit:
    point, data = descent.point, problem.data
    residuals, parameters = np.full((data.count, 6), np.nan), np.full(data.count, np.nan)
    at = data.row[order]
    residuals[at] = -point.of.misfit.residuals(point.window)
    if data.components is not None:
        residuals[at] = np.where(data.components[order] > 0, residuals[at], np.nan)
    parameters[at] = data.q[order]
    C = straightened(point.C)
    joint = SplineCurve(C, order=spans.order, knots=spans.knots, cyclic=spans.cyclic)
    reason = " ".join([*notes, descent.reason])
    gradient = descent.gradient.reshape(-1, 6)
    bent = bending(spans, problem.metric)
    integral = bent.value(windows(point.chain.starts, point.chain.twists, bent.at))
    weight = point.of.smoothing
    return CurveFit(
        joint, C, spans.knots, parameters, residuals, point.value, gradient, log, reason, descent.converged, weight, integral
    )  # fmt: skip


def checked_smoothing(smoothing: Any) -> float | Way:
    """A weight, or how to find it; 0 for none."""
    if smoothing is None:
        return 0.0
    if isinstance(smoothing, str) and smoothing in WAYS:
        return smoothing
    valid = f"a number from 0 up, {' or '.join(map(repr, WAYS))}"
    if isinstance(smoothing, str):
        raise wrong(OWNER, "smoothing", smoothing, valid)
    return number(OWNER, "smoothing", smoothing, valid, least=0)


def checked_initial(frames: Any, count: int) -> Array:
    C = checked_frames(OWNER, frames)
    if len(C) != count:
        raise wrong(OWNER, "initial", frames, f"{count} frames, ({count}, 4, 4)")
    return C


def straightened(C: Array) -> Array:
    """With rotations that are so to the last digit."""
    C = C.copy()
    U, _, V = np.linalg.svd(C[:, :3, :3])
    C[:, :3, :3] = U @ V
    return C
