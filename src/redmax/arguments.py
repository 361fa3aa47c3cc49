"""What users give, as what the library needs: arrays of numbers, whole numbers, paths.

Whatever is given, reading it ends in a value or in None or a RedmaxError: whole numbers beyond the range of floats, ragged and recursive
lists, objects that raise when they are asked what they are. The families' own checks are made of these.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from redmax.errors import SceneError, brief

LONGEST = 255  # bytes of a name that file systems take


def as_array(value: Any) -> np.ndarray:
    """`value` as an array of any kind; of what is none, an array of None."""
    try:
        return np.asarray(value)
    except Exception:  # ragged, recursive, beyond floats, or an object of the user's that raises
        return np.asarray(None)


def as_objects(value: Any) -> np.ndarray:
    """What a user's function returned, of numbers and traced scalars, as an array; of what is none, an array of None."""
    try:
        return np.asarray(value, object)
    except Exception:
        return np.asarray(None)


def as_floats(value: Any, dtype: Any = float) -> np.ndarray | None:
    """`value` as an array of floats, a new one; None if it is no numbers, or holds whole numbers that no float can hold."""
    try:
        return np.array(value, dtype)
    except Exception:
        return None


def as_numbers(value: Any, name: str, dtype: str) -> np.ndarray:
    """`value` as an array of floats of this type, or an error that names it."""
    try:
        return np.asarray(value, dtype)
    except Exception:  # no numbers, beyond floats, or an object that raises
        got = brief(value)
        raise SceneError(
            f"{name} must be an array of numbers. Got {got}.", argument=name, got=got, expected="an array of numbers"
        ) from None


def as_float(value: Any) -> float | None:
    """`value` as one float; None if it is none."""
    try:
        return float(value)
    except Exception:
        return None


def as_whole(value: Any, least: int = 0) -> int | None:
    """`value` as a whole number from `least` up; None if it is none (True is none either)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        return None
    return int(value)


def as_names(value: Any) -> list[str] | None:
    """`value` as a list of texts; None if it is none, as one text by itself is not."""
    found = list(value) if isinstance(value, Collection) and not isinstance(value, str | bytes | np.ndarray) else [None]
    return [str(name) for name in found] if all(isinstance(name, str) for name in found) else None


def as_path(value: Any, what: str, example: str, error: type[Exception] = SceneError) -> Path:
    """`value` as a path that a file may have. what: whose it is, in a sentence; example: a name for it."""
    try:
        text = os.fspath(value)
    except Exception:
        text = None
    if not isinstance(text, str):
        raise error(f"{what} is named by a path such as {example!r}. Got {brief(value)}.")
    why = flaw(text)
    if why:
        raise error(f"{what} is named by a path such as {example!r}. Got {brief(text)}, which {why}.")
    return Path(text)


def as_world(index: Any, batch: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of a world of a run. batch: the axes of its worlds."""
    numbers = index if isinstance(index, tuple) else (index,)
    whole = 0 < len(numbers) <= len(batch) and all(isinstance(i, int | np.integer) for i in numbers)
    if not batch or not whole or any(not -n <= i < n for i, n in zip(numbers, batch, strict=False)):
        valid = f"one number for each axis of the batch {batch}" if batch else "no index: this run has one world, and is what you want"
        raise SceneError(
            f"There is no world {brief(index)} in this run. Valid: {valid}.", argument="index", got=brief(index), expected=valid
        )
    return tuple(int(i) for i in numbers)


def check_sample(sample: Any, count: int) -> None:
    """Raise unless a run of so many samples has this one."""
    if isinstance(sample, bool) or not isinstance(sample, int | np.integer) or not -count <= sample < count:
        got, valid = brief(sample), f"whole numbers from {-count} to {count - 1}"
        raise SceneError(f"There is no sample {got} in this run. Valid: {valid}.", argument="sample", got=got, expected=valid)


def flaw(text: str) -> str:
    """Why no file can have this path, or nothing."""
    if not text:
        return "is empty"
    if "\0" in text:
        return "holds a null character"
    try:
        longest = max(map(len, os.fsencode(text).split(b"/")))
    except UnicodeEncodeError:
        return "holds characters that no name of a file can have"
    return f"has a name of {longest} bytes, more than {LONGEST}" if longest > LONGEST else ""
