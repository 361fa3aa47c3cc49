"""A user's function within a force: its parameters are data, and what it returns is checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from redmax.arguments import as_float, as_objects, brief
from redmax.components.from_function import FromFunction, check_call
from redmax.errors import SceneError
from redmax.joints.base import name_of, takes_time
from redmax.trace import Scalar

OF_TIME = " What depends on time takes it with the name t."
ALL_OF_THEM = " Each function of a {} is called with all its parameters: one that needs fewer takes **others too."


class Given(FromFunction):
    """owner: what messages call the force; arguments: what the function is called with, then t if it takes a t.

    argument: of the force, which it is; family: a force, or what else is made of functions
    """

    family: ClassVar[str] = "force"

    def __init__(
        self,
        owner: str,
        function: Callable[..., Any],
        arguments: tuple[str, ...],
        parameters: dict[str, Any],
        argument: str = "function",
    ) -> None:
        if not callable(function):
            raise SceneError(
                f"{owner} takes a function of {', '.join(arguments) or 't'}. Got {brief(function)}.", owner=owner, argument=argument
            )
        self.timed = "t" not in parameters and "t" not in arguments and takes_time(function)
        called_with = (*arguments, "t") if self.timed else arguments
        what = f"the function {name_of(function)!r}{'' if argument == 'function' else f' ({argument}=)'}"
        self.hold(owner, function, called_with, parameters, OF_TIME + ALL_OF_THEM.format(self.family) * bool(parameters), argument, what)

    @property
    def label(self) -> str:
        return f"The function {name_of(self.function)!r} of a {self.family}"

    def at(self, *arguments: Any, t: Any) -> Any:
        return self.function(*arguments, *([t] if self.timed else []), **self.parameters)

    def number(self, *arguments: Any, t: Any, what: str) -> Any:
        """What it returns, which must be one number. what: in words, a Phrase for the argument that the function is"""
        found = self.at(*arguments, t=t)
        value = as_objects(found)
        if value.size != 1:
            raise SceneError(f"{self.label} must return {what}, one number. Got shape {value.shape}.", argument=what)
        if not are_numbers(value):
            raise SceneError(f"{self.label} must return {what}, one number. Got {brief(found)}.", argument=what)
        return value.reshape(-1)[0]


def are_numbers(values: np.ndarray) -> bool:
    """Whether all entries are numbers or traced."""
    real = (int, float, np.integer, np.floating, np.bool_)
    return all(isinstance(x, Scalar) or (isinstance(x, real) and as_float(x) is not None) for x in values.ravel())


def of_time(owner: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called with t."""
    check_call(f"{owner}: the function for {name}", function, ("t",), {}, owner=owner, argument=name)
    return function


def vector_at(owner: str, name: str, value: Any, t: Any) -> Any:
    """(3,): a constant, or a function of time at t."""
    if not callable(value):
        return value
    given = value(t)
    found = as_objects(given)
    if found.shape != (3,) or not are_numbers(found):
        got = f"shape {found.shape}" if found.shape != (3,) else brief(given)
        raise SceneError(
            f"{owner}: the function {name_of(value)!r} for {name} must return three numbers. Got {got}.", owner=owner, argument=name
        )
    return found
