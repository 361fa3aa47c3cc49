"""Torques of every step, given before the run: an array that the compiled loop reads as it goes, with no call of Python."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.errors import SceneError
from redmax.model.model import Model


def checked_controls(controls: ArrayLike, model: Model, batch: tuple[int, ...], dtype: str) -> np.ndarray:
    """(steps, nv), or (steps, worlds, nv), by rows: row k is held during step k. batch: the leading axes of the states."""
    array, nv = as_numbers(controls, "controls", dtype), model.nv
    shapes = [(nv,), (*batch, nv)]
    if array.ndim < 2 or array.shape[1:] not in shapes:
        each = f"(steps, {', '.join(map(str, (*batch, nv)))})" + (f", or (steps, {nv}) for all worlds" if batch else "")
        raise SceneError(f"controls are torques of every step, of shape {each}. Got {array.shape}.")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        step, *_, column = map(int, bad[0])
        where = f"in step {step}, joint {model.joint_of(column)!r}"
        raise SceneError(f"controls must be finite. Got {array[tuple(bad[0])]} {where}.")
    alike = (array.shape[1:] == (nv,) and not batch) or array.ndim == 2
    return np.ascontiguousarray(array if alike else array.reshape(len(array), math.prod(batch), nv))


def check_length(controls: np.ndarray, steps: int) -> None:
    """Raise unless there are torques for so many steps."""
    if len(controls) < steps:
        fix = "Give a row for each step, or a shorter duration"
        raise SceneError(f"controls has {brief(len(controls))} rows, and the run takes {steps} steps of dt. {fix}.")
