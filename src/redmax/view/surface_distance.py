"""How far a point is from a surface of triangles."""

import numpy as np
from numpy.typing import NDArray


def surface_distance(point: NDArray[np.float64], vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    """The distance of a point (3,) from the nearest of the triangles `faces` (m, 3) of `vertices` (n, 3)."""
    corners = vertices[faces] - point
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.maximum(np.sum(sides**2, axis=2), np.finfo(float).tiny)
    along = np.clip(-np.sum(corners * sides, axis=2) / lengths, 0, 1)
    to_edges = np.linalg.norm(corners + along[..., None] * sides, axis=2).min(axis=1)
    normal = np.cross(sides[:, 0], sides[:, 1])
    size = np.linalg.norm(normal, axis=1)
    within = (np.sum(np.cross(corners, sides) * normal[:, None], axis=2) >= 0).all(axis=1) & (size > 0)
    heights = np.abs(np.sum(corners[:, 0] * normal, axis=1)) / np.maximum(size, np.finfo(float).tiny)
    return float(np.where(within, heights, to_edges).min())
