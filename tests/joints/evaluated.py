"""Pose, S and Sdot of a joint from its own trace, evaluated: its closed form if it has one, else from differentiating its transform."""

from __future__ import annotations

from typing import Any

import numpy as np

import redmax as rm
from redmax.lie import se3
from redmax.trace import Graph, evaluate_numeric, jvp


def evaluated(joint: rm.Joint, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q may go on with the charts in use."""
    graph = Graph()
    symbols, rates = (np.array([*graph.inputs(name, len(x)), None], object)[:-1] for name, x in (("q", q), ("qdot", qdot)))
    E = np.asarray(joint.transform(symbols), object)
    S = joint.jacobian(symbols)
    S = differentiated(E, symbols[: joint.dof]) if S is None else np.asarray(S, object)
    Sdot = tangent(S, dict(zip(symbols[: joint.dof], rates)))

    def number(part: Any) -> np.ndarray:
        found = evaluate_numeric(list(part.ravel()), lambda base, i: {"q": q, "qdot": qdot}[base][i])
        return np.array([float(x) for x in found]).reshape(part.shape)

    return number(E), number(S), number(Sdot)


def differentiated(E: np.ndarray, q: np.ndarray) -> np.ndarray:
    columns = [se3.unbracket(np.asarray(se3.inverse(E), object) @ tangent(E, {x: 1.0})) for x in q]
    return np.array(columns, object).T


def tangent(values: np.ndarray, seeds: dict[Any, Any]) -> np.ndarray:
    return np.array([*jvp(list(values.ravel()), seeds), None], object)[:-1].reshape(values.shape)
