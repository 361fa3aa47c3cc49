"""One parameter of a spline: which piece a value lies in and how far, and the basis functions there.

What is the same for all splines of a shape is structure, in an `Axis`; given knots and their polynomials are data, in the joint's
tables. Uniform knots are the whole numbers: their piece is found by rounding down, and their polynomials are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, get_args

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite, flag
from redmax.components.given import Outside
from redmax.errors import SceneError, wrong
from redmax.joints import bspline
from redmax.math import array, floor, locate, logical_and, maximum, minimum, where
from redmax.trace import Table

OUTSIDE: tuple[str, ...] = get_args(Outside)


@dataclass(frozen=True)
class Axis:
    """order: of the spline; count: control values along the parameter; outside: "error", "limit", or "" where there is no outside."""

    order: int
    count: int
    cyclic: bool
    uniform: bool
    outside: str

    @property
    def pieces(self) -> int:
        return self.count if self.cyclic else self.count - self.order + 1

    def place(self, q: Any, breaks: Any) -> tuple[Any, Any]:
        """(piece, distance from where it begins). breaks: where pieces begin and the last one ends; None for uniform knots.

        Outside its range an open spline gives NaN, which ends a run, or continues with its first or last piece.
        """
        n = self.pieces
        if self.uniform and self.cyclic:
            whole = floor(q)
            return whole - n * floor((whole + 0.5) / n), q - whole  # a half away from where rounding could matter
        if self.uniform:
            low, high = 0.0, float(n)
            piece = minimum(maximum(floor(q), 0.0), n - 1.0)
            u = q - piece
        else:
            low, high = breaks[0.0], breaks[float(n)]
            if self.cyclic:
                q = q - (high - low) * floor((q - low) / (high - low))
            piece = locate(breaks, q)
            u = q - breaks[piece]
        if self.outside == "error":
            u = u + where(logical_and(low <= q, q <= high), 0.0, nan)
        return piece, u

    def wrapped(self, values: np.ndarray, axis: int = 0) -> np.ndarray:
        """Control values as they follow each other: pieces + order - 1 of them."""
        return np.take(values, np.arange(self.pieces + self.order - 1) % self.count, axis=axis)


def make_axis(owner: str, count: int, order: Any, knots: Any, cyclic: bool, outside: str, values: str) -> tuple[Axis, np.ndarray | None]:
    """The axis, and its knots where they are given; everything checked. values: the argument of `owner` that has the control values"""
    order, cyclic = bspline.checked_order(owner, order), flag(owner, "cyclic", cyclic)
    if not isinstance(outside, str) or outside not in OUTSIDE:
        raise wrong(owner, "outside", outside, "'error' or 'limit'")
    if cyclic and outside != "error":
        raise SceneError(
            f"{owner}: outside is {brief(outside)}, but a cyclic spline has no outside. Leave it out.", owner=owner, argument="outside"
        )
    least = 3 if cyclic else order
    if count < least:
        why = "a closed curve has at least three" if cyclic else f"a spline of order {order} has at least as many"
        raise SceneError(f"{owner}: there are {count} control values, expected {least} or more: {why}.", owner=owner, argument=values)
    given = None if knots is None else (bspline.cyclic_knots if cyclic else bspline.open_knots)(owner, knots, order, count)
    return Axis(order, count, cyclic, knots is None, "" if cyclic else outside), given


def breaks_of(axis: Axis, knots: np.ndarray | None) -> Table | None:
    """Where pieces begin, as a table."""
    return None if knots is None else Table(knots[axis.order - 1 : axis.order + axis.pieces])


def range_of(axis: Axis, breaks: Table | None) -> tuple[float, float]:
    """The first and the last value of the parameter; of a cyclic one, those of one period."""
    return (0.0, float(axis.pieces)) if breaks is None else (breaks.values[0], breaks.values[-1])


def domain_of(axis: Axis, breaks: Table | None) -> tuple[float, float]:
    """Where the motion is defined."""
    return range_of(axis, breaks) if axis.outside == "error" else (-inf, inf)


def checked_limits(owner: str, outside: str, dof: int, stiffness: Any, damping: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Stiffness and damping of the limits, (dof,) each; None where there are none."""
    if outside != "limit":
        if stiffness is not None or damping is not None:
            raise SceneError(
                f"{owner}: limit_stiffness and limit_damping go with outside='limit'. Got outside={outside!r}.",
                owner=owner,
                argument="limit_damping" if stiffness is None else "limit_stiffness",
            )
        return None
    if stiffness is None:
        raise SceneError(
            f"{owner}: outside='limit' needs limit_stiffness, the generalised force for each unit of q beyond the range.",
            owner=owner,
            argument="outside",
        )
    found: list[np.ndarray] = []
    for name, given in (("limit_stiffness", stiffness), ("limit_damping", 0.0 if damping is None else damping)):
        valid = f"a number, or {dof} of them, not negative"
        numbers = finite(owner, name, given, ((), (dof,)), valid)
        if (numbers < 0).any():
            raise wrong(owner, name, given, valid)
        found.append(np.broadcast_to(numbers, (dof,)).copy())
    return found[0], found[1]


def limit_force(axes: Sequence[Axis], q: Any, qdot: Any, limits: Any, stiffness: Any, damping: Any) -> Any:
    """k (end - q) - d qdot beyond an end, nothing inside, for each coordinate."""
    forces: list[Any] = []
    for axis, x, v, (low, high), k, d in zip(axes, q, qdot, limits, stiffness, damping):
        end = where(x < low, low, high)
        inside = logical_and(low <= x, x <= high)
        forces.append(0.0 if axis.cyclic else where(inside, 0.0, k * (end - x) - d * v))
    return array(forces)


def limit_potential(axes: Sequence[Axis], q: Any, limits: Any, stiffness: Any) -> Any:
    """k/2 (end - q)^2 beyond an end, of all coordinates."""
    total: Any = 0.0
    for axis, x, (low, high), k in zip(axes, q, limits, stiffness):
        beyond = x - minimum(maximum(x, low), high)
        total = total if axis.cyclic else total + 0.5 * k * (beyond * beyond)
    return total
