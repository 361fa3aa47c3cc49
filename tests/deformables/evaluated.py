"""Laws traced and then evaluated with numbers: what a compiled kernel would give, and its exact derivatives."""

from __future__ import annotations

from functools import cache

import numpy as np

from redmax.deformables.elements import Law
from redmax.trace import Graph, evaluate_numeric, gradient, jacobian


@cache
def traced(law: Law) -> dict[str, np.ndarray]:
    """Energy, its negative gradient, forces and stiffness df/dx of one element, and what implicit steps take for it, traced."""
    graph = Graph()
    inputs = graph.inputs("x", 3 * law.nodes)
    x, data = np.array(inputs, object).reshape(-1, 3), np.array(graph.inputs("data", law.numbers), object)
    energy, forces = law.energy(x, data), law.forces(x, data)
    slope = -np.array(gradient(energy, inputs), object).reshape(-1, 3)
    return {
        "energy": np.array(energy, object),
        "gradient": slope,
        "forces": forces,
        "stiffness": jacobian(forces.ravel(), inputs),
        "implicit": np.asarray(law.stiffness(x, data), object),
        "viscosity": np.asarray(law.viscosity(x, np.array(graph.inputs("v", 3 * law.nodes), object).reshape(-1, 3), data), object),
    }


def value(law: Law, what: str, x: np.ndarray, data: np.ndarray) -> np.ndarray:
    """One of the above at numbers: x (..., k, 3), data (..., d)."""
    outputs = traced(law)[what]
    lead = np.broadcast_shapes(x.shape[:-2], data.shape[:-1])
    given = {"x": x.reshape(*x.shape[:-2], -1), "data": data}
    found = evaluate_numeric(list(outputs.ravel()), lambda base, i: given[base][..., i])
    return np.stack([np.broadcast_to(v, lead) for v in found], axis=-1).reshape((*lead, *outputs.shape))


def assembled(body, what: str, x: np.ndarray) -> np.ndarray:
    """Forces (N, 3) or stiffness (3N, 3N) of all elements of a deformable with its nodes at x."""
    total = np.zeros((len(x), 3)) if what == "forces" else np.zeros((3 * len(x), 3 * len(x)))
    for group in body.elements:
        local = value(group.law, what, x[group.nodes], group.data)
        for nodes, part in zip(group.nodes, local, strict=True):
            if what == "forces":
                total[nodes] += part
            else:
                at = (3 * nodes[:, None] + np.arange(3)).ravel()
                total[np.ix_(at, at)] += part
    return total


def energy_of(body, x: np.ndarray) -> float:
    return float(sum(value(g.law, "energy", x[g.nodes], g.data).sum() for g in body.elements))


def central_differences(f, x: np.ndarray, h: float) -> np.ndarray:
    """df/dx by the places of one element, (..., f, 3 k) for x (..., k, 3), by (8 f(h) - 8 f(-h) - f(2h) + f(-2h)) / 12h."""
    columns = []
    for i in range(x.shape[-2] * x.shape[-1]):
        d = np.zeros(x.shape[-2] * x.shape[-1])
        d[i] = h
        d = d.reshape(x.shape[-2:])
        columns.append((8 * (f(x + d) - f(x - d)) - f(x + 2 * d) + f(x - 2 * d)) / (12 * h))
    return np.stack(columns, axis=-1)
