"""Checks of what the user gives for a deformable, beside those of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite
from redmax.errors import SceneError
from redmax.memory import check_room

BYTES = 200  # of an element and its nodes, about


def nonnegative(owner: str, name: str, value: Any, unit: str) -> float:
    """`value` as a float from 0 up, or an error."""
    valid = f"a finite number from 0 up ({unit})"
    number = float(finite(owner, name, value, ((),), valid))
    if not number >= 0:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    return number


def check_size(owner: str, elements: int) -> None:
    """Raise if so many elements do not fit into memory, about."""
    check_room(BYTES * elements, f"{owner} of {elements:,} elements", "Use fewer.")


def whole(owner: str, name: str, value: Any, least: int) -> int:
    """`value` as a whole number, or an error."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected a whole number from {least} up.")
    return int(value)
