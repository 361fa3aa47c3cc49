"""Motions that deform: a cloth of springs in gusts of wind, simulated; and readers of packed points."""

import numpy as np
from numpy.typing import NDArray

from redmax.view.modes import PRECISION
from view.samples import decoded, short_numbers

Array = NDArray[np.float64]


def grid_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """(m, 3): two triangles for each cell of a grid of vertices."""
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def cloth_in_wind(side: int, frames: int, fps: float, seed: int = 0) -> Array:
    """(frames, side^2, 3): a square metre held at two corners, in wind that changes its mind; symplectic Euler."""
    u = np.linspace(0, 1, side)
    x = np.stack([*np.meshgrid(u, u, indexing="ij"), np.zeros((side, side))], -1)[..., [0, 2, 1]].copy()
    v, held, rng = np.zeros_like(x), ([0, -1], [-1, -1]), np.random.default_rng(seed)
    corners, wind, kept, substeps = x[held].copy(), np.zeros(3), [], 10
    for _ in range(frames):
        kept.append(x.reshape(-1, 3).copy())
        wind = 0.97 * wind + rng.normal(size=3) * (0.5, 2.0, 0.5)
        for _ in range(substeps):
            f = np.zeros_like(x)
            f += (0, 0, -9.81) + wind * (1 + np.sin(9 * x[..., :1])) - 0.6 * v
            for near, far, length in springs(side):
                d = x[far] - x[near]
                stretch = np.linalg.norm(d, axis=-1, keepdims=True)
                pull = 12_000 * (stretch - length) * d / stretch
                f[near] += pull
                f[far] -= pull
            v += f / (fps * substeps)
            v[held] = 0
            x += v / (fps * substeps)
            x[held] = corners
    return np.array(kept)


def springs(side: int):
    """Pairs of slices of a grid, one step apart along both sides and both diagonals, with their lengths at rest."""
    step, (head, tail) = 1 / (side - 1), (slice(None, -1), slice(1, None))
    yield (head,), (tail,), step
    yield (slice(None), head), (slice(None), tail), step
    yield (head, head), (tail, tail), 2**0.5 * step
    yield (head, tail), (tail, head), 2**0.5 * step


def unpacked(entry: dict, times: int) -> Array:
    """(T, n, 3): the places that fields of a page hold, as their description says."""
    if "differences" in entry:
        places = np.cumsum(np.cumsum(np.reshape(short_numbers(entry["differences"]), (times, -1, 3)), axis=0), axis=0)
        return np.array(entry["low"]) + entry["step"] * places
    mean = decoded(entry["points"], "<f4").astype(float)
    if "modes" in entry:
        mean = mean + decoded(entry["weights"], "<f4").reshape(times, -1) @ decoded(entry["modes"], "<f4").reshape(-1, len(mean))
    return np.broadcast_to(mean, (times, mean.shape[-1])).reshape(times, -1, 3)


def tolerance(points: Array) -> float:
    """What a picture may be off: of the size of what moves, or of a hundredth of its way, and of numbers of 32 bits."""
    low, high = (bound(points, axis=1) for bound in (np.nanmin, np.nanmax))
    way = float((np.nanmax(high, axis=0) - np.nanmin(low, axis=0)).max())
    return 1.01 * PRECISION * max(float(np.nanmax(high - low)), 0.01 * way) + 1e-6
