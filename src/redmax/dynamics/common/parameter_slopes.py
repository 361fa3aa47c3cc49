"""From slopes by the numbers that programs take for parameters to slopes by the parameters, as a user names and shapes them.

Most are the numbers themselves. Of an inertia, programs take the upper triangle: its slope is symmetric, so that dP = sum(slope * dI). What
arguments of a component make, as control frames make the screws between them, is differentiated by differences of order 8 of what makes it,
exact to rounding for what is smooth; of poses, (..., 4, 4), along E exp(xi): slopes are (..., 6), angular, then linear. Poses that have no
number in common are moved together (Curtis, Powell and Reid 1974): of the frames of a spline every second, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.lie import se3
from redmax.model.model import Model
from redmax.model.parameters import UPPER, Parameter
from redmax.model.remade import Remaking

Move = Callable[[float], np.ndarray]  # how far -> the value there
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of central differences over 1 to 4 steps
STEP = 2.0**-8


def by_name(
    model: Model,
    names: list[str],
    columns: np.ndarray,
    values: Mapping[str, np.ndarray],
    rows: tuple[int, ...] = (),
    owner: str = "gradient",
) -> dict[str, np.ndarray]:
    """(..., *rows, shape) for each name, from slopes (..., *rows, columns) by what programs take.

    values: (..., shape) of each, where it was found; rows: of what there are slopes, if not of one number; owner: who asks
    """
    found: dict[str, Any] = dict.fromkeys(names, 0.0)
    start = 0
    for p in model.parameters:
        own = columns[..., start : start + p.default.size]
        start += p.default.size
        if p.remaking is not None:
            for path, name in p.remaking.names.items():
                found[name] = found[name] + remade(p.remaking, path, own, values, rows, owner)
        elif not p.path:
            found[p.name] = found[p.name] + shaped(p, own)
    return found


def shaped(p: Parameter, own: np.ndarray) -> np.ndarray:
    """Slopes by what is a parameter as it is."""
    if p.what != "inertia":
        return own.reshape((*own.shape[:-1], *p.shape))
    slope = np.zeros((*own.shape[:-1], 3, 3))
    slope[..., UPPER[0], UPPER[1]] = own
    return (slope + np.swapaxes(slope, -1, -2)) / 2


def remade(made: Remaking, path: Any, own: np.ndarray, values: Mapping[str, np.ndarray], rows: tuple[int, ...], owner: str) -> np.ndarray:
    """Slopes by one argument of what is made again, world by world."""
    name, shape = made.names[path], made.values[path].shape
    if made.same:
        return own.reshape((*own.shape[:-1], *shape))
    lead = own.shape[: own.ndim - 1 - len(rows)]
    flat = own.reshape(-1, *rows, own.shape[-1])
    shapes = {n: made.values[place].shape for place, n in made.names.items()}
    given = {n: np.broadcast_to(values[n], (*lead, *own_shape)).reshape(-1, *own_shape) for n, own_shape in shapes.items()}
    found = [slope_of(made, name, {n: v[w] for n, v in given.items()}, flat[w], owner) for w in range(len(flat))]
    behind = found[0].shape if found else (*rows, *((*shape[:-2], 6) if are_poses(made.values[path]) else shape))
    return np.array(found).reshape((*lead, *behind))


def slope_of(made: Remaking, name: str, values: Mapping[str, np.ndarray], own: np.ndarray, owner: str = "gradient") -> np.ndarray:
    """In one world; own: (..., columns)."""
    value = values[name]

    def near(move: Move, unit: float) -> np.ndarray:
        """(columns,): how fast what is made changes along a move."""
        ends = [made.columns({**values, name: move(s * k * STEP * unit)}) for k in range(1, 1 + len(WEIGHTS)) for s in (1, -1)]
        return np.tensordot(WEIGHTS, np.subtract(ends[::2], ends[1::2]), 1) / (STEP * unit)

    try:
        if not are_poses(value):
            found = np.stack([own @ near(*move) for move in number_moves(value)], axis=-1)
            return found.reshape((*found.shape[:-1], *value.shape))
        touched = touched_by(value, lambda x: made.columns({**values, name: x}))
        found = np.zeros((*own.shape[:-1], len(touched), 6))
        for group in apart(touched):
            for k, move in enumerate(pose_moves(value, group)):
                found[..., group, k] = (own[..., None, :] * touched[group]) @ near(*move)
        return found.reshape((*found.shape[:-2], *value.shape[:-2], 6))
    except SceneError as error:
        asked = "by" if owner == "gradient" else "parameters"
        said = f"redmax.{owner} finds the slope by {name!r} from values near it, which cannot all be: {error}"
        raise SceneError(said, owner=owner, argument=asked) from error


def are_poses(value: np.ndarray) -> bool:
    """Whether these are matrices (..., 4, 4) of rotation and translation."""
    return value.shape[-2:] == (4, 4) and bool((value[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all())


def number_moves(value: np.ndarray) -> list[tuple[Move, float]]:
    """Each of the numbers by itself, in units of its size, or of that of the largest where it is small."""
    flat = np.ravel(value)
    size = float(np.abs(flat).max(initial=0.0)) or 1.0

    def move(i: int) -> Move:
        return lambda s: (flat + s * (np.arange(flat.size) == i)).reshape(value.shape)

    return [(move(i), max(abs(float(x)), 0.1 * size)) for i, x in enumerate(flat)]


def pose_moves(value: np.ndarray, group: list[int]) -> list[tuple[Move, float]]:
    """Some of the poses together, along each twist."""
    flat = value.reshape(-1, 4, 4)
    size = float(np.abs(flat[:, :3, 3]).max(initial=0.0)) or 1.0

    def move(k: int) -> Move:
        def moved(s: float) -> np.ndarray:
            other = flat.copy()
            other[group] = other[group] @ np.asarray(se3.exp(s * np.eye(6)[k]), float)
            return other.reshape(value.shape)

        return moved

    return [(move(k), 1.0 if k < 3 else size) for k in range(6)]


def touched_by(value: np.ndarray, columns: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """(poses, columns): what of that which is made changes with each of the poses."""
    flat, before = value.reshape(-1, 4, 4), columns(value)
    found = np.empty((len(flat), before.size), bool)
    for i in range(len(flat)):
        other = flat.copy()
        other[i] = other[i] @ np.asarray(se3.exp(STEP * np.array([0.3, -0.5, 0.7, 0.9, 0.4, -0.6])), float)
        found[i] = columns(other.reshape(value.shape)) != before
    return found


def apart(touched: np.ndarray) -> list[list[int]]:
    """All poses in groups, in each of which no two touch the same."""
    groups, taken = list[list[int]](), list[np.ndarray]()
    for i, own in enumerate(touched):
        at = next((k for k, other in enumerate(taken) if not (own & other).any()), None)
        if at is None:
            groups.append([i])
            taken.append(own.copy())
        else:
            groups[at].append(i)
            taken[at] |= own
    return groups


def value_of(p: Parameter) -> np.ndarray:
    """(its shape): as the model has it."""
    return p.value
