"""From slopes by the numbers that programs take for parameters to slopes by the parameters, as a user names and shapes them.

Most are the numbers themselves. Of an inertia, programs take the upper triangle: its slope is symmetric, so that dP = sum(slope * dI). What
arguments of a component make is differentiated by differences of order 8 of what makes it, exact to rounding for what is smooth; of poses,
(..., 4, 4), along E exp(xi): slopes are (..., 6), angular, then linear. Poses that have no number in common are moved together (Curtis,
Powell and Reid 1974), and so are numbers, where there are many: of Young's moduli of tetrahedra all. Of the frames of a spline the joint
itself knows what they do to the twists between them (joints/frame_product.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.joints.frame_product import FrameProduct
from redmax.lie import se3
from redmax.model.model import Model
from redmax.model.parameters import UPPER, Parameter
from redmax.model.remade import Remaking
from redmax.model.soft_parameters import Share

Move = Callable[[float], np.ndarray]  # how far -> the value there
FRAMES, SCREWS = "joint.frames", "joint.screws"  # tables that joints along frames make of them: the frames, and twists between
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of central differences over 1 to 4 steps
STEP = 2.0**-8
MANY = 16  # numbers: then it pays to find which of them have nothing in common


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
    wholes: dict[int, tuple[Remaking, np.ndarray]] = {}  # of deformables, whose shares are together
    start = 0
    for p in model.parameters:
        own = columns[..., start : start + p.default.size]
        start += p.default.size
        if isinstance(p.remaking, Share):
            whole = p.remaking.whole
            columns_of = wholes.setdefault(id(whole), (whole, np.zeros((*own.shape[:-1], len(whole.entries)))))[1]
            columns_of[..., list(p.remaking.part)] = own
        elif p.remaking is not None:
            for path, name in p.remaking.names.items():
                found[name] = found[name] + remade(p.remaking, path, own, values, rows, owner)
        elif not p.path:
            found[p.name] = found[p.name] + shaped(p, own)
    for made, own in wholes.values():
        for path, name in made.names.items():
            found[name] = found[name] + remade(made, path, own, values, rows, owner)
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
    if (exact := by_frames(made, name, value, own)) is not None:
        return exact

    def near(move: Move, unit: float) -> np.ndarray:
        """(columns,): how fast what is made changes along a move."""
        ends = [made.columns({**values, name: move(s * k * STEP * unit)}) for k in range(1, 1 + len(WEIGHTS)) for s in (1, -1)]
        return np.tensordot(WEIGHTS, np.subtract(ends[::2], ends[1::2]), 1) / (STEP * unit)

    try:
        if value.size > MANY and not are_poses(value) and not hangs_together(made, name, values):
            return many_slopes(made, name, values, own, near).reshape(*own.shape[:-1], *value.shape)
        if not are_poses(value):
            moves = symmetric_moves(value) if hangs_together(made, name, values) else number_moves(value)
            found = np.stack([own @ near(*move) for move in moves], axis=-1)
            return found.reshape((*found.shape[:-1], *value.shape))
        touched = touched_by(value, lambda x: made.columns({**values, name: x}))
        found = np.zeros((*own.shape[:-1], len(touched), 6))
        for group in apart(map(np.flatnonzero, touched), touched.shape[1]):
            for k, move in enumerate(pose_moves(value, group)):
                found[..., group, k] = (own[..., None, :] * touched[group]) @ near(*move)
        return found.reshape((*found.shape[:-2], *value.shape[:-2], 6))
    except SceneError as error:
        asked = "by" if owner == "gradient" else "parameters"
        said = f"redmax.{owner} finds the slope by {name!r} from values near it, which cannot all be: {error}"
        raise SceneError(said, owner=owner, argument=asked) from error


def many_slopes(
    made: Remaking, name: str, values: Mapping[str, np.ndarray], own: np.ndarray, near: Callable[[Move, float], np.ndarray]
) -> np.ndarray:
    """(..., numbers): by each of many numbers, from slopes (..., columns)."""
    value, flat = values[name], np.ravel(values[name])
    if name not in made.touching:
        before, unit = made.columns(values), STEP * units(flat)
        each = ((flat + np.where(np.arange(flat.size) == i, unit, 0.0)).reshape(value.shape) for i in range(flat.size))
        touched = [np.flatnonzero(made.columns({**values, name: x}) != before) for x in each]
        made.touching[name] = touched, apart(touched, before.size)
    touched, groups = made.touching[name]
    found = np.zeros((*own.shape[:-1], flat.size))
    for group in groups:
        step = np.zeros(flat.size)
        step[group] = units(flat)[group]
        moved = near(lambda s, step=step: (flat + s * step).reshape(value.shape), 1.0)
        for i in group:
            found[..., i] = own[..., touched[i]] @ moved[touched[i]] / step[i]
    return found


def units(flat: np.ndarray) -> np.ndarray:
    """The size of each number, or a part of that of the largest where it is small."""
    return np.maximum(np.abs(flat), 0.1 * (float(np.abs(flat).max(initial=0.0)) or 1.0))


def by_frames(made: Remaking, name: str, value: np.ndarray, own: np.ndarray) -> np.ndarray | None:
    """Of the frames of a spline, whose joint knows how its tables follow from them; else None."""
    joint = getattr(made.owner, "joint", None)
    tables = [FRAMES, SCREWS]
    if made.names.get(("joint", "frames")) != name or not isinstance(joint, FrameProduct) or not are_poses(value):
        return None
    if sorted({table for table, _ in made.entries}) != tables:
        return None
    frames, twists = (own[..., [k for k, (table, _) in enumerate(made.entries) if table == which]] for which in tables)
    return joint.slopes_by_frames(value, frames.reshape(*own.shape[:-1], -1, 3, 4), twists.reshape(*own.shape[:-1], -1, 6))


def are_poses(value: np.ndarray) -> bool:
    """Whether these are matrices (..., 4, 4) of rotation and translation."""
    return value.shape[-2:] == (4, 4) and bool((value[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all())


def number_moves(value: np.ndarray) -> list[tuple[Move, float]]:
    """Each of the numbers by itself, in units of its size, or of that of the largest where it is small."""
    flat = np.ravel(value)

    def move(i: int) -> Move:
        return lambda s: (flat + s * (np.arange(flat.size) == i)).reshape(value.shape)

    return [(move(i), x) for i, x in enumerate(units(flat).tolist())]


def hangs_together(made: Remaking, name: str, values: Mapping[str, np.ndarray]) -> bool:
    """Whether a value is a symmetric matrix, and must be one."""
    value = values[name]
    if value.ndim != 2 or len(value) < 2 or not np.array_equal(value, value.T):
        return False
    skew = value.copy()
    skew[0, 1] += STEP * units(np.ravel(value))[1]
    try:
        made.columns({**values, name: skew})
    except SceneError:
        return True
    return False


def symmetric_moves(value: np.ndarray) -> list[tuple[Move, float]]:
    """Of each number half, and of the one across the diagonal: slopes are symmetric, so that dP = sum(slope * dA) for symmetric dA."""

    def move(i: int, k: int) -> Move:
        step = np.zeros(value.shape)
        step[i, k] += 0.5
        step[k, i] += 0.5
        return lambda s: value + s * step

    size = units(np.ravel(value)).reshape(value.shape)
    return [(move(i, k), float(size[i, k])) for i, k in np.ndindex(value.shape)]


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


def apart(touched: Iterable[np.ndarray], columns: int) -> list[list[int]]:
    """All poses, or numbers, in groups, in each of which no two touch the same of so many columns."""
    groups, taken = list[list[int]](), list[np.ndarray]()
    for i, own in enumerate(touched):
        at = next((k for k, other in enumerate(taken) if not other[own].any()), len(groups))
        if at == len(groups):
            groups.append([])
            taken.append(np.zeros(columns, bool))
        groups[at].append(i)
        taken[at][own] = True
    return groups


def value_of(p: Parameter) -> np.ndarray:
    """(its shape): as the model has it."""
    return p.value
