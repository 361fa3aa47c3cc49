"""What an object was made with: the arguments of its constructor, as they were given.

A constructor turns what a user writes into what the equations need: "y" into a unit vector, control points into polynomials, a mesh into
its inertia. A scene file says what the user wrote, so that making the object again gives the same numbers to the last bit.
"""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np

from redmax.components.wrong_call import check_call
from redmax.errors import SceneError

KEPT = "made"  # the attribute's name: neither data nor structure of what it belongs to


class Keeping:
    """made: (positional, by name), the arguments of the constructor; later changes of the user's lists and arrays do not reach them."""

    made: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        self = super().__new__(cls)
        check_call(cls, arguments, named)
        try:
            made = tuple(map(kept, arguments)), {name: kept(value) for name, value in named.items()}
        except RecursionError:
            sentence = f"{cls.__name__}: an argument is nested too deeply, or holds itself."
            raise SceneError(sentence, owner=cls.__name__, argument=endless(cls, arguments, named)) from None
        object.__setattr__(self, KEPT, made)
        return self


class Made(Keeping):
    """What keeps its arguments. (A class of its own: for `help` and editors a constructor is the first of `__init__` and `__new__`.)"""

    def __init__(self) -> None:
        """Takes nothing, as that of `object` would if there were no `__new__`."""

    def arguments(self) -> dict[str, Any]:
        """The given arguments by name, in the order of the constructor; those of a `**` parameter under its name, as one dictionary."""
        positional, named = self.made
        return dict(constructor(type(self)).bind(*positional, **named).arguments)


def constructor(cls: type) -> inspect.Signature:
    """What the `__init__` of a class takes. (`inspect.signature(cls)` would be that of `__new__` in Python up to 3.11.2.)"""
    whole = inspect.signature(cls.__init__)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def endless(cls: type, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The name of the argument that cannot be kept."""
    parameters = list(constructor(cls).parameters)
    for k, value in (*enumerate(arguments), *named.items()):
        try:
            kept(value)
        except RecursionError:
            return k if isinstance(k, str) else parameters[min(k, len(parameters) - 1)]
    return ""


def kept(value: Any) -> Any:
    """A value that nobody else can change, as far as it is made of lists, dictionaries and arrays."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(kept, value))
    return {k: kept(v) for k, v in value.items()} if type(value) is dict else value
