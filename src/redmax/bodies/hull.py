"""The convex hull of points: its corners, triangles that look outward, and the planes of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.bodies.base import Array


@dataclass(frozen=True, eq=False)
class Hull:
    """vertices (n, 3); faces (m, 3), counterclockwise seen from outside; normals (m, 3) @ x <= offsets (m,) inside."""

    vertices: Array
    faces: np.ndarray
    normals: Array
    offsets: Array


def hull_of(points: Array) -> Hull | None:
    """Of points (n, 3); None where they lie in a plane, or are too few."""
    from scipy.spatial import ConvexHull, QhullError  # which scenes without meshes do not wait for

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    N, corners = found.equations[:, :3], np.sort(found.vertices)
    number = np.zeros(len(points), np.int64)
    number[corners] = np.arange(len(corners))
    a, b, c = (points[found.simplices[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * N).sum(axis=1) < 0
    faces = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    return Hull(points[corners], number[faces], N, -found.equations[:, 3])
