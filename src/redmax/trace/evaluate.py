"""Walk a trace: the nodes it reaches, and its value over any arithmetic (floats, arrays over a batch, traced scalars of another graph)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from redmax.trace import algebra, logic
from redmax.trace.scalar import Scalar, Value
from redmax.trace.span import kept_inside, numeric_gather, numeric_scatter, symbolic_gather, symbolic_scatter

TABLES = frozenset({"gather", "scatter"})  # whose entries are inputs
BINARY = frozenset({"add", "sub", "mul"})  # of two nodes each, as most nodes are


def reachable(outputs: Iterable[Value]) -> list[Scalar]:
    """Every node the outputs depend on, arguments before users."""
    roots = [o for o in outputs if type(o) is Scalar]
    if not roots:
        return []
    nodes, last = roots[0].graph.nodes, max([o.id for o in roots])
    needed = bytearray(last + 1)  # by number: a node's arguments are older than it is, so one walk back meets them all
    for o in roots:
        needed[o.id] = 1
    found: list[Scalar] = []
    while last >= 0:
        e = nodes[last]
        found.append(e)
        for a in e.args:
            if type(a) is Scalar:
                needed[a.id] = 1
        last = needed.rfind(1, 0, last)
    found.reverse()
    return found


def near_use(outputs: Iterable[Value]) -> list[Scalar]:
    """The same nodes, each right before the first that needs it, output after output: few values wait in registers at a time.

    Measured: kernels that go from leaves to roots keep a third less of their values on the stack than in the order of the trace.
    """
    found: list[Scalar] = []
    met: set[int] = set()
    waiting = [o for o in outputs if type(o) is Scalar][::-1]
    while waiting:
        e = waiting.pop()
        if e.id in met:
            continue
        before = [a for a in e.args if type(a) is Scalar and a.id not in met]
        if before:
            waiting += [e, *reversed(before)]
        else:
            met.add(e.id)
            found.append(e)
    return found


def evaluate(
    outputs: Sequence[Value],
    leaf: Callable[[str, int], Any],
    rules: dict[str, Callable[..., Any]],
    nodes: Sequence[Scalar] | None = None,
) -> list[Any]:
    """The outputs' values when `leaf(base, index)` supplies the inputs and `rules` the operations. nodes: what they reach, if known."""
    value: dict[int, Any] = {}
    for e in reachable(outputs) if nodes is None else nodes:
        op, args = e.op, e.args
        if op in BINARY:
            value[e.id] = rules[op](value[args[0].id], value[args[1].id])
        elif op == "input":
            value[e.id] = leaf(*args)
        elif op == "const":
            value[e.id] = args[0]
        elif op in TABLES:
            value[e.id] = rules[op](args[0], leaf, *[value[a.id] for a in args[1:]])
        else:
            value[e.id] = rules[op](*[value[a.id] if type(a) is Scalar else a for a in args])
    return [value[o.id] if type(o) is Scalar else o for o in outputs]


def plus(x: Any, y: Any) -> Any:
    """x + y, by the shortest way where one is a node."""
    return x + y if type(x) is Scalar else y + x if type(y) is Scalar else algebra.add(x, y)


def minus(x: Any, y: Any) -> Any:
    """x - y, likewise."""
    return x - y if type(x) is Scalar else algebra.sub(x, y)


def times(x: Any, y: Any) -> Any:
    """x y, likewise."""
    return x * y if type(x) is Scalar else y * x if type(y) is Scalar else algebra.mul(x, y)


def numeric_stumpff(k: int, x: Any) -> Any:
    """c_k(x) of numbers."""
    from redmax.trace.stumpff import stumpff

    return stumpff(k, x)


def numeric_lookup(table: Any, index: Any) -> Any:
    """The entry of a constant table at an index, or at an array of them."""
    return table.array[kept_inside(index, len(table))]


NUMERIC: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "inv": lambda a: np.divide(1.0, a),
    "pow": np.power,
    "atan2": np.arctan2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "abs": np.abs,
    "lt": lambda a, b: np.less(a, b) * 1.0,
    "le": lambda a, b: np.less_equal(a, b) * 1.0,
    "eq": lambda a, b: np.equal(a, b) * 1.0,
    "and": lambda a, b: np.logical_and(a, b) * 1.0,
    "not": lambda a: np.logical_not(a) * 1.0,
    "select": np.where,
    "frozen": lambda a: a,
    "stumpff": numeric_stumpff,
    "lookup": numeric_lookup,
    "gather": numeric_gather,
    "scatter": numeric_scatter,
}

SYMBOLIC: dict[str, Callable[..., Any]] = {
    "add": plus,
    "sub": minus,
    "mul": times,
    "neg": algebra.neg,
    "inv": algebra.inv,
    "and": logic.both,
    "not": logic.negate,
    "select": logic.select,
    "frozen": logic.frozen,
    "stumpff": logic.stumpff,
    "lookup": lambda table, index: table[index],
    "gather": symbolic_gather,
    "scatter": symbolic_scatter,
    "pow": lambda a, b: algebra.binary("pow", a, b),
    "atan2": lambda a, b: algebra.binary("atan2", a, b),
    **{op: (lambda a, op=op: algebra.apply(op, a)) for op in algebra.FLOAT_FUNCTIONS},
    **{op: (lambda a, b, op=op: logic.compare(op, a, b)) for op in ("lt", "le", "eq")},
}


def evaluate_numeric(outputs: Sequence[Value], leaf: Callable[[str, int], Any], nodes: Sequence[Scalar] | None = None) -> list[Any]:
    """Values with NumPy numbers: floats, or arrays over a batch. nodes: what the outputs reach, if known."""
    return evaluate(outputs, leaf, NUMERIC, nodes)


def substitute(outputs: Sequence[Value], leaf: Callable[[str, int], Value]) -> list[Any]:
    """The same expressions over other inputs, traced (and simplified) anew."""
    return evaluate(outputs, leaf, SYMBOLIC)
