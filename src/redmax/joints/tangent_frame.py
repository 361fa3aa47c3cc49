"""A frame that follows a curve: x along the tangent, z as near as can be to a fixed direction `up`, y = up x x normalised.

With t = dx/ds, a = d2x/ds2 and g = |up x t|, the frame F(s) turns and slides by

    unbracket(F^-1 dF/ds) = (z . (up x a)/g, -z . a/|t|, y . a/|t|;  |t|, 0, 0),

so that the normalised axes need not be differentiated. Where the tangent comes to point along `up`, there is no such frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.components.checks import finite
from redmax.curves.base import ParametricCurve
from redmax.errors import Phrase, SceneError
from redmax.lie import se3
from redmax.lie.three import cross, dot, plus, rows, split, times, transpose
from redmax.math import array, sqrt

SMALLEST = 1e-3  # sine of the angle between the tangent and `up`
SLOWEST = 1e-6  # |dx/ds| relative to its mean
ROUNDS = 4  # of refinement in the search for where the tangent is worst


@dataclass(frozen=True)
class TangentFrame:
    """up: (3,), a unit vector."""

    curve: ParametricCurve
    up: Any

    def axes(self, t: list[Any]) -> tuple[list[Any], list[Any], list[Any], Any, Any]:
        """x, y, z, and the reciprocals of |t| and g."""
        side = cross(list(self.up), t)
        over_t, over_g = 1.0 / sqrt(dot(t, t)), 1.0 / sqrt(dot(side, side))
        x, y = [c * over_t for c in t], [c * over_g for c in side]
        return x, y, cross(x, y), over_t, over_g

    def frame(self, s: Any) -> Any:
        p, t, _ = self.curve.derivatives(s)
        x, y, z, *_ = self.axes(split(t))
        return se3.pose(array(transpose([x, y, z])), p)

    def inverse_frame(self, s: Any) -> Any:
        return se3.inverse(self.frame(s))

    def twists(self, s: Any) -> Any:
        """(6, 1)."""
        _, t, a = (split(d) for d in self.curve.derivatives(s))
        _, y, z, over_t, over_g = self.axes(t)
        bank = dot(z, cross(list(self.up), a)) * over_g
        return array([[bank], [0.0 - dot(z, a) * over_t], [dot(y, a) * over_t], [sqrt(dot(t, t))], [0.0], [0.0]])

    def spatial_twists(self, s: Any) -> Any:
        """Ad(F) twists, (6, 1)."""
        F = self.frame(s)
        R, p = rows(F[..., :3, :3]), split(F[..., :3, 3])
        (column,) = transpose(rows(self.twists(s)))
        w, v = times(R, column[:3]), times(R, column[3:])
        return array(transpose([w + plus(v, cross(p, w))]))


def checked_up(owner: str, curve: ParametricCurve, up: Any, names: tuple[str, str]) -> np.ndarray:
    """`up` as a unit vector, or an error where the curve stops or its tangent points along it. names: of the arguments curve and up"""
    of_curve, of_up = names
    given = finite(owner, Phrase("up", of_up), up, ((3,),), "three finite numbers, not all zero")
    if not given.any():
        raise SceneError(f"{owner}: up is zero, expected a direction that the curve's tangent never has.", owner=owner, argument=of_up)
    unit = given / np.linalg.norm(given)
    at, slowest = lowest(curve, lambda t: np.linalg.norm(t, axis=-1))
    typical = float(np.linalg.norm(curve.derivatives(curve.sample())[1], axis=-1).mean())
    if not slowest > SLOWEST * typical:
        raise SceneError(
            f"{owner}: the curve stops at s = {at:g}, where its derivative vanishes; there it has no tangent.",
            owner=owner,
            argument=of_curve,
        )
    at, sine = lowest(curve, lambda t: np.linalg.norm(np.cross(unit, t), axis=-1) / np.linalg.norm(t, axis=-1))
    if sine < SMALLEST:
        where = f"at s = {at:g} the tangent is along up = {np.round(unit, 4).tolist()}"
        raise SceneError(
            f"{owner}: {where}. Give another up=, such as the normal of the curve's plane, or frame='fixed'.", owner=owner, argument=of_up
        )
    return unit


def lowest(curve: ParametricCurve, f: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
    """Where along the curve f(dx/ds) is least, and that value: of samples, then of finer ones around each of their minima."""
    s = curve.sample()
    values = f(curve.derivatives(s)[1])
    padded = np.concatenate([[np.inf], values, [np.inf]])
    found = s[(values <= padded[:-2]) & (values <= padded[2:])][:50]
    step, low, high = s[1] - s[0], s[0], s[-1]
    for _ in range(ROUNDS):
        around = np.clip(found[:, None] + step * np.linspace(-1, 1, 41), low, high)
        values = f(curve.derivatives(around.ravel())[1]).reshape(around.shape)
        found = around[np.arange(len(found)), values.argmin(axis=1)]
        step = step / 20
    best = int(values.min(axis=1).argmin())
    return float(found[best]), float(values[best].min())
