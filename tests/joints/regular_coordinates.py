"""Coordinates of composite joints at which the motions of their parts are independent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.hyperdual import unbracket
from joints import definitions as d

if TYPE_CHECKING:
    from joints.samples import Sample

WELL = 30.0  # condition number of S that composites are chosen for: motions that do not nearly coincide


def condition(motion: d.Motion, q: np.ndarray) -> float:
    """Of S by differences, which is quick: it only chooses coordinates, and no result is compared with it."""
    if not len(q):
        return 1.0
    E, h = motion(q).astype(float), 1e-6
    rates = [np.linalg.inv(E) @ (motion(q + h * e).astype(float) - E) / h for e in np.eye(len(q))]
    return float(np.linalg.cond(unbracket(np.array(rates)).T))


def random_place(rng: np.random.Generator, aligned: bool) -> tuple[list[Any], np.ndarray]:
    """What stands between two joints, if anything, and the pose it means."""
    E = np.eye(4)
    if rng.random() < 0.4:
        return [], E
    E[:3, 3] = rng.choice([-1.0, 0.0, 0.5], 3) if aligned else rng.uniform(-0.5, 0.5, 3)
    if rng.random() < 0.5:
        return [E[:3, 3].copy()], E
    E[:3, :3] = np.roll(np.eye(3), 1, axis=0) if aligned else d.exponential(rng.normal(size=3)).astype(float)
    return [E.copy()], E


def well_conditioned(motion: d.Motion, parts: list[Sample]) -> Callable[[np.random.Generator], np.ndarray] | None:
    """Coordinates of the parts where their motions are independent; None if those are not easily found."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        for _ in range(200):
            q = np.concatenate([part.coordinates(rng) for part in parts])
            if condition(motion, q) < WELL:
                return q
        raise AssertionError("no regular coordinates")

    rng = np.random.default_rng(0)
    tries = [condition(motion, np.concatenate([part.coordinates(rng) for part in parts])) for _ in range(4)]
    return draw if np.median(tries) < WELL else None
