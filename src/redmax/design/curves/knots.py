"""Knots over the parameters of poses: uniform, with or without repeated ends, or so that as many frames as poses pass through them.

For interpolation the inner knots are means of k - 1 parameters that follow each other (de Boor, A Practical Guide to Splines, XIII): each
basis function is then positive at its own parameter, and the linear problem has one solution.
"""

from __future__ import annotations

import numpy as np

from redmax.errors import SceneError
from redmax.types import Array


def uniform(count: int, order: int, cyclic: bool, low: float, high: float) -> Array:
    """Evenly spaced, also beyond the ends, with the range of q from low to high to the last digit."""
    if cyclic:
        return np.linspace(low, high, count + 1)
    pieces = count - order + 1
    step = (high - low) / pieces * np.arange(1, order)
    return np.concatenate([low - step[::-1], np.linspace(low, high, pieces + 1), high + step])


def clamped(count: int, order: int, cyclic: bool, low: float, high: float) -> Array:
    """Evenly spaced, with the ends repeated: the curve begins in its first control frame and ends in its last one."""
    if cyclic:
        return uniform(count, order, True, low, high)
    return repeated(np.linspace(low, high, count - order + 2)[1:-1], order, low, high)


def through(parameters: Array, order: int, period: float | None) -> Array:
    """For as many frames as there are ascending parameters; of a closed curve, whose period is given, for an even order at these."""
    u = parameters
    if period is None:
        inner = np.array([u[j : j + order - 1].mean() for j in range(1, len(u) - order + 1)])
        return repeated(inner, order, u[0], u[-1])
    around = np.append(u, u[0] + period)
    if order % 2 == 0:
        return around
    middles = 0.5 * (around[1:] + around[:-1])
    return np.append(middles, middles[0] + period)


def repeated(inner: Array, order: int, low: float, high: float) -> Array:
    return np.concatenate([np.full(order, low), inner, np.full(order, high)])


def with_more(knots: Array, order: int, cyclic: bool, links: Array) -> Array:
    """One more knot in the middle of the widest piece that each of some links, from control frame i to i + 1, is stretched over."""
    pieces = len(knots) - 1 if cyclic else len(knots) - 2 * order + 1
    breaks = knots if cyclic else knots[order - 1 : order + pieces]
    widths = np.diff(breaks)
    more = set()
    for i in links:  # B~ of the link to frame i + 1 rises over pieces i + 2 - k to i
        near = [j % pieces for j in range(i + 2 - order, i + 1) if cyclic or 0 <= j < pieces]
        widest = max(near, key=lambda j: widths[j])
        more.add(0.5 * (breaks[widest] + breaks[widest + 1]))
    return np.sort(np.append(knots, sorted(more)))


def count_of(owner: str, knots: Array, order: int, cyclic: bool) -> int:
    """How many frames there are over given knots."""
    count = len(knots) - 1 if cyclic else len(knots) - order
    if count < 1:
        raise SceneError(f"{owner}: {len(knots)} knots are too few for a spline of order {order}.", owner=owner, argument="knots")
    return count
