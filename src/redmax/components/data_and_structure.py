"""What joints, curves and surfaces have in common: their attributes say what they are, and which of it may vary within a kernel.

Attributes that are floats, float arrays or tables are data: two of a kind that differ only in them share their compiled kernels. Every
other attribute (names, integers, functions) is structure. Each may hold others, by themselves or in tuples.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, Self

import numpy as np

from redmax.components.kept_arguments import KEPT, Made, constructor
from redmax.trace import Table

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
MOST = 6  # numbers of an array that are shown
FAMILIES = ("components", "joints", "curves", "surfaces", "forces", "muscles", "deformables", "constraints", "contact")
OWN = tuple(f"redmax.{part}." for part in FAMILIES)  # in every kernel's key


class Described(Made):
    """Attributes are set once, when it is made."""

    def data(self) -> dict[str, np.ndarray | Table]:
        """The attributes that are data, in order of name; those of one within it are called "parts.0.pitch"."""
        return {n: v for name, value in sorted(attributes(self).items()) for n, v in data_in(name, value).items()}

    def structure(self) -> tuple[Any, ...]:
        """The rest: equal for two of a kind only if they differ in nothing but data."""
        rest = tuple((n, structure_of(v)) for n, v in sorted(attributes(self).items()) if not isinstance(v, float))
        try:
            hash(rest)
        except TypeError:  # an attribute that cannot be compared: equal to nothing else
            rest = (object(),)
        return type(self), rest

    def with_data(self, data: dict[str, Any]) -> Self:
        """The same over other (traced) data."""
        other, inner = copy.copy(self), parted(data)
        for name, value in attributes(self).items():
            object.__setattr__(other, name, refilled(value, data.get(name), inner.get(name, {})))
        return other

    def __repr__(self) -> str:
        """As it was made, as far as it keeps its arguments under their names, without those that say nothing new."""
        arguments = list(constructor(type(self)).parameters.values())
        kept = [a for a in arguments if a.kind in NAMED and a.name != "domain" and hasattr(self, a.name)]
        said = [f"{a.name}={one_line(getattr(self, a.name))}" for a in kept if not same(getattr(self, a.name), a.default)]
        return f"{type(self).__name__}({', '.join(said)})"


def attributes(described: Described) -> dict[str, Any]:
    """What says what it is: all but the arguments that it was made with, from which the rest follows."""
    return {name: value for name, value in vars(described).items() if name != KEPT}


def is_known(structure: Any) -> bool:
    """Whether a structure's text tells it apart: all its classes are the library's, and no function is part of it."""
    if isinstance(structure, tuple):
        return all(map(is_known, structure))
    return structure.__module__.startswith(OWN) if isinstance(structure, type) else not callable(structure)


def is_data(value: Any) -> bool:
    return isinstance(value, float | Table) or is_array(value)


def is_array(value: Any) -> bool:
    return isinstance(value, Table) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def data_in(name: str, value: Any) -> dict[str, np.ndarray | Table]:
    """The data of an attribute: itself, or that of one described within, or of what a tuple holds of these."""
    if is_data(value):
        return {name: value if isinstance(value, Table) else np.asarray(value, float)}
    if isinstance(value, Described):
        return {f"{name}.{n}": v for n, v in value.data().items()}
    if type(value) is tuple:  # a float within is structure, as the tuple is
        return {n: v for i, x in enumerate(value) if not isinstance(x, float) for n, v in data_in(f"{name}.{i}", x).items()}
    return {}


def structure_of(value: Any) -> Any:
    """An attribute without what `data_in` finds, of which only the shapes are left."""
    if is_array(value):
        return value.shape
    if isinstance(value, Described):
        return value.structure()
    return tuple(map(structure_of, value)) if type(value) is tuple else value


def parted(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The data of what lies within each attribute, or within each place of a tuple."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in data.items():
        first, dot, rest = name.partition(".")
        if dot:
            found.setdefault(first, {})[rest] = value
    return found


def refilled(value: Any, own: Any, inner: dict[str, Any]) -> Any:
    """An attribute with other data in place of what `data_in` finds. own: in place of itself; inner: of what lies within."""
    if own is not None:
        return own.item() if isinstance(own, np.ndarray) and not own.ndim else own
    if isinstance(value, Described):
        return value.with_data(inner)
    if type(value) is not tuple:
        return value
    within = parted(inner)
    return tuple(refilled(x, inner.get(str(i)), within.get(str(i), {})) for i, x in enumerate(value))


def same(value: Any, default: Any) -> bool:
    """Whether a value is the default of its argument; no pose, as for a base, is the one that does nothing."""
    if default is inspect.Parameter.empty:
        return False
    if default is None and isinstance(value, float) and value != value:
        return True  # not a number stands for what was not given
    default = np.eye(4) if default is None and np.shape(value) == (4, 4) else default
    return value is default or bool(np.array_equal(value, default))


def one_line(value: Any) -> str:
    """A value in one line: numbers to six digits, large arrays by their shape, functions by name."""
    if isinstance(value, float):
        return f"{value + 0.0:g}"  # + 0.0: no minus zero
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"array of {' x '.join(map(str, value.shape))}"
    if isinstance(value, np.ndarray | list):
        value = tuple(np.asarray(value).tolist()) if np.ndim(value) == 1 else np.asarray(value).tolist()
    if isinstance(value, tuple):
        return f"({', '.join(map(one_line, value))})"
    return getattr(value, "__name__", None) or " ".join(repr(value).split())
