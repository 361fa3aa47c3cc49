"""Choices on traced scalars: comparisons (1.0 or 0.0), select, tables; and the values that only look like operations.

Nothing here adds or multiplies: `algebra` does, with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.trace.operands import arrays, is_constant, literal, number, operands, spread, traced

if TYPE_CHECKING:
    from redmax.trace.scalar import Scalar


TRUTH = ("lt", "le", "eq", "and", "not")  # operations whose results are 1.0 or 0.0


def compare(op: str, x: Any, y: Any) -> Any:
    """lt, le or eq as a traced 1.0 or 0.0."""
    if arrays(x, y):
        return spread(lambda a, b: compare(op, a, b), x, y)
    if x is y:
        return 0.0 if op == "lt" else 1.0
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return float(x < y if op == "lt" else x <= y if op == "le" else x == y)
    graph = y.graph if nx else x.graph
    return graph.node(op, literal(graph, x), literal(graph, y))


def both(x: Any, y: Any) -> Any:
    """x and y, as 1.0 or 0.0."""
    if arrays(x, y):
        return spread(both, x, y)
    x, y, nx, ny = operands(x, y)
    if nx:
        return truth(y) if x else 0.0
    if ny:
        return truth(x) if y else 0.0
    return truth(x) if x is y else x.graph.node("and", x, y)


def truth(x: Any) -> Any:
    """1.0 or 0.0 of a number, which is true unless it is zero; comparisons are that already."""
    if not traced(x):
        return 1.0 if x else 0.0
    return x if x.op in TRUTH else negate(compare("eq", x, 0.0))


def either(x: Any, y: Any) -> Any:
    """x or y, as 1.0 or 0.0."""
    return negate(both(negate(x), negate(y)))


def negate(x: Any) -> Any:
    """not x, as 1.0 or 0.0."""
    if arrays(x, 0.0):
        return spread(lambda a, _: negate(a), x, 0.0)
    if not traced(x):
        return 0.0 if number(x) else 1.0
    return truth(x.args[0]) if x.op == "not" else x.graph.node("not", x)


def select(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y."""
    if not traced(condition):
        return x if number(condition) else y
    x, y, _, _ = operands(x, y)
    if x is y or (not traced(x) and not traced(y) and x == y):
        return x
    if condition.op == "not":
        return select(condition.args[0], y, x)
    graph = condition.graph
    return graph.node("select", condition, literal(graph, x), literal(graph, y))


def masked(x: Scalar, y: Scalar) -> Any:
    """select(c, 1, 0) y = select(c, y, 0): the derivative of a select, which then ignores what the other branch gives."""
    for u, v in ((x, y), (y, x)):
        if u.op == "select":
            condition, a, b = u.args
            if is_constant(a, 1.0) and is_constant(b, 0.0):
                return select(condition, v, 0.0)
            if is_constant(a, 0.0) and is_constant(b, 1.0):
                return select(condition, 0.0, v)
    return None


def frozen(x: Any) -> Any:
    """The same value, constant to differentiation."""
    if not traced(x) or x.op in ("frozen", "const"):
        return x
    return x.graph.node("frozen", x)


def stumpff(k: int, x: Any) -> Any:
    """c_k of a squared angle: c_0 = cos, c_1 = sin(a)/a, c_2 = (1 - cos a)/a^2, ... (module `stumpff`)."""
    if not traced(x):
        from redmax.trace.stumpff import stumpff as value

        return float(value(k, number(x)))
    return x.graph.node("stumpff", k, x)


def lookup(table: Any, index: Scalar) -> Scalar:
    """The entry of a constant table of numbers at a traced index (rounded down, kept within the table)."""
    return index.graph.node("lookup", table, index)


def scatter(span: Any, index: Scalar, value: Any) -> Scalar:
    """A value that a store adds to the entry of a table at a traced index (as `gather` has it); by itself it is no number."""
    return index.graph.node("scatter", span, index, literal(index.graph, value))


def gather(span: Any, index: Scalar) -> Scalar:
    """The input at a traced index (rounded down, kept within) among those of a span."""
    return index.graph.node("gather", span, index)
