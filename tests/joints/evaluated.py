"""Pose, S and Sdot of a joint from its own trace, evaluated: its closed form if it has one, else from differentiating its transform."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import redmax as rm
from redmax.lie import se3
from redmax.trace import Graph, evaluate_numeric, jvp


@lru_cache(maxsize=256)
def traced(joint: rm.Joint, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    graph = Graph()
    q, qdot = (np.array([*graph.inputs(name, n), None], object)[:-1] for name, n in (("q", size), ("qdot", joint.dof)))
    E = np.asarray(joint.transform(q), object)
    S = joint.jacobian(q)
    S = differentiated(E, q[: joint.dof]) if S is None else np.asarray(S, object)
    return E, S, tangent(S, dict(zip(q[: joint.dof], qdot)))


def evaluated(joint: rm.Joint, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q may go on with the charts in use."""

    def number(part: np.ndarray) -> np.ndarray:
        found = evaluate_numeric(list(part.ravel()), lambda base, i: {"q": q, "qdot": qdot}[base][i])
        return np.array([float(x) for x in found]).reshape(part.shape)

    E, S, Sdot = (number(part) for part in traced(joint, len(q)))
    return E, S, Sdot


def differentiated(E: np.ndarray, q: np.ndarray) -> np.ndarray:
    columns = [se3.unbracket(np.asarray(se3.inverse(E), object) @ tangent(E, {x: 1.0})) for x in q]
    return np.array(columns, object).T


def tangent(values: np.ndarray, seeds: dict[Any, Any]) -> np.ndarray:
    return np.array([*jvp(list(values.ravel()), seeds), None], object)[:-1].reshape(values.shape)
