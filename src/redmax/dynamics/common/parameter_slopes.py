"""From derivatives by the numbers that kernels read to derivatives by the parameters that a user names.

    d/dp = d/d(columns) d(columns)/dp

Masses, springs and the like are columns as they are. What follows from an argument of a component by making it again, as the inertia of a
cuboid from its size, is differenced to sixth order: such functions are polynomials mostly, and smooth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from redmax.model.model import Model
from redmax.model.parameter_values import parameter_columns
from redmax.model.parameters import UPPER, Parameter

STEP = 1e-2  # of a difference, relative to the value
STENCIL = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0


def by_parameters(model: Model, given: Mapping[str, Any], slopes: np.ndarray) -> dict[str, np.ndarray]:
    """name -> (..., its shape) of derivatives by columns, (..., columns). given: the values of the parameters, (worlds, its shape).

    An inertia is symmetric: of two equal entries each has half of what is by both.
    """
    found: dict[str, np.ndarray] = {}
    start = 0
    for p in model.parameters:
        size = 0 if p.path and p.remaking is None else p.default.size
        part = slopes[..., start : start + size]
        start += size
        if p.what == "inertia":
            whole = np.zeros((*part.shape[:-1], 3, 3), part.dtype)
            whole[..., UPPER[0], UPPER[1]] = part
            found[p.name] = 0.5 * (whole + np.swapaxes(whole, -1, -2))
        elif not p.path or (p.remaking is not None and p.remaking.same):
            found[p.name] = part.reshape(*part.shape[:-1], *p.shape)
        else:
            found[p.name] = through(model, given, p, slopes)
    return found


def value_of(model: Model, p: Parameter) -> np.ndarray:
    """An argument of a component as the model has it."""
    kept = next(other.remaking for other in model.parameters if other.remaking is not None and p.name in other.remaking.names.values())
    return next(kept.values[path] for path, name in kept.names.items() if name == p.name)


def through(model: Model, given: Mapping[str, Any], p: Parameter, slopes: np.ndarray) -> np.ndarray:
    """(..., its shape), through the constants that are made of it."""
    value = np.asarray(given.get(p.name, value_of(model, p)), float)
    size, lead = math.prod(p.shape), value.shape[: value.ndim - len(p.shape)]
    flat = value.reshape(*lead, size)
    parts: list[np.ndarray] = []
    for k in range(size):
        step = STEP * np.maximum(np.abs(flat[..., k]), 1e-3 * np.abs(flat).max(initial=1e-3))
        moved = np.repeat(flat[None], len(STENCIL), axis=0)
        moved[..., k] += STENCIL.reshape(-1, *[1] * step.ndim) * step
        columns = parameter_columns(model, dict(given) | {p.name: moved.reshape(-1, *lead, *p.shape)})
        rate = np.tensordot(WEIGHTS, columns, axes=1) / step[..., None]
        parts.append((slopes * np.expand_dims(rate, -2) if slopes.ndim > rate.ndim else slopes * rate).sum(axis=-1))
    return np.stack(parts, axis=-1).reshape(*parts[0].shape, *p.shape) if size else np.zeros((*slopes.shape[:-1], *p.shape))
