"""Zeros of functions of several coordinates, also where they only touch zero: Newton's method with steps of several lengths.

A simple zero is met by the step f / |f'|^2 f', a double one by twice that, and so on:
the length after which the zero seems nearest is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from redmax.joints.checks.box import inside

Function = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
LENGTHS = np.array([0.3, 1.0, 2.0, 4.0])
ROUNDS = 12
REACHED, CLOSE = 1e-14, 1e-9  # of the size of the box: a zero is this near; or only so near, where rounding allows no more


@dataclass(frozen=True)
class Points:
    """u: (N, m); which: the start that each comes from, (N,); f, g: value and gradient there; near: how far the zero seems."""

    u: np.ndarray
    which: np.ndarray
    f: np.ndarray
    g: np.ndarray
    near: np.ndarray

    def part(self, chosen: np.ndarray) -> Points:
        """Those that are chosen by a mask or by their numbers."""
        return Points(self.u[chosen], self.which[chosen], self.f[chosen], self.g[chosen], self.near[chosen])


def approach(function: Function, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Zeros (C, m) near the starts, and the numbers of the starts that found them.

    function: of points (N, m), and of the number of the start that each comes from, (N,): values (N,) and gradients (N, m)
    """
    points = at(function, starts, np.arange(len(starts)))
    found: list[Points] = []
    for _ in range(ROUNDS):
        arrived = points.near < REACHED
        found.append(points.part(arrived))
        points = points.part(~arrived)
        if not len(points.u):
            break
        ahead = stepped(function, points)
        nearer = ahead.near < 0.7 * points.near  # what does not come nearer goes nowhere
        found.append(points.part(~nearer & (points.near < CLOSE)))
        points = ahead.part(nearer)
    return np.vstack([p.u for p in found]), np.concatenate([p.which for p in found])


def at(function: Function, u: np.ndarray, which: np.ndarray) -> Points:
    """The function at points."""
    f, g = function(u, which)
    return Points(u, which, f, g, distance(f, g))


def stepped(function: Function, points: Points) -> Points:
    """Each after the Newton step of the length after which the zero seems nearest."""
    u, g = points.u, points.g
    square = np.sum(g * g, axis=1)
    newton = -(points.f / np.where(square > 0, square, 1.0))[:, None] * g
    trials = inside(u[:, None] + LENGTHS[:, None] * newton[:, None])
    ahead = at(function, trials.reshape(-1, u.shape[1]), np.repeat(points.which, len(LENGTHS)))
    best = np.argmin(ahead.near.reshape(len(u), -1), axis=1)
    return ahead.part(np.arange(len(u)) * len(LENGTHS) + best)


def distance(f: np.ndarray, g: np.ndarray) -> np.ndarray:
    """How far the zero seems to be."""
    with np.errstate(all="ignore"):
        far = np.abs(f) / np.linalg.norm(g, axis=1)
    return np.where(f == 0, 0.0, np.where(np.isfinite(far), far, np.inf))
