"""The operations on traced scalars, each with the simplifications that pay.

Beyond folding constants, zeros and ones: x - x = 0, x (1/x) = 1, (a/y) y = a (they empty the joint-axis row of a projected inertia),
a sin^2 + a cos^2 = a, sin and cos of atan2. Products and sums are put into a canonical order so that equal ones meet in the graph's table.
Every rule is exact in real arithmetic.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.trace.blame import cannot_trace
from redmax.trace.products import equal_products, pythagoras

if TYPE_CHECKING:
    from redmax.trace.scalar import Graph, Scalar

FLOAT_FUNCTIONS = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan, "exp": math.exp,
    "log": math.log, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "sqrt": math.sqrt, "floor": math.floor, "abs": abs,
}  # fmt: skip
ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh"}
EVEN = {"cos", "cosh", "abs"}
NUMBERS = (float, int, np.floating, np.integer, np.bool_)


def traced(x: Any) -> bool:
    return hasattr(x, "graph")


def number(x: Any) -> float:
    """A constant operand as a float, or an error about what it is."""
    if type(x) is float:
        return x
    if isinstance(x, NUMBERS):
        return float(x)
    raise cannot_trace(f"a traced value cannot be combined with {type(x).__name__} {x!r}", "a number or another traced value")


def operands(x: Any, y: Any) -> tuple[Any, Any, bool, bool]:
    """Both operands with constants as floats, and whether each is one."""
    x = unwrap(x.item() if type(x) is np.ndarray else x)
    y = unwrap(y.item() if type(y) is np.ndarray else y)
    nx, ny = not traced(x), not traced(y)
    return (number(x) if nx else x), (number(y) if ny else y), nx, ny


def spread(f: Any, x: Any, y: Any) -> Any:
    """`f` over an array operand, entry by entry."""
    a, b = np.broadcast_arrays(np.asarray(x, object), np.asarray(y, object))
    out = np.empty(a.shape, object)
    for index in np.ndindex(a.shape):
        out[index] = f(a[index], b[index])
    return out


def arrays(x: Any, y: Any) -> bool:
    return (isinstance(x, np.ndarray) and x.ndim > 0) or (isinstance(y, np.ndarray) and y.ndim > 0)


def literal(graph: Graph, x: Any) -> Scalar:
    """`x` as a node."""
    return x if traced(x) else graph.constant(x)


def add(x: Any, y: Any) -> Any:
    if arrays(x, y):
        return spread(add, x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x + y
    if nx:
        x, y, nx, ny = y, x, ny, nx
    if ny:
        if y == 0:
            return x
        y = literal(x.graph, y)
    if x.op == "neg":
        return neg(add(x.args[0], y.args[0])) if y.op == "neg" else sub(y, x.args[0])
    if y.op == "neg":
        return sub(x, y.args[0])
    if x.op == "sub" and x.args[1] is y:
        return unwrap(x.args[0])
    if y.op == "sub" and y.args[1] is x:
        return unwrap(y.args[0])
    folded = fold_pythagoras(x, y)
    if folded is not None:
        return folded
    if x.op == "select" and y.op == "select" and x.args[0] is y.args[0]:
        for u, v in ((x, y), (y, x)):
            if is_constant(u.args[2], 0.0) and is_constant(v.args[1], 0.0):
                return select(u.args[0], u.args[1], v.args[2])
    if x.id > y.id:
        x, y = y, x
    return x.graph.node("add", x, y)


def fold_pythagoras(x: Scalar, y: Scalar) -> Any:
    """x + y where it holds a sin(b)^2 + a cos(b)^2, directly or with a term of a sum; else None."""
    rest = pythagoras(x, y)
    if rest is not None:
        return product_of(rest)
    for total, term in ((x, y), (y, x)):
        if total.op == "add" and term.op == "mul":
            for kept, other in (total.args, total.args[::-1]):
                rest = pythagoras(other, term)
                if rest is not None:
                    return add(unwrap(kept), product_of(rest))
    return None


def product_of(terms: list[Scalar]) -> Any:
    result: Any = 1.0
    for f in terms:
        result = mul(result, unwrap(f))
    return result


def is_constant(x: Scalar, value: float) -> bool:
    return x.op == "const" and x.args[0] == value


def sub(x: Any, y: Any) -> Any:
    if arrays(x, y):
        return spread(sub, x, y)
    if x is y:
        return 0.0
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x - y
    if ny:
        return add(x, -y)
    if nx:
        if x == 0:
            return neg(y)
        x = literal(y.graph, x)
    if y.op == "neg":
        return add(x, y.args[0])
    if x.op == "neg":
        return neg(add(x.args[0], y))
    if x.op == "add":
        if x.args[0] is y:
            return unwrap(x.args[1])
        if x.args[1] is y:
            return unwrap(x.args[0])
    if equal_products(x, y):
        return 0.0
    return x.graph.node("sub", x, y)


def unwrap(x: Any) -> Any:
    """A constant node as its float; anything else as it is."""
    return x.args[0] if traced(x) and x.op == "const" else x


def neg(x: Any) -> Any:
    if not traced(x):
        return -x
    if x.op == "neg":
        return x.args[0]
    if x.op == "sub":
        return x.graph.node("sub", x.args[1], x.args[0])
    if x.op == "const":
        return -x.args[0]
    return x.graph.node("neg", x)


def mul(x: Any, y: Any) -> Any:
    if arrays(x, y):
        return spread(mul, x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x * y
    if nx:
        x, y, nx, ny = y, x, ny, nx
    if ny:
        return scale(x, y)
    if x.op == "neg":
        return mul(x.args[0], y.args[0]) if y.op == "neg" else neg(mul(x.args[0], y))
    if y.op == "neg":
        return neg(mul(x, y.args[0]))
    for simplified in (cancel(x, y), masked(x, y)):
        if simplified is not None:
            return simplified
    if x.id > y.id:
        x, y = y, x
    return x.graph.node("mul", x, y)


def scale(x: Scalar, c: float) -> Any:
    """x times a constant."""
    if c == 0:
        return 0.0
    if c == 1:
        return x
    if c == -1:
        return neg(x)
    if x.op == "neg":
        return scale(x.args[0], -c)
    if x.op == "mul" and x.args[0].op == "const":
        return scale(x.args[1], x.args[0].args[0] * c)
    if c < 0:
        return neg(scale(x, -c))
    return x.graph.node("mul", x.graph.constant(c), x)


def cancel(x: Scalar, y: Scalar) -> Any:
    """x (1/x) = 1, (a/x) x = a, sqrt(x) sqrt(x) = x."""
    if inverse_of(x, y):
        return 1.0
    for u, v in ((x, y), (y, x)):
        if u.op == "mul":
            if inverse_of(u.args[1], v):
                return unwrap(u.args[0])
            if inverse_of(u.args[0], v):
                return u.args[1]
    if x is y and x.op == "sqrt":
        return x.args[0]
    return None


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


def inverse_of(x: Scalar, y: Scalar) -> bool:
    return (x.op == "inv" and x.args[0] is y) or (y.op == "inv" and y.args[0] is x)


def inv(x: Any) -> Any:
    if not traced(x):
        return 1.0 / number(x)
    if x.op == "inv":
        return x.args[0]
    if x.op == "neg":
        return neg(inv(x.args[0]))
    return x.graph.node("inv", x)


def div(x: Any, y: Any) -> Any:
    if arrays(x, y):
        return spread(div, x, y)
    if x is y:
        return 1.0
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x / y
    return mul(x, 1.0 / y) if ny else mul(x, inv(y))


def power(x: Any, y: Any) -> Any:
    """Integer and half-integer powers by multiplication; others by pow."""
    if arrays(x, y):
        return spread(power, x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x**y
    if ny and abs(y) <= 16 and y == int(y):
        return integer_power(x, int(y))
    if ny and y in (0.5, -0.5):
        root = apply("sqrt", x)
        return root if y > 0 else inv(root)
    return binary("pow", x, y)


def integer_power(x: Any, n: int) -> Any:
    if n < 0:
        return inv(integer_power(x, -n))
    if n == 0:
        return 1.0
    half = integer_power(x, n // 2)
    square = mul(half, half) if n > 1 else 1.0
    return mul(square, x) if n % 2 else square


def apply(op: str, x: Any) -> Any:
    """An elementary function of one argument."""
    if not traced(x):
        return FLOAT_FUNCTIONS[op](number(x))
    if x.op == "neg":
        if op in ODD:
            return neg(apply(op, x.args[0]))
        if op in EVEN:
            return apply(op, x.args[0])
    if x.op == "atan2" and op in ("sin", "cos"):
        s, c = x.args
        return mul(s if op == "sin" else c, inv(apply("sqrt", add(mul(s, s), mul(c, c)))))
    if op == "abs" and x.op in ("abs", "sqrt"):
        return x
    return x.graph.node(op, x)


def binary(op: str, x: Any, y: Any) -> Any:
    """atan2 or pow of two operands."""
    if arrays(x, y):
        return spread(lambda a, b: binary(op, a, b), x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return math.atan2(x, y) if op == "atan2" else x**y
    graph = y.graph if nx else x.graph
    return graph.node(op, literal(graph, x), literal(graph, y))


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
    if arrays(x, y):
        return spread(both, x, y)
    x, y, nx, ny = operands(x, y)
    if nx:
        return y if x else 0.0
    if ny:
        return x if y else 0.0
    return x if x is y else x.graph.node("and", x, y)


def either(x: Any, y: Any) -> Any:
    return negate(both(negate(x), negate(y)))


def negate(x: Any) -> Any:
    if arrays(x, 0.0):
        return spread(lambda a, _: negate(a), x, 0.0)
    if not traced(x):
        return 0.0 if number(x) else 1.0
    return x.args[0] if x.op == "not" else x.graph.node("not", x)


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


def lookup(table: Any, index: Any) -> Any:
    """The entry of a constant table at a computed index (rounded down, kept within the table)."""
    if arrays(index, 0.0):
        entries = spread(lambda i, _: lookup(table, i), index, 0.0)
        return entries if index.dtype == object else entries.astype(float)
    if not traced(index):
        return table.values[min(max(math.floor(number(index)), 0), len(table.values) - 1)]
    return index.graph.node("lookup", table, index)
