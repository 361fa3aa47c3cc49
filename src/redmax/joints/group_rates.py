"""Gradients by coordinates as gradients along velocities, of all joints of a configuration: T' g, with T = dq/d(step); and how they change.

Of most joints T is the identity. Of joints on groups it is traced once for each kind, and evaluated over arrays.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.trace import Graph, evaluate_numeric, jvp
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
