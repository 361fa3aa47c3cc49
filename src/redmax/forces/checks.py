"""What the numbers that describe a force may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.components.checks import choice, finite, number
from redmax.errors import wrong

FROM_ZERO = "a number from 0 up"
ROUNDING = 1e-10  # of what a matrix may lack to be symmetric and positive semidefinite, relative to its largest entry


def nonnegative(owner: str, name: str, value: Any) -> float:
    """A number from zero up."""
    return number(owner, name, value, FROM_ZERO, least=0)


def per_coordinate(owner: str, name: str, value: Any, valid: str) -> np.ndarray:
    """A number, or one for each coordinate of a joint, as an array of zero or one axes."""
    return finite(owner, name, value, ((), (-1,)), f"{valid}, one or one for each coordinate")


def nonnegative_each(owner: str, name: str, value: Any) -> np.ndarray:
    """A number from zero up, or one for each coordinate of a joint."""
    result = per_coordinate(owner, name, value, FROM_ZERO)
    if (result < 0).any():
        raise wrong(owner, name, value, FROM_ZERO)
    return result


def acts_on_twist(owner: str, value: Any) -> bool:
    """Whether a force within a joint is along its twist."""
    return choice(owner, "acts_on", value, ("rates", "twist")) == "twist"


def impedance(owner: str, name: str, value: Any, size: int = 3) -> np.ndarray:
    """The diagonal (size,), from one number or as many, or a symmetric positive semidefinite matrix (size, size)."""
    valid = f"a number from 0 up, {size} of them, or a symmetric {size}x{size} matrix that is positive semidefinite"
    given = finite(owner, name, value, ((), (size,), (size, size)), valid)
    given = np.full(size, float(given)) if given.ndim == 0 else given
    full = np.diag(given) if given.ndim == 1 else given
    scale = np.abs(full).max(initial=0.0)
    if np.abs(full - full.T).max() > ROUNDING * scale or np.linalg.eigvalsh(full).min() < -ROUNDING * scale:
        raise wrong(owner, name, value, valid)
    return given
