"""What the operations on traced scalars are given: constants as floats, arrays entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from redmax.errors import brief
from redmax.trace.blame import cannot_trace

if TYPE_CHECKING:
    from redmax.trace.scalar import Graph, Scalar

NUMBERS = (float, int, np.floating, np.integer, np.bool_)


def traced(x: Any) -> TypeGuard[Scalar]:
    """Whether x is a node; known by its graph, as this module cannot import what imports it."""
    return hasattr(x, "graph")


def number(x: Any) -> float:
    """A constant operand as a float, or an error about what it is."""
    if type(x) is float:
        return x
    if isinstance(x, NUMBERS):
        try:
            return float(x)
        except OverflowError:
            raise cannot_trace("a whole number is too large for a float", "numbers below 1.8e308") from None
    raise cannot_trace(f"a traced value cannot be combined with {type(x).__name__} {brief(x)}", "a number or another traced value")


def operands(x: Any, y: Any) -> tuple[Any, Any, bool, bool]:
    """Both operands with constants as floats, and whether each is one."""
    x, nx = operand(x)
    y, ny = operand(y)
    return x, y, nx, ny


def operand(x: Any) -> tuple[Any, bool]:
    """A traced value as it is, a constant as a float; and whether it is one."""
    if type(x) is np.ndarray:
        x = x.item()
    if not hasattr(x, "graph"):
        return number(x), True
    return (x.args[0], True) if x.op == "const" else (x, False)


def spread(f: Any, x: Any, y: Any) -> Any:
    """`f` over an array operand, entry by entry."""
    a, b = np.broadcast_arrays(np.asarray(x, object), np.asarray(y, object))
    out = np.empty(a.shape, object)
    for index in np.ndindex(a.shape):
        out[index] = f(a[index], b[index])
    return out


def arrays(x: Any, y: Any) -> bool:
    """Whether one of the operands is an array, to be taken entry by entry."""
    return (isinstance(x, np.ndarray) and x.ndim > 0) or (isinstance(y, np.ndarray) and y.ndim > 0)


def literal(graph: Graph, x: Any) -> Scalar:
    """`x` as a node."""
    return x if traced(x) else graph.constant(x)


def unwrap(x: Any) -> Any:
    """A constant node as its float; anything else as it is."""
    return x.args[0] if traced(x) and x.op == "const" else x


def is_constant(x: Scalar, value: float) -> bool:
    """Whether a node is this constant."""
    return x.op == "const" and x.args[0] == value
