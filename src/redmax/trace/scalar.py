"""Traced scalars: hash-consed nodes of an expression graph.

Equations are written once over small arrays. With floats in the arrays they run; with `Scalar` entries they are recorded, and the
record is differentiated, interpreted or compiled. Two equal expressions of one graph are the same object, so common
subexpressions are found while tracing. A plain float is a constant; only an unknown value is a `Scalar`.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

from redmax.trace import algebra, logic
from redmax.trace.blame import cannot_trace
from redmax.trace.meter import PORTION, TRACED, spend

Value: TypeAlias = "Scalar | float"

# What NumPy calls on the entries of an object array, and the operation it means here.
UNARY = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "exp": "exp", "log": "log",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "sqrt": "sqrt", "floor": "floor", "fabs": "abs", "__floor__": "floor",
}  # fmt: skip


WEIGHT = 2**62 - 1  # whatever a product's nesting, a small number


class Graph:
    """The table of all nodes of one trace."""

    __slots__ = ("factors", "nodes", "table")

    def __init__(self) -> None:
        self.table: dict[tuple[Any, ...], Scalar] = {}
        self.nodes: list[Scalar] = []
        self.factors: dict[int, list[Scalar]] = {}  # the flattened products met so far

    def node(self, op: str, *args: Any) -> Scalar:
        """The one node with this operation and these arguments."""
        key = (op, *[a.id if type(a) is Scalar and a.graph is self else self.key(a) for a in args])
        found = self.table.get(key)
        return self.new(key, op, args) if found is None else found

    def pair(self, op: str, x: Scalar, y: Scalar) -> Scalar:
        """`node` of two nodes, which most are of."""
        if x.graph is not y.graph:
            self.key(y)
        key = (op, x.id, y.id)
        found = self.table.get(key)
        return self.new(key, op, (x, y)) if found is None else found

    def single(self, op: str, x: Scalar) -> Scalar:
        """`node` of one node."""
        key = (op, x.id)
        found = self.table.get(key)
        return self.new(key, op, (x,)) if found is None else found

    def new(self, key: tuple[Any, ...], op: str, args: tuple[Any, ...]) -> Scalar:
        """A node that was not there yet."""
        nodes = self.nodes
        number = len(nodes)
        if not number % PORTION:
            spend(TRACED * PORTION)
        if op == "mul":  # known from birth, so that products are taken apart only where that can matter
            x, y = args
            found = Scalar(self, op, args, number, (x.weight + y.weight) & WEIGHT, x.wavy or y.wavy)
        else:
            found = Scalar(self, op, args, number, number, op == "sin" or op == "cos")
        self.table[key] = found
        nodes.append(found)
        return found

    def key(self, argument: Any) -> tuple[str, Any]:
        """What a constant argument counts as; a traced one gets here only from another graph."""
        if type(argument) is Scalar:
            raise cannot_trace("two traces are mixed: a traced value was kept from another call", "values of this call only")
        return ("=", argument)

    def input(self, base: str, index: int) -> Scalar:
        """The unknown value that will be read at `base[index]`."""
        key = ("input", base, index)
        found = self.table.get(key)
        return self.new(key, "input", (base, index)) if found is None else found

    def inputs(self, base: str, count: int) -> list[Scalar]:
        """The unknown values base[0], ..., base[count - 1]."""
        return [self.input(base, i) for i in range(count)]

    def close(self) -> None:
        """Nothing more is traced: what finds equal nodes, half of the memory, is given back."""
        self.table.clear()
        self.factors.clear()

    def constant(self, value: float) -> Scalar:
        """A number as a node, where an operation needs one."""
        value = float(value)
        key = ("const", value)
        found = self.table.get(key)
        return self.new(key, "const", (value,)) if found is None else found


class Scalar:
    """One node of a trace. Behaves as a real number, except that its value is not known yet.

    weight: the sum of its factors' numbers, the same for equal products;  wavy: whether a factor is a sine or a cosine
    """

    __slots__ = ("args", "graph", "id", "op", "wavy", "weight")

    def __init__(self, graph: Graph, op: str, args: tuple[Any, ...], number: int, weight: int, wavy: bool) -> None:
        self.graph = graph
        self.op = op
        self.args = args
        self.id = number
        self.weight = weight
        self.wavy = wavy

    # Most operands are nodes that are no constants, or the zeros and ones of matrices: they go straight to what is done with those.
    def __add__(self, other: Any) -> Any:
        if self.op != "const":
            if type(other) is Scalar:
                if other.op != "const":
                    return algebra.total(self, other)
            elif type(other) is float and other == 0:
                return self
        return algebra.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return self if type(other) is float and other == 0 and self.op != "const" else algebra.add(other, self)

    def __sub__(self, other: Any) -> Any:
        if self.op != "const":
            if type(other) is Scalar:
                if other.op != "const" and self is not other:
                    return algebra.difference(self, other)
            elif type(other) is float and other == 0:
                return self
        return algebra.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return algebra.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        if self.op != "const":
            if type(other) is Scalar:
                if other.op != "const":
                    return algebra.product(self, other)
            elif type(other) is float:
                return algebra.scale(self, other)
        return algebra.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return algebra.scale(self, other) if type(other) is float and self.op != "const" else algebra.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return algebra.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return algebra.div(other, self)

    def __pow__(self, other: Any) -> Any:
        return algebra.power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return algebra.power(other, self)

    def __mod__(self, other: Any) -> Any:
        return algebra.sub(self, algebra.mul(other, algebra.apply("floor", algebra.div(self, other))))

    def __neg__(self) -> Any:
        return algebra.neg(self)

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Any:
        return algebra.apply("abs", self)

    # Comparisons are traced too: their result is 1.0 or 0.0, meant for `where`.
    def __lt__(self, other: Any) -> Any:
        return logic.compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return logic.compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return logic.compare("lt", other, self)

    def __ge__(self, other: Any) -> Any:
        return logic.compare("le", other, self)

    def __eq__(self, other: Any) -> Any:
        return logic.compare("eq", self, other)

    def __ne__(self, other: Any) -> Any:
        return logic.negate(logic.compare("eq", self, other))

    def __and__(self, other: Any) -> Any:
        return logic.both(self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return logic.either(self, other)

    __ror__ = __or__

    def __invert__(self) -> Any:
        return logic.negate(self)

    __hash__ = object.__hash__

    # What cannot be traced, with the user's line and what to write instead.
    def __bool__(self) -> bool:
        raise cannot_trace(
            "the truth of a traced value is not known yet (if, while, and, or, not, min, max)",
            "redmax.math.where(condition, a, b), minimum, maximum, or & | ~ on comparisons",
        )

    def __float__(self) -> float:
        raise cannot_trace("a traced value has no number yet (float(), a float array, math.sin)", "NumPy's or redmax.math's functions")

    __int__ = __float__
    __index__ = __float__
    __complex__ = __float__

    def __round__(self, digits: int = 0) -> float:
        raise cannot_trace("round() of a traced value", "redmax.math.floor(x + 0.5)")

    def __getattr__(self, name: str) -> Any:
        """NumPy's functions of an object array look for a method of their name on each entry."""
        if name.startswith("__array_"):  # asked of every entry of a list that becomes an array
            raise AttributeError(name)
        if name in UNARY:
            return lambda: algebra.apply(UNARY[name], self)
        if name == "arctan2":
            return lambda other: algebra.binary("atan2", self, other)
        if name == "hypot":
            return lambda other: algebra.apply("sqrt", algebra.add(algebra.mul(self, self), algebra.mul(other, other)))
        if name.startswith("_") or not is_ufunc(name):
            raise AttributeError(f"a traced scalar has no attribute {name!r}")
        return lambda *_: refuse(name)  # raised from the call: NumPy hides an error of the look-up

    def conjugate(self) -> Scalar:
        """Of a real number, itself: NumPy's products ask for it."""
        return self

    def __repr__(self) -> str:
        from redmax.trace.show import expression  # printing is for people; nothing else needs it

        return expression(self)


def refuse(name: str) -> Any:
    """Raise, with the user's line: NumPy's function of this name cannot be traced."""
    raise cannot_trace(f"numpy.{name} has no traced form", "the functions of redmax.math")


def is_ufunc(name: str) -> bool:
    """Whether NumPy has an elementwise function of this name."""
    import numpy as np

    return isinstance(getattr(np, name, None), np.ufunc)


def is_traced(value: Any) -> TypeGuard[Scalar]:
    """Whether a value is one traced scalar."""
    return type(value) is Scalar
