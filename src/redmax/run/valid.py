"""What one option of a run may be: each kind checks a value, and says in words what it expects."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from redmax.arguments import as_array, as_float, as_whole, brief
from redmax.errors import RedmaxError, SceneError, near_names

RUN = "simulate"  # whose options they are, for errors


@dataclass(frozen=True)
class Positive:
    """A number above zero, and at most `most`. expected: in words."""

    expected: str
    most: float | None = None

    def check(self, name: str, value: Any) -> None:
        if positive(value, name) > (self.most or inf):
            raise SceneError(f"{name} must be {self.expected}. Got {brief(value)}.", owner=RUN, argument=name)


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
            raise RedmaxError(f"There is no {name} {got}.{near} Valid: {names}.", owner=RUN, argument=name, got=got, expected=names)


Valid = Positive | PositiveEach | Whole | OneOf | OneOfWhole | Share


def not_valid(name: str, value: Any, expected: str) -> SceneError:
    """The error of one option that is not what it should be."""
    got = brief(value)
    return SceneError(f"{name} must be {expected}. Got {got}.", owner=RUN, argument=name, got=got, expected=expected)


def positive(value: Any, name: str) -> float:
    number = as_float(value)
    if number is None or not 0 < number < inf:
        raise not_valid(name, value, "a positive number")
    return number
