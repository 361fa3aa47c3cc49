"""What a curve is: a smooth function `point(s)` into space. Tangents and curvature come from differentiating its trace.

Attributes that are floats, float arrays or tables are data of the joint that holds the curve: joints on curves of one kind share kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.arguments import as_array, as_floats, as_whole, brief
from redmax.components.data_and_structure import Described
from redmax.errors import SceneError, wrong
from redmax.trace.local import derivatives
from redmax.types import ValueOrArray

MOST = 10**7  # points of a curve that one asks for at once
INFINITE = (-np.inf, np.inf)


class ParametricCurve(Described):
    """Subclass it and write `point(s)` with Python operators, NumPy or redmax.math; or use redmax.curves.Curve."""

    period: float | None = None  # of the parameter, for a curve that repeats its shape

    def point(self, s: ValueOrArray) -> Any:
        """The place (3,) (m) at the parameter s."""
        raise NotImplementedError(f"{type(self).__name__} does not define point(s)")

    @property
    def domain(self) -> tuple[float, float]:
        """Where the parameter may be."""
        return INFINITE

    def derivatives(self, s: ValueOrArray) -> tuple[Any, Any, Any]:
        """x, dx/ds and d2x/ds2, (3,) each."""
        x, x1, x2 = derivatives(self.point, [s], [(), (0,), (0, 0)])
        return x, x1, x2

    def sample(self, count: int = 200) -> np.ndarray:
        """Parameters (count,) over the domain, or over one period from its end or from 0 on."""
        if as_whole(count) is None or count > MOST:
            raise SceneError(f"sample takes a whole number from 0 to {MOST}. Got {brief(count)}.", owner="sample", argument="count")
        low, high = self.domain
        length = high - low if np.isfinite(high - low) else self.period or 1.0
        first = low if np.isfinite(low) else high - length if np.isfinite(high) else 0.0
        return np.linspace(first, first + length, count)


def returned(owner: str, point: Any) -> np.ndarray:
    """What a function returned, as an array of numbers or traced scalars."""
    try:
        return np.asarray(point)
    except ValueError:
        raise SceneError(
            f"{owner}: the function returns {brief(point)}, expected a point, three numbers (m).", owner=owner, argument="function"
        ) from None


def check_point(owner: str, function: Callable[..., Any], *somewhere: float) -> None:
    """Raise unless the function gives a point (3,) there."""
    with np.errstate(all="ignore"):
        point = function(*somewhere)
    valid = "a point, three numbers (m)"
    shape = as_array(point).shape
    if shape not in ((), (3,)):
        raise SceneError(f"{owner}: the function returns an array of shape {shape}, expected {valid}.", owner=owner, argument="function")
    if shape != (3,) or as_floats(point) is None:
        raise SceneError(f"{owner}: the function returns {brief(point)}, expected {valid}.", owner=owner, argument="function")


def checked_domain(owner: str, given: Any) -> tuple[float, float]:
    """(low, high) from None (no bounds) or two numbers, of which infinite ones are no bounds."""
    if given is None:
        return INFINITE
    ends = as_floats(given)
    if ends is None or ends.shape != (2,):
        raise wrong(owner, "domain", given, "two numbers (low, high), or None for all numbers")
    low, high = ends.tolist()
    if not low < high:
        raise SceneError(f"{owner}: domain is ({low:g}, {high:g}), expected low < high.", owner=owner, argument="domain")
    return low, high
