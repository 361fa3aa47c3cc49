"""What drives a muscle, as a user gives it: a number from 0 to 1, or a function of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.arguments import as_array, brief
from redmax.components.checks import number
from redmax.components.from_function import check_call
from redmax.errors import Phrase, SceneError
from redmax.trace.blame import Blaming


def checked_activation(owner: str, value: object, name: str = "activation") -> float:
    """`value` as a float from 0 to 1, or an error that says whose it is."""
    return number(owner, name, value, "a number from 0 to 1", least=0, most=1)


@Blaming()
def checked_excitation(owner: str, value: object, name: str = "excitation") -> float | Callable[[Any], Any]:
    """`value` as a float from 0 to 1 or as a function of time (s) with such values, of which the one at t = 0 is checked."""
    if not callable(value):
        return checked_activation(owner, value, name)
    check_call(f"{owner}: {name}", value, ("t",), {}, owner=owner, argument=name)
    start: Any = value(0.0)
    if as_array(start).shape == () and isinstance(start, int | float | np.number | np.ndarray):
        checked_activation(owner, start, Phrase(f"{name} at t = 0", name))
        return value
    raise SceneError(f"{owner}: {name} gives {brief(start)} at t = 0, expected a number from 0 to 1.", owner=owner, argument=name)
