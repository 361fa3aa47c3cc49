"""Nothing is timed before its numbers are right."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-9


class Disagreement(Exception):
    """redmax and another engine differ."""


def agree(what: str, found: np.ndarray, expected: np.ndarray, tolerance: float = TOLERANCE) -> float:
    """max|found - expected| / max|expected|, the worst of the rows; an error if that is beyond the tolerance."""
    return within(what, found - expected, expected, tolerance)


def within(what: str, difference: np.ndarray, scale: np.ndarray, tolerance: float = TOLERANCE) -> float:
    """max|difference| / max|scale|, the worst of the rows; an error if that is beyond the tolerance."""
    error = float((np.abs(difference).max(axis=-1) / np.abs(scale).max(axis=-1)).max())
    if not error <= tolerance:
        raise Disagreement(f"{what} differs by {error:.1e}, expected at most {tolerance:.0e}")
    return error
