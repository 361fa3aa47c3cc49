"""Fit a spline joint to measured poses: the control frames that make sum_k w_k rho(|log(G(q_k)^-1 G_k)|^2) least.

Lee and Terzopoulos (2008), Sec. 6.2, with exact derivatives in the place of their approximations; `descent` has the iteration, `misfit` and
`chains` the derivatives, `bands` the linear algebra.
"""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import ArrayLike

from redmax.components.checks import flag, number, whole
from redmax.design.curves import given
from redmax.design.curves.determined import check_determined
from redmax.design.curves.loss import Loss, Squares
from redmax.design.curves.result import CurveFit
from redmax.design.curves.smoothing_weight import WAYS, Way
from redmax.design.curves.solve import OWNER, Problem, solved
from redmax.design.curves.spans import make_spans
from redmax.design.curves.unknown import TURNS, located, stretch
from redmax.design.metric import Metric, metric_matrix
from redmax.design.poses import two_at_one
from redmax.errors import warn, wrong
from redmax.joints.frame_product import checked_frames
from redmax.types import Array, Given


def fit_curve(
    poses: ArrayLike,
    parameters: Given = None,
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

    poses: (N, 4, 4) (m). One that is NaN is missing; of one whose position is NaN the rotation counts, and the other way round.
    parameters: (N,) the coordinate of the joint at each, in any order. None to find them: the joint then passes the poses in about their
        order, its coordinate is about the way along it under the metric, and each pose counts where the joint is nearest to it
    frames: how many control frames it has; None for as many as different parameters: it then passes through all poses, or between those
        at the same one
    order: 4 is cubic; any order above, up to 16. From 12 on noise makes control frames swing half a turn apart, which is said.
    knots: None or "clamped" for pieces of one length, the ends repeated so that the joint begins and ends at a control frame; "uniform" for
        pieces of one length and nothing else; or numbers, as `SplineCurve` takes them. None with as many frames as poses: means of
        parameters, with which all poses can be met
    cyclic, period: whether the motion begins again, and after how much of the parameter (of an unknown one, its length unless given)
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
    if loss is not None and not isinstance(loss, Loss):
        raise wrong(OWNER, "loss", loss, "rm.Huber(scale), rm.Cauchy(scale) or rm.Tukey(scale)")
    number(OWNER, "tolerance", tolerance, "a number from 0 up", least=0)
    whole(OWNER, "iterations", iterations, 0)
    closed, weight, W = flag(OWNER, "cyclic", cyclic), checked_smoothing(smoothing), metric_matrix(metric, OWNER)

    def shape_at(q: Array, length: float | None) -> given.Shape:
        return given.shape(OWNER, q, frames, order, knots, closed, length if closed else None)

    named = knots is None or isinstance(knots, str)
    free = parameters is None and not (frames is None and named)  # of a curve through all poses nothing is nearer
    if parameters is None:
        within = stretch(order, knots, closed, period)
        found, shape = located(found, W, within, shape_at, closed, TURNS if free else 0, loss or Squares())
    else:
        shape = given.shape(OWNER, found.q, frames, order, knots, closed, period)
        if frames is None and named:
            warn_of_two_at_one(found)
    slight = free and smoothing is None
    if not weight and not slight and not (frames is None and named):
        check_determined(OWNER, make_spans(OWNER, shape.count, shape.order, shape.knots, shape.cyclic), found)
    problem = Problem(found, W, loss or Squares(), float(tolerance), int(iterations), smoothing=weight, free=free, slight=slight)
    return solved(problem, shape, None if initial is None else checked_initial(initial, shape.count))


def warn_of_two_at_one(found: given.Data) -> None:
    """A curve of as many frames as parameters passes between poses that have the same one."""
    two = two_at_one(found.q, found.poses)
    if two is not None:
        i, j = found.row[list(two)]
        said = f"poses[{i}] and poses[{j}] are both at {found.q[two[0]]:.6g}, and the joint passes between them"
        warn(f"{OWNER}: {said}. Leave one of them out; or give frames=..., if it is to pass between others too.")


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
