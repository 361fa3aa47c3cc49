"""A curve of frames whose coordinate is the way along it: its speed under a metric is 1, within a tolerance.

The way is the integral of v = sqrt(S^T W S). Poses at equal distances along it are passed through by a new spline at these distances; as
many as it takes until its own speed is near enough to 1 between them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from redmax.components.checks import number
from redmax.components.given import Positive
from redmax.design.curves.through import through
from redmax.design.metric import Metric, lengths, metric_matrix
from redmax.errors import SceneError, wrong
from redmax.joints.followed import along
from redmax.joints.frame_product import FrameProduct
from redmax.joints.spline_curve import SplineCurve

OWNER = "unit_speed"
FINE = 8  # parts of a piece over which the way is integrated at a time
LOOKED_AT = 7  # places between two poses at which the new speed is looked at
MOST = 2048  # poses
X, WEIGHTS = np.polynomial.legendre.leggauss(8)


def unit_speed(curve: FrameProduct, *, metric: Metric | None = None, tolerance: Positive = 1e-4, **options: Any) -> SplineCurve:
    """The same motion as a SplineCurve whose coordinate is the distance along it: |S| is 1, within a tolerance.

    curve: a SplineCurve or a BasisCurve, of whose coordinate nothing remains; q runs from 0 to the length of the curve
    metric: of the distance, as of `pose_distances`: with None a radian counts as much as a metre
    tolerance: of the speed anywhere; smaller ones take more frames. Where the velocity has corners, as a BasisCurve has, many more.
    options: order (that of the curve unless given), and of an open curve outside, limit_stiffness, limit_damping in the new coordinate.
        Unless given they are those of the curve: its spring and damper as they were, in the mean, over the speeds at both ends
    """
    if not isinstance(curve, FrameProduct):
        raise wrong(OWNER, "curve", curve, "a SplineCurve or a BasisCurve")
    W = metric_matrix(metric, OWNER)
    near = number(OWNER, "tolerance", tolerance, "a number above 0", above=0)
    way = Way(curve, W)
    cyclic = curve.axis.cyclic
    options = {"order": max(4, curve.axis.order), **(limits(way) if "outside" not in options else {}), **options}
    count, off = max(2 * curve.axis.pieces, options["order"], 8), np.inf
    while count <= MOST:
        s = np.linspace(0.0, way.length, count + 1)
        E = along(curve, way.place(s))[0]
        some = slice(None, -1 if cyclic else None)
        fit = through(E[some], s[some], options["order"], cyclic, way.length if cyclic else None, looks=False)
        found = SplineCurve(fit.frames, knots=fit.knots, cyclic=cyclic, **options)
        between = (s[:-1, None] + way.length / count * (np.arange(LOOKED_AT) + 0.5) / LOOKED_AT).ravel()
        off = float(np.abs(lengths(along(found, between)[1], W) - 1.0).max())
        if off <= near:
            return found
        count *= 2
    said = f"with {count // 2} frames the speed still misses 1 by {off:.2g}, more than the tolerance {near:g}"
    fix = "Raise the tolerance, or smooth the curve where its velocity turns sharply"
    raise SceneError(f"{OWNER}: {said}. {fix}.", owner=OWNER, argument="tolerance")


def limits(way: Way) -> dict[str, Any]:
    """What is outside of the curve. Where ds = v dq, a force k (end - q) on q is (k / v^2) (end - s) on s; v^2 is that of both ends."""
    curve = way.curve
    if curve.limits is None:
        return {}
    first, last = way.speed(np.array(curve.range))
    k, d = (float(np.asarray(x, float)[0]) / (first * last) for x in (curve.limit_stiffness, curve.limit_damping))
    return {"outside": "limit", "limit_stiffness": k, "limit_damping": d}


class Way:
    """How far along a curve each value of its coordinate is, and back. length: of all of it"""

    def __init__(self, curve: FrameProduct, W: np.ndarray) -> None:
        self.curve, self.W = curve, W
        low, high = curve.range
        breaks = np.arange(low, high + 0.5) if curve.breaks is None else np.unique(curve.breaks.array)
        parts = [np.linspace(a, b, FINE + 1)[:-1] for a, b in pairwise(breaks)]
        self.q = np.append(np.concatenate(parts), high)
        steps = self.between(self.q[:-1], self.q[1:])
        if not steps.min() > 0:
            i = int(np.argmin(steps))
            raise SceneError(f"{OWNER}: nothing moves from q = {self.q[i]:g} to {self.q[i + 1]:g}, where no way is gone.", owner=OWNER)
        self.s = np.concatenate([[0.0], np.cumsum(steps)])
        self.length = float(self.s[-1])

    def between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The way from a to b, (N,) each, in one piece."""
        q = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * X
        return 0.5 * (b - a) * (self.speed(q.ravel()).reshape(q.shape) @ WEIGHTS)

    def speed(self, q: np.ndarray) -> np.ndarray:
        return lengths(along(self.curve, q)[1], self.W)

    def place(self, s: np.ndarray) -> np.ndarray:
        """The coordinates at which the way is s, (N,), by Newton's method from where it would be at an even speed."""
        i = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.q) - 2)
        a, b = self.q[i], self.q[i + 1]
        q = a + (b - a) * (s - self.s[i]) / (self.s[i + 1] - self.s[i])
        for _ in range(8):
            q = np.clip(q - (self.s[i] + self.between(a, q) - s) / self.speed(q), a, b)
        return q
