"""What users give, as what the library needs: arrays of numbers, whole numbers, paths.

Whatever is given, reading it ends in a value or in None or a RedmaxError: whole numbers beyond the range of floats, ragged and recursive
lists, objects that raise when they are asked what they are. The families' own checks are made of these; so are the kinds of options that
a run has, each of which checks a value and says in words what it expects.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from redmax.errors import RedmaxError, SceneError, brief, near_names

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


@dataclass(frozen=True)
class Positive:
    """A number above zero, and at most `most`. expected: in words."""

    expected: str
    most: float | None = None

    def check(self, name: str, value: Any) -> None:
        if positive(value, name) > (self.most or inf):
            raise SceneError(f"{name} must be {self.expected}. Got {brief(value)}.", owner="simulate", argument=name)


@dataclass(frozen=True)
class PositiveEach:
    """A number above zero, or several of them, one for each rate of a scene; or None, for that of another option."""

    expected: str

    def check(self, name: str, value: Any) -> None:
        """Raise unless it is that; how many a scene has is looked at by itself (`tolerances`)."""
        given = as_array(value)
        numbers = given.astype(float) if given.dtype.kind in "fiu" and given.ndim < 2 and given.size else np.zeros(1)
        if value is not None and not ((numbers > 0) & np.isfinite(numbers)).all():
            raise not_valid(name, value, self.expected)


@dataclass(frozen=True)
class Whole:
    """A whole number from `least` to `most`; or_none: or 0, which is none of them."""

    least: int
    most: int | None = None
    or_none: bool = False

    @property
    def expected(self) -> str:
        return f"{'0, or ' * self.or_none}a whole number from {self.least} " + ("up" if self.most is None else f"to {self.most}")

    def check(self, name: str, value: Any) -> None:
        if self.or_none and as_whole(value, 0) == 0:
            return
        if as_whole(value, self.least) is None or (self.most is not None and value > self.most):
            raise not_valid(name, value, self.expected)


@dataclass(frozen=True)
class OneOfWhole:
    """One of some whole numbers; or None, if the library may choose."""

    names: Collection[int]

    @property
    def expected(self) -> str:
        return f"one of {', '.join(map(str, self.names))}"

    def check(self, name: str, value: Any) -> None:
        if value is not None and (as_whole(value) is None or value not in self.names):
            raise not_valid(name, value, self.expected)


@dataclass(frozen=True)
class Share:
    """A number from 0 to 1; or None, if the library may choose."""

    expected: str = "a number from 0 to 1"

    def check(self, name: str, value: Any) -> None:
        number = as_float(value)
        if value is not None and (number is None or not 0.0 <= number <= 1.0):
            raise not_valid(name, value, self.expected)


@dataclass(frozen=True)
class OneOf:
    """One of some names; or None, if the library may choose."""

    names: Collection[str]
    open: bool = False

    @property
    def expected(self) -> str:
        return f"one of {', '.join(self.names)}"

    def check(self, name: str, value: Any) -> None:
        if not (self.open and value is None) and not (isinstance(value, str) and value in self.names):
            got, names = brief(value), ", ".join(self.names)
            near = f" Did you mean {' or '.join(map(repr, near_names(value, self.names)))}?" if near_names(value, self.names) else ""
            raise RedmaxError(f"There is no {name} {got}.{near} Valid: {names}.", owner="simulate", argument=name, got=got, expected=names)


@dataclass(frozen=True)
class Named:
    """Some text that names something; or None, if the library may choose. expected: what, in words."""

    expected: str

    def check(self, name: str, value: Any) -> None:
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise not_valid(name, value, self.expected)


Valid = Positive | PositiveEach | Whole | OneOf | OneOfWhole | Share | Named


def not_valid(name: str, value: Any, expected: str) -> SceneError:
    """The error of one option that is not what it should be."""
    got = brief(value)
    return SceneError(f"{name} must be {expected}. Got {got}.", owner="simulate", argument=name, got=got, expected=expected)


def positive(value: Any, name: str) -> float:
    number = as_float(value)
    if number is None or not 0 < number < inf:
        raise not_valid(name, value, "a positive number")
    return number
