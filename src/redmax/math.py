"""Functions for floats, arrays (elementwise, any leading axes) and traced scalars alike.

A user's own function may use Python's operators, NumPy's sin, cos, sqrt, @ on arrays, and this module for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.trace import algebra, logic
from redmax.trace.evaluate import NUMERIC
from redmax.trace.local import derivatives
from redmax.trace.scalar import Scalar, is_traced
from redmax.trace.table import Table, locate
from redmax.types import Array

__all__ = [
    "Table", "absolute", "acos", "array", "asin", "atan", "atan2", "cos", "cosh", "derivatives", "exp", "floor", "frozen", "less",
    "locate", "log", "logical_and", "logical_not", "logical_or", "maximum", "minimum", "norm", "power", "sin", "sinh", "sqrt",
    "stumpff", "tan", "tanh", "where",
]  # fmt: skip


Entries: TypeAlias = Scalar | ArrayLike  # a number, a traced one, or an array or nested lists of either: taken entry by entry
Unary: TypeAlias = Callable[[Entries], Any]
Binary: TypeAlias = Callable[[Entries, Entries], Any]
Ternary: TypeAlias = Callable[[Entries, Entries, Entries], Any]


def holds_traced(x: Any) -> bool:
    return is_traced(x) or (isinstance(x, np.ndarray) and x.dtype == object) or (isinstance(x, list | tuple) and any(map(holds_traced, x)))


def elementwise(traced: Callable[..., Any], numeric: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs with NumPy on numbers and entry by entry on traced values."""

    def function(*args: Entries) -> Any:
        if not any(holds_traced(a) for a in args):
            return numeric(*args)
        if all(not isinstance(a, np.ndarray | list | tuple) or (isinstance(a, np.ndarray) and a.ndim == 0) for a in args):
            return traced(*[a.item() if isinstance(a, np.ndarray) else a for a in args])
        spread = np.broadcast_arrays(*[np.asarray(a, object) for a in args])
        out = np.empty(spread[0].shape, object)
        for index in np.ndindex(out.shape):
            out[index] = traced(*[a[index] for a in spread])
        return out

    return function


def unary(op: str) -> Unary:
    """An elementary function, by the name that traces have for it."""
    return elementwise(lambda x: algebra.apply(op, x), NUMERIC[op])


sin, cos, tan = unary("sin"), unary("cos"), unary("tan")
asin, acos, atan = unary("asin"), unary("acos"), unary("atan")
exp, log, sqrt = unary("exp"), unary("log"), unary("sqrt")
sinh, cosh, tanh = unary("sinh"), unary("cosh"), unary("tanh")
absolute, floor = unary("abs"), unary("floor")
atan2: Binary = elementwise(lambda y, x: algebra.binary("atan2", y, x), np.arctan2)
power: Binary = elementwise(algebra.power, np.power)
where: Ternary = elementwise(logic.select, lambda condition, x, y: np.where(condition, x, y)[()])  # of numbers, a number
less: Binary = elementwise(lambda x, y: logic.compare("lt", x, y), np.less)  # of arrays too, whose own < wants a truth value
minimum: Binary = elementwise(lambda x, y: logic.select(logic.compare("lt", x, y), x, y), np.minimum)
maximum: Binary = elementwise(lambda x, y: logic.select(logic.compare("lt", x, y), y, x), np.maximum)
logical_and: Binary = elementwise(logic.both, np.logical_and)
logical_or: Binary = elementwise(logic.either, np.logical_or)
logical_not: Unary = elementwise(logic.negate, np.logical_not)
frozen: Unary = elementwise(logic.frozen, lambda x: x)


def stumpff(k: int, x: Entries) -> Any:
    """Stumpff function c_k(x) = sum_j (-x)^j / (2j + k)! of a squared angle x: c_0 = cos sqrt x, c_1 = sin(sqrt x)/sqrt x, ...

    Smooth through zero, and so are all its derivatives: c_k' = (k c_{k+2} - c_{k+1}) / 2.
    """
    return elementwise(lambda v: logic.stumpff(k, v), lambda v: NUMERIC["stumpff"](k, v))(x)


def array(rows: Sequence[Any]) -> np.ndarray:
    """A small array from nested lists whose entries are numbers, traced scalars, or arrays over common leading (batch) axes."""
    entries = np.empty(shape_of(rows), object)
    for index in np.ndindex(entries.shape):
        entry: Any = rows
        for i in index:
            entry = entry[i]
        entries[index] = entry.item() if isinstance(entry, np.ndarray) and entry.shape == () else entry
    if any(is_traced(x) for x in entries.flat):
        return entries
    flat = np.broadcast_arrays(*[np.asarray(x, float) for x in entries.flat]) if entries.size else []
    lead = flat[0].shape if entries.size else ()
    return np.stack(flat, axis=-1).reshape(*lead, *entries.shape) if entries.size else np.zeros(entries.shape)


def shape_of(rows: Any) -> tuple[int, ...]:
    return (len(rows), *shape_of(rows[0])) if isinstance(rows, list | tuple) and rows else ()


def norm(x: Array) -> Any:
    """Euclidean length over the last axis."""
    return sqrt(sum_last(x * x))


def sum_last(x: Array) -> Any:
    total: Any = x[..., 0]
    for i in range(1, x.shape[-1]):
        total = total + x[..., i]
    return total
