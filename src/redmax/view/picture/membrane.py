"""A surface that deforms: what never changes about it is prepared once, its normals follow the vertices."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.geometry.creases import CREASE, adjacent, face_normals, neighbours

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
DIAGONAL = 1.05  # times as long as the other edges of both its triangles, an edge goes across a quadrilateral: it is not drawn


@dataclass(frozen=True, eq=False)
class Membrane:
    """faces: (m, 3); borders: (k, 2) vertices of the lines to draw; weave: (m, 3) whether the edge across a corner is seen on the surface;
    this, other: corners of the faces whose normals add up to that of a corner."""

    faces: Whole
    borders: Whole
    weave: NDArray[np.bool_]
    this: Whole
    other: Whole

    def shape(self, points: Array) -> tuple[Array, Array]:
        """Corners and normals (m, 3, 3) with the vertices at points (n, 3)."""
        corners = points[self.faces]
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        parts = flat[self.other // 3]
        sums = np.stack([np.bincount(self.this, parts[:, k], minlength=self.faces.size) for k in range(3)], axis=1)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        return corners, (sums / np.where(length > 0, length, 1.0)).reshape(-1, 3, 3)


def membrane(points: Array, faces: Whole) -> Membrane:
    """Of a surface whose vertices are first at points (n, 3). One without a border keeps the sharp edges it has then."""
    corners = points[faces]
    flat = face_normals(corners)
    first, second, _, _ = adjacent(faces, corners)
    is_open = bool((second < 0).any())
    this, other = neighbours(faces.ravel())
    soft = is_open | (this // 3 == other // 3) | (np.einsum("ij,ij->i", flat[this // 3], flat[other // 3]) > CREASE)
    drawn = (second < 0) | (not is_open and np.einsum("ij,ij->i", flat[first], flat[second]) < CREASE)
    return Membrane(faces, edge_ends(faces)[drawn], ~diagonals(corners, faces), this[soft], other[soft])


def edge_ends(faces: Whole) -> Whole:
    """(k, 2): the ends of each edge once, in the order that `adjacent` has them."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    key = low * (faces.max() + 1) + high
    return ends[np.unique(key, return_index=True)[1]]


def diagonals(corners: Array, faces: Whole) -> NDArray[np.bool_]:
    """(m, 3): whether the edge across a corner is the longest of both its triangles."""
    lengths = np.linalg.norm(np.roll(corners, -1, axis=1) - np.roll(corners, 1, axis=1), axis=2)  # across each corner
    longest = lengths > DIAGONAL * np.maximum(np.roll(lengths, 1, axis=1), np.roll(lengths, -1, axis=1))
    a, b = np.roll(faces, -1, axis=1), np.roll(faces, 1, axis=1)
    key = (np.minimum(a, b) * (faces.max() + 1) + np.maximum(a, b)).ravel()
    _, edge, count = np.unique(key, return_inverse=True, return_counts=True)
    both = np.bincount(edge, longest.ravel()) == 2
    return (both & (count == 2))[edge].reshape(longest.shape)
