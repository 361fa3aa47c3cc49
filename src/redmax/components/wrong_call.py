"""Calls of constructors with arguments that they do not have: what they take, and what was probably meant."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import Any

from redmax.errors import near_names

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
        near = " or ".join(map(repr, near_names(unknown[0], sorted(names or ()))))
        meant = f" Did you mean {near}?" if near else f" It has: {', '.join(sorted(names or ()))}."
        raise TypeError(f"{cls.__name__} has no argument {unknown[0]!r}.{meant}")


def too_many(cls: type, arguments: Sequence[Any], most: int) -> str:
    """The sentence for more values than there are places."""
    parameters = list(inspect.signature(cls.__init__).parameters)[1:]
    place = f"{most} value{'s' * (most != 1)} without a name" if most else "no value without a name"
    said = f"{cls.__name__} takes {place} ({', '.join(parameters)}), and got {len(arguments)}."
    numbers = all(isinstance(x, int | float) for x in arguments)
    example = f" Numbers of one argument go into brackets: {cls.__name__}(({', '.join(map(str, arguments))}))."
    return said + (example if numbers and most == 1 and len(arguments) in (2, 3) else "")
