"""Rates of coordinates as velocities, and gradients by coordinates as gradients along velocities, of all joints of a configuration:

    T' g, with T = dq/d(step), and how that changes

Of most joints T is the identity. Of joints on groups it is traced once for each kind, and evaluated over arrays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.trace import Graph, evaluate_numeric, gradient, jvp
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.joints.base import Joint
    from redmax.model.configurations import Configurations


@lru_cache(maxsize=64)
def traced_pull(joint: Joint) -> tuple[list[Any], list[Any]]:
    """T' g and its rate, of q, g and their rates."""
    graph = Graph()
    q, g, dq, dg = (vector_of(graph.inputs(name, joint.nq)) for name in ("q", "g", "dq", "dg"))
    found = list(np.asarray(joint.tangent(q), object).T @ g)
    seeds = dict(zip([*q, *g], [*dq, *dg], strict=True))
    return found, jvp(found, seeds)


@lru_cache(maxsize=64)
def traced_speeds(joint: Joint) -> list[Any]:
    """The velocities that go with rates of the coordinates."""
    graph = Graph()
    q, dq = (vector_of(graph.inputs(name, joint.nq)) for name in ("q", "dq"))
    return list(np.asarray(joint.speeds(q, dq), object))


def speeds_of(at: Configurations, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """(..., nv), of configurations (..., size) and their rates."""
    parts: list[np.ndarray] = []
    for joint, part in zip(at.joints, at.parts(), strict=True):
        own = dq[..., part]
        if joint.nq != joint.dof:
            own = evaluated(traced_speeds(joint), {"q": q[..., part], "dq": own}).astype(dq.dtype)
        parts.append(own[..., : joint.dof])
    return np.concatenate([dq[..., :0], *parts], axis=-1)


@lru_cache(maxsize=64)
def traced_weights(joint: Joint) -> list[Any]:
    """Weights of the coordinates' rates that are those of the velocities."""
    graph = Graph()
    q, dq, w = vector_of(graph.inputs("q", joint.nq)), vector_of(graph.inputs("dq", joint.nq)), vector_of(graph.inputs("w", joint.dof))
    return gradient((np.asarray(joint.speeds(q, dq), object) * w).sum(), list(dq))


def pushed_weights(at: Configurations, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., size): weights of the rates of configurations (..., size), from those of velocities (..., nv)."""
    found, start = np.zeros((*weights.shape[:-1], at.size), weights.dtype), 0
    for joint, part in zip(at.joints, at.parts(), strict=True):
        own = weights[..., start : start + joint.dof]
        start += joint.dof
        if joint.nq != joint.dof:
            own = evaluated(traced_weights(joint), {"q": q[..., part], "w": own})
        found[..., part.start : part.start + own.shape[-1]] = own
    return found


def evaluated(outputs: list[Any], given: dict[str, np.ndarray]) -> np.ndarray:
    """(..., outputs), of arrays (..., n)."""
    shape = np.broadcast_shapes(*[x.shape[:-1] for x in given.values()])
    values = evaluate_numeric(outputs, lambda name, i: given[name][..., i])
    return np.stack([np.broadcast_to(np.asarray(v, float), shape) for v in values], axis=-1)


def pulled(at: Configurations, q: np.ndarray, g: np.ndarray) -> np.ndarray:
    """(..., nv), of configurations (..., size) and gradients by them."""
    parts: list[np.ndarray] = []
    for joint, part in zip(at.joints, at.parts(), strict=True):
        own = g[..., part]
        if joint.nq != joint.dof:
            own = evaluated(traced_pull(joint)[0], {"q": q[..., part], "g": own}).astype(g.dtype)
        parts.append(own[..., : joint.dof])
    return np.concatenate([g[..., :0], *parts], axis=-1)


def pulled_rates(at: Configurations, q: np.ndarray, dq: np.ndarray, g: np.ndarray, dg: np.ndarray) -> np.ndarray:
    """(..., nv): their rates, as q and g change."""
    parts: list[np.ndarray] = []
    for joint, part in zip(at.joints, at.parts(), strict=True):
        own = dg[..., part]
        if joint.nq != joint.dof:
            given = {"q": q[..., part], "g": g[..., part], "dq": dq[..., part], "dg": own}
            own = evaluated(traced_pull(joint)[1], given).astype(g.dtype)
        parts.append(own[..., : joint.dof])
    return np.concatenate([g[..., :0], *parts], axis=-1)
