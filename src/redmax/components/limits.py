"""Limits as a user gives them: lower and upper, each a number, one for each coordinate or row, or None where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import as_array, brief
from redmax.errors import SceneError, wrong

VALID = "a number, one for each coordinate, or None for no limit"
FROM_ZERO = "a number from 0 up, one or one for each coordinate, or None for no limit"
ABOVE_ZERO = "a number above 0, one or one for each coordinate, or None for no limit"


def limits(owner: str, name: str, value: Any, none: float, valid: str = VALID) -> np.ndarray:
    """One side, () or (n,), with `none` where there is no limit."""
    given = [none if x is None else x for x in value] if isinstance(value, list | tuple) else none if value is None else value
    array = as_array(given)
    result = np.array(array, float) if array.dtype.kind in "fiu" else np.full((1, 1), np.nan)
    if result.ndim > 1 or np.isnan(result).any():
        raise wrong(owner, name, value, valid)
    return result


def largest(owner: str, name: str, value: Any, *, zero: bool = True) -> np.ndarray:
    """The most that something may be either way, () or (n,), infinite where there is no limit. zero: whether it may be 0"""
    valid = FROM_ZERO if zero else ABOVE_ZERO
    found = limits(owner, name, value, np.inf, valid)
    if (found < 0).any() or not (zero or found.all()):
        raise wrong(owner, name, value, valid)
    return found


def checked_limits(owner: str, lower: Any, upper: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both sides, infinite where there is no limit."""
    low, high = limits(owner, "lower", lower, -np.inf), limits(owner, "upper", upper, np.inf)
    if low.ndim and high.ndim and len(low) != len(high):
        said = f"{owner}: lower has {len(low)} numbers and upper {len(high)}, expected one for each coordinate in both."
        raise SceneError(said, owner=owner, argument="lower")
    if not np.isfinite(low).any() and not np.isfinite(high).any():
        said = f"{owner} limits nothing: lower and upper are both left out. Give at least one."
        raise SceneError(said, owner=owner, argument="lower")
    if (low > high).any():
        said = f"{owner}: lower is {brief(lower)} and upper is {brief(upper)}, expected lower to be at most upper."
        raise SceneError(said, owner=owner, argument="lower")
    return low, high


def sides(lower: np.ndarray, upper: np.ndarray, n: int) -> tuple[tuple[tuple[int, int], ...], np.ndarray]:
    """((which, 1 from below or -1 from above), bound) of all limits that n numbers have: sign (x - bound) is from zero up."""
    ends = [(k, sign, b) for sign, side in ((1, lower), (-1, upper)) for k, b in enumerate(np.broadcast_to(side, n))]
    found = [end for end in ends if np.isfinite(end[2])]
    return tuple((k, sign) for k, sign, _ in found), np.array([b for _, _, b in found])
