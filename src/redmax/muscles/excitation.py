"""What drives a muscle, as a user gives it: a number from 0 to 1, or a function of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.arguments import as_array, brief
from redmax.components.checks import finite
from redmax.components.from_function import check_call
from redmax.errors import SceneError
from redmax.trace.blame import Blaming


def checked_activation(owner: str, value: Any, name: str = "activation") -> float:
    """`value` as a float from 0 to 1, or an error that says whose it is."""
    valid = "a number from 0 to 1"
    number = float(finite(owner, name, value, ((),), valid))
    if not 0 <= number <= 1:
        raise SceneError(f"{owner}: {name} is {brief(value)}, expected {valid}.")
    return number


@Blaming()
def checked_excitation(owner: str, value: Any, name: str = "excitation") -> float | Callable[[Any], Any]:
    """`value` as a float from 0 to 1 or as a function of time (s) with such values, of which the one at t = 0 is checked."""
    if not callable(value):
        return checked_activation(owner, value, name)
    check_call(f"{owner}: {name}", value, ("t",), {})
    start: Any = value(0.0)
    if as_array(start).shape == () and isinstance(start, int | float | np.number | np.ndarray):
        checked_activation(owner, start, f"{name} at t = 0")
        return value
    raise SceneError(f"{owner}: {name} gives {brief(start)} at t = 0, expected a number from 0 to 1.")
