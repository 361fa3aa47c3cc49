"""Calls with arguments that a constructor, a method or a function does not have: what it takes, and what was probably meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, wraps
from math import inf
from traceback import walk_tb
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from redmax.errors import brief, near_names

P = ParamSpec("P")
R = TypeVar("R")
Class = TypeVar("Class", bound=type)
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@lru_cache(maxsize=1024)
def taken(cls: type) -> tuple[float, frozenset[str] | None]:
    """How many arguments a constructor takes by position, and their names; None where any name will do."""
    try:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    except (TypeError, ValueError):  # of a class that does not say what it takes
        return inf, None
    kinds = [p.kind for p in parameters]
    most = inf if inspect.Parameter.VAR_POSITIONAL in kinds else sum(kind in BY_POSITION for kind in kinds)
    names = None if inspect.Parameter.VAR_KEYWORD in kinds else frozenset(p.name for p in parameters)
    return most, names


def check_call(cls: type, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Raise the TypeError that Python would, in more words."""
    most, names = taken(cls)
    if len(arguments) > most:
        raise TypeError(f"{too_many(cls, arguments, int(most))}")
    unknown = [] if names is None else [name for name in named if name not in names]
    if unknown:
        raise TypeError(no_argument(cls.__name__, unknown[0], sorted(names or ())))


def no_argument(who: str, name: str, names: Iterable[str]) -> str:
    """The sentence for an argument that is not there. who: what was called; names: of those that are."""
    known = list(names)
    near = " or ".join(map(repr, near_names(name, known)))
    has = f"It has: {', '.join(known)}." if known else "It takes none."
    return f"{who} has no argument {name!r}. " + (f"Did you mean {near}?" if near else has)


def too_many(cls: type, arguments: Sequence[Any], most: int) -> str:
    """The sentence for more values than there are places."""
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    place = f"{most} value{'s' * (most != 1)} without a name" if most else "no value without a name"
    said = f"{cls.__name__} takes {place} ({', '.join(parameters)}), and got {len(arguments)}."
    numbers = all(isinstance(x, int | float) for x in arguments)
    example = f" Numbers of one argument go into brackets: {cls.__name__}(({', '.join(map(str, arguments))}))."
    return said + (example if numbers and most == 1 and len(arguments) in (2, 3) else "")


def explained(*but: str) -> Callable[[Class], Class]:
    """A class whose constructor and public methods raise what Python raises for arguments that they do not take, in more words.

    but: methods that are called so often that a call more would be felt
    """

    def of_class(cls: Class) -> Class:
        for name in [name for name in dir(cls) if (name == "__init__" or not name.startswith("_")) and name not in but]:
            kept = inspect.getattr_static(cls, name)
            inner = kept.__func__ if isinstance(kept, classmethod) else kept
            if isinstance(inner, FunctionType) and takes_something(inner):
                telling: Any = tells(inner, cls.__name__ if name == "__init__" else f"{cls.__name__}.{name}")
                setattr(cls, name, classmethod(telling) if isinstance(kept, classmethod) else telling)
        return cls

    return of_class


def takes_something(method: Callable[..., Any]) -> bool:
    """Beside the object that it is of."""
    code = inspect.unwrap(method).__code__
    return code.co_argcount + code.co_kwonlyargcount > 1


def tells(method: Callable[P, R], who: str) -> Callable[P, R]:
    """The method, with a sentence for calls that it cannot take. who: what users call it."""

    @wraps(method)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return method(*arguments, **named)
        except TypeError as error:
            if came_from_within(error, method):
                raise
            raise TypeError(why_not(method, who, arguments, named, error)) from None

    return call


def came_from_within(error: TypeError, method: Callable[..., Any]) -> bool:
    """Whether the method had begun, or its call was what went wrong."""
    code = inspect.unwrap(method).__code__
    return any(frame.f_code is code for frame, _ in walk_tb(error.__traceback__))


def why_not(method: Callable[..., Any], who: str, arguments: Sequence[Any], named: Mapping[str, Any], error: TypeError) -> str:
    """What is wrong with a call of a method or a function. error: what Python says, which names what is missing well."""
    parameters = list(inspect.signature(method).parameters.values())
    own = int(bool(parameters) and parameters[0].name in ("self", "cls"))
    parameters = parameters[own:]
    places = [p.name for p in parameters if p.kind in BY_POSITION]
    twice = [(name, value) for name, value in zip(places, arguments[own:], strict=False) if name in named]
    if twice:
        return given_twice(who, places, *twice[0], named[twice[0][0]])
    known = [p.name for p in parameters if p.kind != p.VAR_KEYWORD]
    strange = [name for name in named if name not in known]
    if strange and len(known) == len(parameters):
        return no_argument(who, strange[0], known)
    return f"{who}() {str(error).partition('() ')[2] or error}"


def given_twice(who: str, places: Sequence[str], name: str, first: Any, second: Any) -> str:
    """The sentence for a value without a name that takes the place of one with a name."""
    at = places.index(name)
    other = f" If {brief(first)} is meant for another, name it, as in {places[at + 1]}={brief(first)}." if at + 1 < len(places) else ""
    order = f"Values without a name are {', '.join(places)}, in this order" if len(places) > 1 else f"A value without a name is {name}"
    return f"{who} got {name} twice: {brief(first)}, and {name}={brief(second)}. {order}.{other}"
