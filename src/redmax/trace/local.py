"""Partial derivatives of a function at a place, for numbers and traced scalars alike: what a tangent or a normal is made of.

The function is traced over variables of its own, differentiated, and evaluated at the place; so the place may be any expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redmax.trace.differentiate import jvp
from redmax.trace.evaluate import evaluate_numeric, substitute
from redmax.trace.scalar import Graph, is_traced
from redmax.trace.vector import vector_of


def derivatives(f: Callable[..., Any], x: Sequence[Any] | np.ndarray, wanted: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Partial derivatives of f(*x), each of the shape of f: () is f itself, (0,) df/dx0, (0, 1) d2f/dx0 dx1.

    x: numbers, traced scalars, or arrays of numbers (the axes of which lead those of the result).
    """
    graph = graph_of(f, x)
    name = f"variable {len(graph.nodes)}"  # as many as there are nodes: no other variable has this name
    variables = graph.inputs(name, len(x))
    shape = np.shape(outputs := np.asarray(f(*variables), object))
    known: dict[tuple[int, ...], list[Any]] = {(): list(outputs.ravel())}

    def partial(order: tuple[int, ...]) -> list[Any]:
        if order not in known:
            known[order] = jvp(partial(order[:-1]), {variables[order[-1]]: 1.0})
        return known[order]

    flat = [e for order in wanted for e in partial(order)]
    if graph.nodes[0] is variables[0]:  # a graph of our own: x are numbers
        found = [np.asarray(e, float) for e in evaluate_numeric(flat, lambda _, i: x[i])]
        lead = np.broadcast_shapes(*[np.shape(a) for a in x])
        values = np.stack([np.broadcast_to(e, lead) for e in found], axis=-1)
    else:
        values = vector_of(substitute(flat, lambda base, i: x[i] if base == name else graph.input(base, i)))
    return [part.reshape((*part.shape[:-1], *shape))[()] for part in np.split(values, len(wanted), axis=-1)]


def pushforward(f: Callable[..., Any], x: Sequence[Any] | np.ndarray, xdot: Sequence[Any] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """f(*x), and its rate when x changes at the rates xdot."""
    value, *columns = derivatives(f, x, [(), *[(i,) for i in range(len(x))]])
    rate: Any = 0.0
    for column, v in zip(columns, xdot, strict=True):
        rate = rate + column * v
    return value, rate


def graph_of(f: Callable[..., Any], x: Sequence[Any] | np.ndarray) -> Graph:
    """The graph that x, or numbers within f, are traced in; a new one where all are known."""
    for e in x:
        if is_traced(e):
            return e.graph
    if all(np.ndim(e) == 0 for e in x):
        for e in np.asarray(f(*x), object).flat:
            if is_traced(e):
                return e.graph
    return Graph()
