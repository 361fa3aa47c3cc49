"""Surfaces that are known, and poses on them."""

from __future__ import annotations

from typing import Any

import numpy as np

import redmax as rm
from redmax.design.curves.knots import clamped
from redmax.lie import se3


def known_joint(rng: np.random.Generator, kind: str, counts: tuple[int, ...], orders: tuple[int, ...], cyclic: tuple[bool, ...]) -> Any:
    """A curved surface whose parameters run from -1 to 2, with a base anywhere."""
    knots = [clamped(n, k, c, -1.0, 2.0) for n, k, c in zip(counts, orders, cyclic, strict=True)]
    sides = [np.cos(2 * np.pi * np.arange(n) / n) if c else np.linspace(-1, 1, n) for n, c in zip(counts, cyclic, strict=True)]
    values = 0.1 * rng.normal(size=(*counts, 6))
    for i, x in enumerate(np.meshgrid(*sides, indexing="ij")):
        values[..., [i, 5 - i]] += np.stack([0.6 * x, 0.8 * x], axis=-1)
    base = se3.exp(rng.normal(size=6))
    options: dict[str, Any] = {"order": orders, "knots": knots, "cyclic": cyclic, "base": base}
    return rm.TwistSurface(values, **options) if kind == "twists" else rm.SplineSurface(values, **options)


def places(rng: np.random.Generator, count: int, dof: int) -> np.ndarray:
    """Parameters scattered over all of the range, its corners among them."""
    corners = np.stack(np.meshgrid(*dof * [(-1.0, 2.0)], indexing="ij"), axis=-1).reshape(-1, dof)
    return np.concatenate([corners, rng.uniform(-1.0, 2.0, (count - len(corners), dof))])


def noisy(rng: np.random.Generator, poses: np.ndarray, size: float) -> np.ndarray:
    return poses @ se3.exp(size * rng.normal(size=(len(poses), 6)))


def differences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(N, 6), of poses."""
    return se3.log(se3.inverse(a) @ b)
