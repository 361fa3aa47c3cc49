"""From poses and the shape of a spline to the fit: start, descent, more frames where they come half a turn apart, and the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from redmax.design.curves import given
from redmax.design.curves.descent import Descent, Iteration, descend
from redmax.design.curves.free import AtNearest, chosen
from redmax.design.curves.knots import count_of, with_more
from redmax.design.curves.loss import Loss, check_counted
from redmax.design.curves.misfit import Misfit, squared
from redmax.design.curves.objective import AtFrames, Objective
from redmax.design.curves.result import CurveFit
from redmax.design.curves.smoothing import bending
from redmax.design.curves.smoothing_weight import Way, balance, by_cross_validation, by_l_curve, eased, weighted
from redmax.design.curves.spans import Spans, make_spans
from redmax.design.curves.start import start
from redmax.design.curves.windows import places
from redmax.errors import SceneError
from redmax.joints.frame_product import NEAR_PI
from redmax.joints.spline_curve import SplineCurve
from redmax.types import Array

OWNER = "fit_curve"
ROUGHLY, CLOSELY = 1e-5, 1e-10  # of gradients: where another objective goes on; where misfits are compared
SLIGHT = 1e-2  # of the weight at which misfit and bending weigh alike
SPLITS = 12  # times that frames are put between others that came half a turn apart
HIGH = 12  # order: noise comes to control frames some 2^order times as large (de Boor, A Practical Guide to Splines, XI)
GAIN, MET = 0.7, 1e-20  # of the objective, that two of these leave where poses do turn so; for each pose, below which they are met
U = TypeVar("U", AtFrames, AtNearest)


@dataclass(frozen=True)
class Problem:
    """What stays the same when frames are added.

    exact: whether Newton steps are tried; smoothing: a weight, or how to find it; free: whether poses count where the curve is nearest
    slight: whether a slight smoothing says how fast a curve runs, which its nearest points do not
    """

    data: given.Data
    metric: Array
    loss: Loss
    tolerance: float
    iterations: int
    exact: bool = True
    smoothing: float | Way = 0.0
    free: bool = False
    slight: bool = False

    def closely(self, point: AtFrames) -> AtFrames:
        """So near the minimum that misfits of other weights compare, also where poses are met."""
        return descend(point, CLOSELY * self.data.total, self.iterations, exact=False).point

    def rough(self, point: U) -> U:
        """Near the minimum: where another objective goes on."""
        return descend(point, ROUGHLY * self.data.total, self.iterations, exact=False).point


def solved(problem: Problem, shape: given.Shape, C: Array | None) -> CurveFit:
    """With more frames where they come half a turn apart."""
    log: list[Iteration] = []
    notes: list[str] = []
    values: list[float] = []
    for _ in range(SPLITS):
        spans = make_spans(OWNER, shape.count, shape.order, shape.knots, shape.cyclic)
        descent = descended(problem, spans, C)
        log += descent.log
        angles = np.linalg.norm(descent.point.chain.z[:, :3], axis=1)
        wide = np.flatnonzero(angles > np.pi - NEAR_PI)
        if not len(wide):
            if not descent.converged and shape.order >= HIGH:
                descent = replace(descent, reason=f"{descent.reason} {swinging(shape.order)}")
            return result(problem, spans, descent, tuple(log), notes)
        knots = with_more(shape.knots, shape.order, shape.cyclic, wide)
        count = count_of(OWNER, knots, shape.order, shape.cyclic)
        values.append(descent.point.value)
        if len(values) > 2 and values[-1] > max(GAIN * values[-3], MET * problem.data.total):
            break
        if len(values) > 1 and shape.order >= HIGH:
            raise SceneError(f"{OWNER}: frames keep coming half a turn apart. {swinging(shape.order)}", owner=OWNER, argument="order")
        pair = f"{wide[0]} and {(wide[0] + 1) % shape.count}"
        notes.append(f"Frames {pair} came half a turn apart: there are {count} frames now instead of {shape.count}.")
        shape, C = given.Shape(shape.order, knots, shape.cyclic, count), None
    why = "The data do not determine them, or turn faster than knots can follow"
    fix = "Fit fewer frames, smooth the curve, or take a robust loss where some poses are far off"
    fix = f"{fix}; poses that follow each other less than half a turn apart determine which way round it goes"
    raise SceneError(f"{OWNER}: frames keep coming half a turn apart. {why}. {fix}.", owner=OWNER, argument="frames")


def swinging(order: int) -> str:
    """What is wrong with a high order, and what to do."""
    why = f"Control frames of a spline of order {order} swing many times farther than the noise of the poses"
    return f"{why}, the more the higher the order. Take order 8 or a lower one, or poses without noise."


def descended(problem: Problem, spans: Spans, initial: Array | None) -> Descent[AtFrames]:
    """From where it starts to a minimum."""
    data = problem.data
    at, order = places(spans, data.q)
    W = given.metric_of(problem.metric, None if data.components is None else data.components[order])
    misfit = Misfit(at, order, data.poses[order], W, data.weights[order], problem.loss, chosen(data.points, order))
    bends = bending(spans, problem.metric) if problem.smoothing or problem.slight else None
    weight = 0.0 if isinstance(problem.smoothing, str) else problem.smoothing
    C = start(spans, data.q, data.poses, data.weights) if initial is None else initial
    first = AtFrames(Objective(spans, misfit, bends, weight), C)
    if problem.slight:
        first = weighted(first, SLIGHT * balance(first))
    said = ""
    if isinstance(problem.smoothing, str):
        first, said = with_weight(problem, first, problem.smoothing)
    elif initial is None:
        for loss in problem.loss.milder:
            milder = replace(first.of, misfit=replace(misfit, loss=loss))
            near = eased(AtFrames(milder, first.C), problem.rough)
            first = AtFrames(first.of, problem.rough(near).C)
    tolerance = problem.tolerance * data.total
    if not problem.free:
        found = descend(eased(first, problem.rough), tolerance, problem.iterations, problem.exact)
        return replace(found, reason=f"{said} {found.reason}".strip())
    near = problem.rough(eased(first, problem.rough))
    free = descend(eased(AtNearest(near.of, near.C), problem.rough), tolerance, problem.iterations)
    return Descent(free.point.here, free.gradient, free.log, f"{said} {free.reason}".strip(), free.converged)


def with_weight(problem: Problem, point: AtFrames, way: Way) -> tuple[AtFrames, str]:
    """The weight of smoothing found, for squares even where the loss is another: outliers would count as what smoothing leaves. What is to
    be said of it, too."""
    mildest = replace(point.of.misfit, loss=(*problem.loss.milder, problem.loss)[0])
    near = AtFrames(replace(point.of, misfit=mildest), point.C)
    if way == "l-curve":
        found, said = by_l_curve(near, problem.closely, problem.data.total)
    else:
        found, said = by_cross_validation(near, problem.rough, problem.data.measured), ""
    return AtFrames(replace(point.of, smoothing=found.of.smoothing), found.C), said


def result(problem: Problem, spans: Spans, descent: Descent[AtFrames], log: tuple[Iteration, ...], notes: list[str]) -> CurveFit:
    point, data = descent.point, problem.data
    check_counted(OWNER, problem.loss, squared(point.of.misfit.W, point.residuals.x), point.of.misfit.weights)
    order = point.of.misfit.order
    residuals, parameters = np.full((data.count, 6), np.nan), np.full(data.count, np.nan)
    at = data.row[order]
    residuals[at] = -point.residuals.x
    if data.components is not None:
        residuals[at] = np.where(data.components[order] > 0, residuals[at], np.nan)
    parameters[at] = point.of.misfit.at.q
    C = straightened(point.C)
    joint = SplineCurve(C, order=spans.order, knots=spans.knots, cyclic=spans.cyclic)
    reason = " ".join([*notes, descent.reason])
    gradient = descent.gradient.reshape(-1, 6)
    weight = point.of.smoothing
    return CurveFit(
        joint, C, spans.knots, parameters, residuals, point.value, gradient, log, reason, descent.converged, weight, problem.metric
    )  # fmt: skip


def straightened(C: Array) -> Array:
    """With rotations that are so to the last digit."""
    C = C.copy()
    U, _, V = np.linalg.svd(C[:, :3, :3])
    C[:, :3, :3] = U @ V
    return C


def rough_frames(spans: Spans, data: given.Data, W: Array, loss: Loss) -> Array:
    """Control frames near those of the least squares, or of a robust loss; a slight smoothing bridges gaps between poses."""
    at, order = places(spans, data.q)
    metric = given.metric_of(W, None if data.components is None else data.components[order])
    mildest = (*loss.milder, loss)[0]
    misfit = Misfit(at, order, data.poses[order], metric, data.weights[order], mildest, chosen(data.points, order))
    first = AtFrames(Objective(spans, misfit, bending(spans, W)), start(spans, data.q, data.poses, data.weights))
    first = weighted(first, SLIGHT * balance(first))
    return descend(first, ROUGHLY * data.total, most=10, exact=False).point.C
