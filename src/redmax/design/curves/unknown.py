"""Parameters of poses that have none: first their way along each other, then along a curve that was fitted with these.

Distances between noisy poses are too long. So the parameters are where a fitted curve is nearest, counted in length along it, which is
shorter; after some turns they are good enough for `free`, where each pose counts where the curve is nearest to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.components.checks import finite, number
from redmax.design.curves.chains import chain
from redmax.design.curves.given import Data, Shape
from redmax.design.curves.knots import count_of
from redmax.design.curves.loss import Loss, Squares
from redmax.design.curves.nearest import Motion, nearest
from redmax.design.curves.solve import OWNER, rough_frames
from redmax.design.curves.spans import Spans, make_spans
from redmax.design.curves.windows import places, windows
from redmax.design.metric import lengths
from redmax.errors import wrong
from redmax.joints.bspline import checked_order
from redmax.lie import se3
from redmax.types import Array

EACH = 16  # samples of a piece, for its length
TURNS = 3  # of fitting and measuring: the second one does nearly all
LONGEST = 3.0  # times the median: from one pose to the next, where one of them may be an outlier
SHORTER = 3.0  # times: a way along poses in another order, if theirs is none; going there and back is 2


@dataclass(frozen=True)
class Stretch:
    """The values that parameters are given: from `low` on, `length` of them if that is known, else as long as the curve is."""

    low: float
    length: float | None


def stretch(order: Any, knots: Any, cyclic: Any, period: Any) -> Stretch:
    """That of given knots, of a given period, or the length of the curve."""
    if knots is None or isinstance(knots, str):
        return Stretch(0.0, None if period is None else number(OWNER, "period", period, "a number greater than 0", above=0))
    k = checked_order(OWNER, order)
    t = finite(OWNER, "knots", knots, ((-1,),), "ascending numbers, or 'clamped' or 'uniform'")
    count = count_of(OWNER, t, k, bool(cyclic))
    ends = t if cyclic else t[k - 1 : count + 1]
    if len(ends) < 2 or not ends[-1] > ends[0]:
        raise wrong(OWNER, "knots", knots, "ascending numbers")
    return Stretch(float(ends[0]), float(ends[-1] - ends[0]))


def located(
    data: Data, W: Array, within: Stretch, shape_at: Callable[[Array, float], Shape], closed: bool, turns: int, loss: Loss
) -> tuple[Data, Shape]:
    """Poses with parameters, and the spline over these. shape_at: from parameters and their length; turns: of fitting and measuring

    Under a robust loss the way to outliers and back is as long as that to other poses.
    """

    def placed(way: Array, whole: float) -> tuple[Data, Shape]:
        length = whole if within.length is None else within.length
        moved = ordered(data, within.low + way * (length / max(whole, np.finfo(float).tiny)))
        return moved, shape_at(moved.q, length)

    if turns and not closed:
        data = in_order(data, W)
    each = steps(data.poses, W, closed)
    if not isinstance(loss, Squares):
        each = np.minimum(each, LONGEST * np.median(each))
    way = np.concatenate([[0.0], np.cumsum(each)])
    data, shape = placed(way[: len(data.q)], float(way[-1]))
    for _ in range(turns):
        spans = make_spans(OWNER, shape.count, shape.order, shape.knots, shape.cyclic)
        data, shape = placed(*along_curve(spans, rough_frames(spans, data, W, loss), data, W))
    return data, shape


def in_order(data: Data, W: Array) -> Data:
    """Poses in the order in which they vary most, if their way is much shorter so: then the one they came in was none."""
    diagonal = np.diagonal(W)
    turned, moved = data.poses[:, :3, :3].reshape(-1, 9), data.poses[:, :3, 3]
    X = np.concatenate([np.sqrt(0.5 * diagonal[:3].mean()) * turned, np.sqrt(diagonal[3:].mean()) * moved], axis=1)
    along = np.argsort(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0][:, 0], kind="stable")
    if steps(data.poses, W, False).sum() < SHORTER * steps(data.poses[along], W, False).sum():
        return data
    place = np.empty(len(along))
    place[along] = np.arange(len(along))
    return ordered(data, place)


def steps(poses: Array, W: Array, cyclic: bool) -> Array:
    """(N,) distances from each pose to the next one; of a closed curve from the last one to the first too, else (N - 1,)."""
    after = np.roll(poses, -1, axis=0) if cyclic else poses[1:]
    return lengths(se3.log(se3.inverse(poses if cyclic else poses[:-1]) @ after), W)


def along_curve(spans: Spans, C: Array, data: Data, W: Array) -> tuple[Array, float]:
    """(N,) the lengths along a curve where it is nearest to poses, and its whole length. W: (6, 6)"""
    bound = chain(spans, C)
    q = nearest(spans, bound, data.poses, W, data.q, data.points)
    low, high = spans.range
    samples = np.concatenate([np.linspace(a, b, EACH, endpoint=False) for a, b in pairwise(spans.breaks)])
    samples = np.append(np.unique(samples), high)
    at, order = places(spans, samples)
    speed = np.empty(len(samples))
    speed[order] = lengths(Motion(spans, windows(bound.starts, bound.twists, at)).S, W)
    way = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(samples))])
    if spans.cyclic:
        q = low + np.mod(q - low, high - low)
    return np.interp(q, samples, way), float(way[-1])


def ordered(data: Data, q: Array) -> Data:
    """With these parameters, ascending."""
    row = np.argsort(q, kind="stable")
    components = None if data.components is None else data.components[row]
    points = None if data.points is None else data.points[row]
    return replace(
        data, q=q[row], poses=data.poses[row], row=data.row[row], weights=data.weights[row], components=components, points=points
    )  # fmt: skip
