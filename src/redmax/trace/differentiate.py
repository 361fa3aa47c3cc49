"""Exact derivatives of traced functions, forward and reverse; the result is a trace again, so any order follows by repetition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from redmax.trace.algebra import add, apply, inv, mul, neg, sub
from redmax.trace.evaluate import plus, reachable, times
from redmax.trace.logic import compare, select, stumpff
from redmax.trace.meter import DIFFERENTIATED, spend
from redmax.trace.operands import traced, unwrap
from redmax.trace.scalar import Scalar, Value


def partials(e: Scalar) -> tuple[tuple[Scalar, Any], ...]:
    """The arguments that `e` depends on, each with the derivative of `e` by it."""
    a = e.args
    match e.op:
        case "add":
            return (a[0], 1.0), (a[1], 1.0)
        case "sub":
            return (a[0], 1.0), (a[1], -1.0)
        case "mul":
            return (a[0], a[1]), (a[1], a[0])
        case "neg":
            return ((a[0], -1.0),)
        case "inv":
            return ((a[0], neg(mul(e, e))),)
        case "sqrt":
            return ((a[0], mul(0.5, inv(e))),)
        case "sin":
            return ((a[0], apply("cos", a[0])),)
        case "cos":
            return ((a[0], neg(apply("sin", a[0]))),)
        case "tan":
            return ((a[0], add(1.0, mul(e, e))),)
        case "asin":
            return ((a[0], inv(apply("sqrt", sub(1.0, mul(a[0], a[0]))))),)
        case "acos":
            return ((a[0], neg(inv(apply("sqrt", sub(1.0, mul(a[0], a[0])))))),)
        case "atan":
            return ((a[0], inv(add(1.0, mul(a[0], a[0])))),)
        case "atan2":
            d = inv(add(mul(a[0], a[0]), mul(a[1], a[1])))
            return (a[0], mul(a[1], d)), (a[1], neg(mul(a[0], d)))
        case "exp":
            return ((a[0], e),)
        case "log":
            return ((a[0], inv(a[0])),)
        case "sinh":
            return ((a[0], apply("cosh", a[0])),)
        case "cosh":
            return ((a[0], apply("sinh", a[0])),)
        case "tanh":
            return ((a[0], sub(1.0, mul(e, e))),)
        case "pow":
            return power_partials(e)
        case "abs":
            return ((a[0], select(compare("lt", a[0], 0.0), -1.0, 1.0)),)
        case "stumpff":
            k, x = a  # c_k' = (k c_{k+2} - c_{k+1}) / 2
            return ((x, mul(0.5, sub(mul(float(k), stumpff(k + 2, x)), stumpff(k + 1, x)))),)
        case "select":
            return (a[1], select(a[0], 1.0, 0.0)), (a[2], select(a[0], 0.0, 1.0))
        case _:  # const, input, frozen, floor, comparisons, lookup, gather, scatter: no dependence that differentiation sees
            return ()


NO_SLOPE = frozenset({"const", "input", "frozen", "floor", "lt", "le", "eq", "and", "not", "lookup", "gather"})


FIRST_FOLLOWED = {"select": 1, "scatter": 2}  # not the condition, nor the place


def followed(e: Scalar) -> list[Scalar]:
    """The arguments through which differentiation goes on: those of `partials`, without the work of finding their slopes."""
    if e.op in NO_SLOPE:
        return []
    return [a for a in e.args[FIRST_FOLLOWED.get(e.op, 0) :] if isinstance(a, Scalar)]


def power_partials(e: Scalar) -> tuple[tuple[Scalar, Any], ...]:
    """Of x^y: y x^(y - 1) by x, and x^y log x by y unless y is a constant."""
    x, y = e.args
    by_x = (x, mul(y, e.graph.node("pow", x, literal_minus_one(y))))
    return (by_x,) if y.op == "const" else (by_x, (y, mul(e, apply("log", unwrap(x)))))


def literal_minus_one(y: Scalar) -> Scalar:
    """y - 1 as a node."""
    less = sub(y, 1.0) if y.op != "const" else y.args[0] - 1.0
    return less if traced(less) else y.graph.constant(less)


def jvp(outputs: Sequence[Value], seeds: Mapping[Scalar, Value], nodes: Sequence[Scalar] | None = None) -> list[Any]:
    """Directional derivatives of the outputs when each seed moves with its tangent (forward mode). nodes: what they reach, if known."""
    tangent: dict[int, Any] = {x.id: t for x, t in seeds.items()}
    nodes = reachable(outputs) if nodes is None else nodes
    spend(DIFFERENTIATED * len(nodes))
    for e in nodes:
        if e.id in tangent or not any(type(a) is Scalar and a.id in tangent for a in e.args):  # most do not move
            continue
        total: Any = 0.0
        for argument, slope in partials(e):
            t = tangent.get(argument.id)
            if t is not None:
                total = plus(total, times(slope, t))
        if traced(total) or total != 0:
            tangent[e.id] = total
    return [tangent.get(o.id, 0.0) if isinstance(o, Scalar) else 0.0 for o in outputs]


def vjp(outputs: Sequence[Value], weights: Sequence[Value], inputs: Sequence[Scalar]) -> list[Any]:
    """The gradient of sum(weights * outputs) by the inputs (reverse mode)."""
    adjoint: dict[int, Any] = {}
    for o, w in zip(outputs, weights, strict=True):
        if isinstance(o, Scalar):
            adjoint[o.id] = add(adjoint.get(o.id, 0.0), w)
    nodes = reachable(outputs)
    spend(DIFFERENTIATED * len(nodes))
    for e in reversed(nodes):
        g = adjoint.get(e.id)
        if g is None:
            continue
        for argument, slope in partials(e):
            if argument.op != "const":
                adjoint[argument.id] = plus(adjoint.get(argument.id, 0.0), times(g, slope))
    return [adjoint.get(x.id, 0.0) for x in inputs]


def jacobian(outputs: Any, inputs: Sequence[Scalar]) -> np.ndarray:
    """d outputs / d inputs as an object array of shape outputs.shape + (len(inputs),)."""
    values = np.asarray(outputs, object)
    flat = list(values.ravel())
    nodes = reachable(flat)
    columns = [jvp(flat, {x: 1.0}, nodes) for x in inputs]
    result = np.empty((values.size, len(inputs)), object)
    for c, column in enumerate(columns):
        result[:, c] = column
    return result.reshape(*values.shape, len(inputs))


def gradient(output: Value, inputs: Sequence[Scalar]) -> list[Any]:
    """The gradient of one output."""
    return vjp([output], [1.0], inputs)
