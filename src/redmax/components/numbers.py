"""The numbers that a component was made with, wherever they stand among its arguments, and the component made again with others.

A path says where a number stands: ("pitch",) of a screw, ("curve", "radius") of the curve that a joint follows, ("points", "1") of the
second point that a cable goes through. Values are arrays of floats; what says how many of something there are, or which, is no such number.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from redmax.arguments import as_array
from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.components.kept_arguments import Made, constructor
from redmax.lie import so3
from redmax.trace import Table

Path: TypeAlias = tuple[str, ...]
Values: TypeAlias = Mapping[Path, np.ndarray]
TURN = "turn"  # what a path calls the orientation of a frame: a rotation vector (rad) in its own axes, from where it is
COUNTS = ("int", "Which", "bool", "Cells", "Annotated[int", "Annotated[Sequence[int]")  # how annotations begin of what counts or chooses


def numbers_in(given: Any) -> dict[Path, np.ndarray]:
    """All numbers of a component, or of one of its arguments, by where they stand; (): itself."""
    if isinstance(given, Point):
        return {(): np.array(given.position, float)}
    if isinstance(given, FrameHandle):  # where its origin is in the body, as of a point, and how it is turned from there
        return {} if given.in_body is None else numbers_in(given.point) | {(TURN,): np.zeros(3)}
    if isinstance(given, Table):
        return {(): given.array}
    if isinstance(given, Made):
        parts = {name: direction(given, name, value) for name, value in every_argument(given).items() if not counts(given, name)}
    elif isinstance(given, dict):
        parts = {word(key): value for key, value in given.items()}
    elif isinstance(given, list | tuple) and not is_number(given):
        parts = {str(i): value for i, value in enumerate(given)}
    else:
        return {(): np.asarray(given, float)} if is_number(given) else {}
    return {(str(name), *path): value for name, part in parts.items() for path, value in numbers_in(part).items()}


def every_argument(made: Made) -> dict[str, Any]:
    """What the constructor took, by name, and what it took for granted."""
    signature = constructor(type(made))
    bound = inspect.BoundArguments(signature, dict(made.arguments()))  # type: ignore[arg-type]
    bound.apply_defaults()
    return dict(bound.arguments)


def direction(made: Made, argument: str, value: Any) -> Any:
    """The vector of an axis that is called "x", "-y" and so on; any other value as it is."""
    if not isinstance(value, str) or not str(constructor(type(made)).parameters[argument].annotation).startswith("Axis"):
        return value
    return np.array(so3.AXES[value.removeprefix("-")]) * (-1.0 if value.startswith("-") else 1.0)


def counts(made: Made, argument: str) -> bool:
    """Whether an argument says how many, or which."""
    return str(constructor(type(made)).parameters[argument].annotation).startswith(COUNTS)


def is_number(given: Any) -> bool:
    """Whether it is a number, or an array of some."""
    if given is None or isinstance(given, bool | str) or callable(given):
        return False
    array = as_array(given)
    return array.dtype.kind in "fiu" and array.size > 0 and bool(np.isfinite(array).all())


def made_with(given: Any, values: Values) -> Any:
    """A component made again, or one of its arguments, with other numbers where the paths say."""
    if not values:
        return given
    if isinstance(given, FrameHandle):
        return framed(given, values)
    if () in values:
        return as_given(given, values[()])
    parts = every_argument(given) if isinstance(given, Made) else given if isinstance(given, dict) else dict(enumerate(given))
    changed = {name: made_with(part, inside(values, word(name))) for name, part in parts.items()}
    if isinstance(given, Made):
        bound = inspect.BoundArguments(constructor(type(given)), changed)  # type: ignore[arg-type]
        return type(given)(*bound.args, **bound.kwargs)
    return changed if isinstance(given, dict) else type(given)(changed.values())


def word(key: Any) -> str:
    """What a path calls a place in a list or a dictionary: that of a body by its joint."""
    return key.joint if isinstance(key, BodyHandle) else str(key)


def inside(values: Values, name: str) -> dict[Path, np.ndarray]:
    """Those that stand within one argument."""
    return {path[1:]: value for path, value in values.items() if path[:1] == (name,)}


def as_given(old: Any, value: np.ndarray) -> Any:
    """A value in the form in which the constructor was given the old one."""
    if isinstance(old, Table):
        return Table(value)
    if isinstance(old, Point):
        return replace(old, position=tuple(value.tolist()))
    return float(value) if value.ndim == 0 else value.copy()


def framed(old: FrameHandle, values: Values) -> FrameHandle:
    """A frame of a body elsewhere, or turned."""
    E = old.on_body[1]
    E[:3, 3] = values.get((), E[:3, 3])
    if (TURN,) in values:
        E[:3, :3] = E[:3, :3] @ so3.exp(values[TURN,])
    return old.body.frame(E)
