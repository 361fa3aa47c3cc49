"""What the numbers that describe a force may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite
from redmax.errors import SceneError

ROUNDING = 1e-10  # of what a matrix may lack to be symmetric and positive semidefinite, relative to its largest entry


def number(owner: str, name: str, value: Any, valid: str) -> float:
    return float(finite(owner, name, value, ((),), valid))


def nonnegative(owner: str, name: str, value: Any, unit: str = "") -> float:
    """A number from zero up."""
    result = number(owner, name, value, f"a number from 0 up{of(unit)}")
    if result < 0:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected a number from 0 up{of(unit)}.")
    return result


def positive(owner: str, name: str, value: Any, unit: str = "") -> float:
    """A number above zero."""
    result = number(owner, name, value, f"a number above 0{of(unit)}")
    if not result > 0:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected a number above 0{of(unit)}.")
    return result


def choice(owner: str, name: str, value: Any, valid: tuple[str, ...]) -> str:
    """One of some texts."""
    if not isinstance(value, str) or value not in valid:
        raise SceneError(f"{owner}: {name} is {brief(value)}. Valid: {', '.join(map(repr, valid))}.")
    return value


def of(unit: str) -> str:
    return f" ({unit})" if unit else ""


def vector3(owner: str, name: str, value: Any, valid: str = "three finite numbers") -> np.ndarray:
    return finite(owner, name, value, ((3,),), valid)


def per_coordinate(owner: str, name: str, value: Any, valid: str) -> np.ndarray:
    """A number, or one for each coordinate of a joint, as an array of zero or one axes."""
    return finite(owner, name, value, ((), (-1,)), f"{valid}, one or one for each coordinate")


def nonnegative_each(owner: str, name: str, value: Any, unit: str = "") -> np.ndarray:
    """A number from zero up, or one for each coordinate of a joint."""
    result = per_coordinate(owner, name, value, f"a number from 0 up{of(unit)}")
    if (result < 0).any():
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected a number from 0 up{of(unit)}.")
    return result


def impedance(owner: str, name: str, value: Any, size: int = 3) -> np.ndarray:
    """The diagonal (size,), from one number or as many, or a symmetric positive semidefinite matrix (size, size)."""
    valid = f"a number from 0 up, {size} of them, or a symmetric {size}x{size} matrix that is positive semidefinite"
    given = finite(owner, name, value, ((), (size,), (size, size)), valid)
    given = np.full(size, float(given)) if given.ndim == 0 else given
    full = np.diag(given) if given.ndim == 1 else given
    scale = np.abs(full).max(initial=0.0)
    if np.abs(full - full.T).max() > ROUNDING * scale or np.linalg.eigvalsh(full).min() < -ROUNDING * scale:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    return given
