"""The curves that constraints hold points on, and the curves and surfaces of joints that close loops, as views.

A curve without ends is drawn where its point runs, and a little further: half a period, or a quarter of the way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from redmax.components.holding import Anchor
from redmax.constraints.base import Constraint
from redmax.constraints.closure import Closure
from redmax.constraints.on_curve import PointOnCurve, curve_places
from redmax.joints.drawing import Drawing
from redmax.joints.swept import Range, drawings, traced
from redmax.model.model import Model
from redmax.view.constraint_view import sites_at
from redmax.view.drawing_view import DrawingView
from redmax.view.joint_view import fingerprint

Array = NDArray[np.float64]
LOOKS = 50  # at the point, to know where on its curve it runs
FURTHER = 0.25  # of the way


def constraint_drawings(model: Model, poses: Array, times: Array) -> list[DrawingView]:
    """Each once. poses: (T, links, 4, 4) of the bodies at times (T,)."""
    found: dict[tuple[int, bytes], DrawingView] = {}
    for constraint in model.constraints:
        for anchor, drawing in drawn(constraint, poses):
            carrier = constraint.bodies[anchor.member].index if anchor.member >= 0 else -1
            points = drawing.placed(place_of(anchor)).points
            view = DrawingView(str(constraint.name), points, poses[:, carrier] if carrier >= 0 else np.eye(4)[None], carrier)
            found.setdefault((carrier, fingerprint(view, times)), view)
    return list(found.values())


def drawn(constraint: Constraint, poses: Array) -> Iterator[tuple[Anchor, Drawing]]:
    """What a constraint looks like, with the place that carries it."""
    if isinstance(constraint, PointOnCurve):
        curve = constraint.curve
        yield from ((constraint.anchors[1], d) for d in traced(lambda s, t: curve.point(s), [curve_range(constraint, poses)]))
    elif isinstance(constraint, Closure):
        yield from ((constraint.anchors[d.on == "child"], d) for d in drawings(constraint.motion))


def curve_range(constraint: PointOnCurve, poses: Array) -> Range:
    """The parameters of a curve that are drawn."""
    low, high = constraint.curve.domain
    places = curve_places(constraint.curve)
    if np.isfinite([low, high]).all():
        return low, high
    if (period := constraint.curve.period) is not None and abs(places[-1] - places[0]) < period:
        return 0.0, period  # a closed one
    points = np.array([constraint.curve.point(s) for s in places], float)
    some = np.unique(np.linspace(0, len(poses) - 1, LOOKS).astype(int))
    seen = np.array([constraint.seen(sites_at(constraint, poses[k])) for k in some], float)
    nearest = places[np.argmin(((seen[:, None] - points) ** 2).sum(axis=2), axis=1)]
    first, last = float(nearest.min()), float(nearest.max())
    further = period / 2 if period is not None else max(FURTHER * (last - first), 1.0)
    return max(first - further, low), min(last + further, high)


def place_of(anchor: Anchor) -> Array:
    """(4, 4): the place in the frame of its body, or in the world."""
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = anchor.rotation, anchor.position
    return E
