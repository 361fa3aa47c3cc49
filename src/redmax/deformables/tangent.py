"""What follows from a law's forces alone by exact differentiation: the default of laws that say nothing better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.trace import Graph, Scalar, evaluate_numeric, jacobian, jvp, substitute
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.deformables.elements import Law


def exact_stiffness(law: Law, x: Any, data: Any) -> np.ndarray:
    """K = df/dx (3k, 3k) over traced inputs x (k, 3); indefinite where an element is compressed or inverted."""
    return jacobian(np.asarray(law.forces(x, data), object).ravel(), list(np.ravel(x)))


def along_velocities(law: Law, x: Any, v: Any, data: Any) -> np.ndarray:
    """(df/dx) v (k, 3), for numbers and traced scalars."""
    flat = np.ravel(np.asarray(x, object))
    graph = next((e.graph for e in flat if isinstance(e, Scalar)), None)
    own = Graph() if graph is None else graph
    local = np.array(own.inputs("node", len(flat)), object)
    force = np.asarray(law.forces(local.reshape(-1, 3), data), object)
    rate = jvp(list(force.ravel()), dict(zip(local, np.ravel(v), strict=True)))
    if graph is None:
        return np.array(evaluate_numeric(rate, lambda _, i: flat[i]), float).reshape(-1, 3)
    known = substitute(rate, lambda base, i: flat[i] if base == "node" else graph.input(base, i))
    return vector_of(known).reshape(-1, 3)
