"""One vector of all that a gradient is by, as optimisers want it; slopes along velocities and along steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers
from redmax.dynamics.common.parameter_slopes import are_poses
from redmax.errors import SceneError
from redmax.lie import se3
from redmax.model.model import Model
from redmax.model.state import State

FAR = 2.0**-10  # by which gradients are differenced, of the largest number of a vector


def in_parts(sizes: Mapping[str, tuple[int, ...]], x: ArrayLike) -> dict[str, np.ndarray]:
    """What a vector stands for, by name."""
    vector, counts = as_numbers(x, "x", "float64"), [int(np.prod(shape)) for shape in sizes.values()]
    if vector.shape != (sum(counts),):
        valid = f"a vector of {sum(counts)} numbers: {', '.join(f'{name} {shape}' for name, shape in sizes.items())}"
        raise SceneError(f"x is {valid}. Got shape {vector.shape}.", owner="gradient", argument="x", expected=valid)
    parts = zip(sizes.items(), np.split(vector, np.cumsum(counts)[:-1]), strict=True)
    return {name: part.reshape(shape) for (name, shape), part in parts}


def moved(model: Model, begin: State, step: np.ndarray) -> np.ndarray:
    """(nq,): the coordinates to which a step, (nv,), leads."""
    configurations = model.configurations
    there, _ = configurations.moved(configurations.join(begin.q, configurations.numbered(begin.chart)), step, np.zeros(model.nv))
    return configurations.split(there)[0]


def along_steps(model: Model, step: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """(nv,): the slope by a step, from that along velocities where it leads."""
    found = slope.copy()
    for i, link in enumerate(model.links):
        joint, own = link.joint, slice(*model.offsets[i : i + 2].tolist())
        if joint.nq != joint.dof:
            velocities = [np.asarray(joint.velocity(step[own], e), float) for e in np.eye(joint.dof)]
            found[own] = np.array(velocities) @ slope[own]
    return found


def along_velocities(model: Model, configurations: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """(worlds, nv) from slopes by configurations (worlds, size): of an element of a group, along q exp(delta)."""
    if model.nq == model.nv:
        return slopes[:, model.configurations.coordinates]
    parts: list[np.ndarray] = []
    for link, own in zip(model.links, model.configurations.parts(), strict=True):
        joint, slope = link.joint, slopes[:, own][:, : link.joint.nq]
        if joint.nq != joint.dof:
            tangents = [np.asarray(joint.tangent(q[: joint.nq]), float) for q in configurations[:, own]]
            slope = np.array([s @ T for s, T in zip(slope, tangents, strict=True)])
        parts.append(slope)
    return np.concatenate([np.zeros((len(slopes), 0)), *parts], axis=1)


def steps_from(value: np.ndarray) -> np.ndarray:
    """What stands in a vector for a parameter as the scene has it: its value, or of poses, (..., 4, 4), steps of zero, (..., 6)."""
    return np.zeros((*value.shape[:-2], 6)) if are_poses(value) else value


def stepped(value: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The value that a part of a vector stands for."""
    return np.asarray(value @ se3.exp(part), float) if are_poses(value) else part


def slope_by_step(value: np.ndarray, part: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The slope by a part of a vector: of poses from that along E exp(xi), where the step leads."""
    return np.einsum("...ik,...i->...k", se3.dexp_right(part), slope) if are_poses(value) else slope


def hessian_product(
    sizes: Mapping[str, tuple[int, ...]], slope: Callable[[np.ndarray], np.ndarray], x: ArrayLike, p: ArrayLike
) -> np.ndarray:
    """(len(x),): the Hessian at x times p, by differences of order 4 of slopes."""
    at, along = (np.concatenate([np.ravel(part) for part in in_parts(sizes, vector).values()]) for vector in (x, p))
    size = float(np.abs(along).max(initial=0.0))
    if size == 0.0:
        return np.zeros(along.shape)
    e = FAR * max(1.0, float(np.abs(at).max(initial=0.0))) / size
    up, down, far_up, far_down = (slope(at + s * e * along) for s in (1, -1, 2, -2))
    return (8 * (up - down) - far_up + far_down) / (12 * e)
