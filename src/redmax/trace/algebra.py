"""The operations on traced scalars, each with the simplifications that pay.

Beyond folding constants, zeros and ones: x - x = 0, x (1/x) = 1, (a/y) y = a (they empty the joint-axis row of a projected inertia),
a sin^2 + a cos^2 = a, sin and cos of atan2. Products and sums are put into a canonical order so that equal ones meet in the graph's table.
Every rule is exact in real arithmetic.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from redmax.trace.blame import no_value
from redmax.trace.logic import compare, masked, select
from redmax.trace.operands import arrays, is_constant, literal, number, operands, spread, traced, unwrap
from redmax.trace.products import equal_products, pythagoras

if TYPE_CHECKING:
    from redmax.trace.scalar import Scalar

FLOAT_FUNCTIONS = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan, "exp": math.exp,
    "log": math.log, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "sqrt": math.sqrt, "floor": math.floor, "abs": abs,
}  # fmt: skip
ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh"}
EVEN = {"cos", "cosh", "abs"}
CANCELLING = {"inv", "mul", "sqrt", "select"}  # what a product may be less than a product with


def add(x: Any, y: Any) -> Any:
    """x + y."""
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
    return total(x, y)


def total(x: Scalar, y: Scalar) -> Any:
    """x + y of nodes."""
    if x.op == "neg":
        return neg(add(x.args[0], y.args[0])) if y.op == "neg" else sub(y, x.args[0])
    if y.op == "neg":
        return sub(x, y.args[0])
    if x.op == "sub" and x.args[1] is y:
        return unwrap(x.args[0])
    if y.op == "sub" and y.args[1] is x:
        return unwrap(y.args[0])
    if x.wavy or y.wavy:
        folded = fold_pythagoras(x, y)
        if folded is not None:
            return folded
    if x.op == "select" and y.op == "select" and x.args[0] is y.args[0]:
        for u, v in ((x, y), (y, x)):
            if is_constant(u.args[2], 0.0) and is_constant(v.args[1], 0.0):
                return select(u.args[0], u.args[1], v.args[2])
    if x.id > y.id:
        x, y = y, x
    return x.graph.pair("add", x, y)


def fold_pythagoras(x: Scalar, y: Scalar) -> Any:
    """x + y where it holds a sin(b)^2 + a cos(b)^2, directly or with a term of a sum; else None."""
    rest = pythagoras(x, y)
    if rest is not None:
        return product_of(rest)
    for terms, term in ((x, y), (y, x)):
        if terms.op == "add" and term.op == "mul":
            for kept, other in (terms.args, terms.args[::-1]):
                rest = pythagoras(other, term)
                if rest is not None:
                    return add(unwrap(kept), product_of(rest))
    return None


def product_of(terms: list[Scalar]) -> Any:
    """The product of factors, 1.0 of none."""
    result: Any = 1.0
    for f in terms:
        result = mul(result, unwrap(f))
    return result


def sub(x: Any, y: Any) -> Any:
    """x - y."""
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
    return difference(x, y)


def difference(x: Scalar, y: Scalar) -> Any:
    """x - y of nodes."""
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
    return x.graph.pair("sub", x, y)


def neg(x: Any) -> Any:
    """-x."""
    if not traced(x):
        return -x
    if x.op == "neg":
        return x.args[0]
    if x.op == "sub":
        return x.graph.pair("sub", x.args[1], x.args[0])
    if x.op == "const":
        return -x.args[0]
    return x.graph.single("neg", x)


def mul(x: Any, y: Any) -> Any:
    """x y."""
    if arrays(x, y):
        return spread(mul, x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return x * y
    if nx:
        x, y, nx, ny = y, x, ny, nx
    return scale(x, y) if ny else product(x, y)


def product(x: Scalar, y: Scalar) -> Any:
    """x y of nodes that are no constants."""
    if x.op == "neg":
        return mul(x.args[0], y.args[0]) if y.op == "neg" else neg(mul(x.args[0], y))
    if y.op == "neg":
        return neg(mul(x, y.args[0]))
    if x.op in CANCELLING or y.op in CANCELLING:
        for simplified in (cancel(x, y), masked(x, y)):
            if simplified is not None:
                return simplified
    if x.id > y.id:
        x, y = y, x
    return x.graph.pair("mul", x, y)


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
    return x.graph.pair("mul", x.graph.constant(c), x)


def cancel(x: Scalar, y: Scalar) -> Any:
    """x (1/x) = 1, (a/x) x = a, sqrt(x) sqrt(x) = x."""
    inverted_x, inverted_y = inverted(x), inverted(y)
    if inverted_x is y or inverted_y is x:
        return 1.0
    for u, v, inverted_v in ((x, y, inverted_y), (y, x, inverted_x)):
        if u.op == "mul":
            a, b = u.args
            if b is inverted_v or inverted(b) is v:
                return unwrap(a)
            if a is inverted_v or inverted(a) is v:
                return b
    if x is y and x.op == "sqrt":
        return x.args[0]
    return None


def inverted(x: Scalar) -> Scalar | None:
    """What a node is the inverse of."""
    return x.args[0] if x.op == "inv" else None


def inv(x: Any) -> Any:
    """1 / x."""
    if not traced(x):
        return quotient(1.0, number(x))
    if x.op == "inv":
        return x.args[0]
    if x.op == "neg":
        return neg(inv(x.args[0]))
    return x.graph.single("inv", x)


def div(x: Any, y: Any) -> Any:
    """x / y, as x times the inverse of y, which several quotients may share."""
    if arrays(x, y):
        return spread(div, x, y)
    if x is y:
        return 1.0
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return quotient(x, y)
    return mul(x, quotient(1.0, y)) if ny else mul(x, inv(y))


def quotient(x: float, y: float) -> float:
    """Of constants."""
    try:
        return x / y
    except ZeroDivisionError as error:
        raise no_value("the quotient", (x, y), error) from None


def constant_power(x: float, y: float) -> float:
    """Of constants; a root of a negative number would be complex."""
    try:
        return math.pow(x, y)
    except (ArithmeticError, ValueError) as error:
        raise no_value("the power", (x, y), error) from None


def power(x: Any, y: Any) -> Any:
    """Integer and half-integer powers by multiplication; others by pow."""
    if arrays(x, y):
        return spread(power, x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return constant_power(x, y)
    if ny and abs(y) <= 16 and y == int(y):
        return integer_power(x, int(y))
    if ny and y in (0.5, -0.5):
        root = apply("sqrt", x)
        return root if y > 0 else inv(root)
    return binary("pow", x, y)


def integer_power(x: Any, n: int) -> Any:
    """x^n by repeated squares."""
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
        value = number(x)
        try:
            return FLOAT_FUNCTIONS[op](value)
        except (ArithmeticError, ValueError) as error:
            raise no_value(op, (value,), error) from None
    if x.op == "neg":
        if op in ODD:
            return neg(apply(op, x.args[0]))
        if op in EVEN:
            return apply(op, x.args[0])
    if x.op == "atan2" and op in ("sin", "cos"):
        s, c = x.args
        square = add(mul(s, s), mul(c, c))
        found = mul(s if op == "sin" else c, inv(apply("sqrt", square)))
        return select(compare("lt", 0.0, square), found, FLOAT_FUNCTIONS[op](0.0))  # atan2(0, 0) = 0
    if op == "abs" and x.op in ("abs", "sqrt"):
        return x
    return x.graph.single(op, x)


def binary(op: str, x: Any, y: Any) -> Any:
    """atan2 or pow of two operands."""
    if arrays(x, y):
        return spread(lambda a, b: binary(op, a, b), x, y)
    x, y, nx, ny = operands(x, y)
    if nx and ny:
        return math.atan2(x, y) if op == "atan2" else constant_power(x, y)
    graph = y.graph if nx else x.graph
    return graph.node(op, literal(graph, x), literal(graph, y))
