"""What the numbers that describe a force may be."""

from __future__ import annotations

import math
from typing import Any

from redmax.errors import SceneError


def number(owner: str, name: str, value: Any, valid: str) -> float:
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise SceneError(f"{owner}: {name} is {value!r}, expected {valid}.") from None
    if not math.isfinite(result):
        raise SceneError(f"{owner}: {name} is {value!r}, expected {valid}.")
    return result


def nonnegative(owner: str, name: str, value: Any, unit: str = "") -> float:
    """A number from zero up."""
    result = number(owner, name, value, f"a number from 0 up{of(unit)}")
    if result < 0:
        raise SceneError(f"{owner}: {name} is {value!r}, expected a number from 0 up{of(unit)}.")
    return result


def positive(owner: str, name: str, value: Any, unit: str = "") -> float:
    """A number above zero."""
    result = number(owner, name, value, f"a number above 0{of(unit)}")
    if not result > 0:
        raise SceneError(f"{owner}: {name} is {value!r}, expected a number above 0{of(unit)}.")
    return result


def of(unit: str) -> str:
    return f" ({unit})" if unit else ""
