"""Surfaces of triangles: grids of vertices, profiles turned about an axis, and several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Triangles = tuple[Array, Whole]  # vertices (n, 3), faces (m, 3)
SIDES, BANDS = 20, 10  # of what is round, unless told otherwise


@dataclass(frozen=True, eq=False)
class Skin:
    """vertices, normals: (n, 3); faces: (m, 3) numbers of vertices, counter-clockwise seen from outside."""

    vertices: Array
    normals: Array
    faces: Whole

    @property
    def corners(self) -> tuple[Array, Array]:
        """Corners and normals (m, 3, 3) of the triangles, one by one."""
        return self.vertices[self.faces], self.normals[self.faces]


def joined(*skins: Skin) -> Skin:
    """Several skins as one."""
    offsets = np.cumsum([0, *[len(skin.vertices) for skin in skins[:-1]]])
    faces = [skin.faces + offset for skin, offset in zip(skins, offsets, strict=True)]
    return Skin(np.concatenate([s.vertices for s in skins]), np.concatenate([s.normals for s in skins]), np.concatenate(faces))


def grid_faces(rows: int, columns: int, wrap: bool = False, is_closed: bool = False) -> Whole:
    """Two triangles for each cell of a grid of vertices. wrap: the last column joins the first; is_closed: the last row does."""
    at = np.arange(rows * columns).reshape(rows, columns)
    at = np.concatenate([at, at[:, :1]], axis=1) if wrap else at
    at = np.concatenate([at, at[:1]]) if is_closed else at
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    return np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=-2).reshape(-1, 3)


def repeated(faces: Whole, times: int, vertices: int) -> Whole:
    """The faces of so many equal parts, each of so many vertices."""
    return (faces + vertices * np.arange(times)[:, None, None]).reshape(-1, 3)


def turned_profile(profile: Sequence[tuple[float, float]] | Array, sides: int = SIDES) -> Triangles:
    """A profile (k, 2) of radius and height, from the bottom up, its ends on the axis, turned about z; a ring given twice is sharp."""
    profile = np.asarray(profile, float)
    angle = 2 * np.pi * np.arange(sides) / sides
    rings = np.stack([np.multiply.outer(profile[1:-1, 0], np.cos(angle)), np.multiply.outer(profile[1:-1, 0], np.sin(angle))], axis=-1)
    heights = np.broadcast_to(profile[1:-1, 1, None, None], (*rings.shape[:2], 1))
    ends = np.array([[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]])
    vertices = np.concatenate([np.concatenate([rings, heights], axis=-1).reshape(-1, 3), ends])
    at = np.arange(len(vertices) - 2).reshape(-1, sides)
    here, there = at, np.roll(at, -1, axis=1)
    a, b, c, d = (part.ravel() for part in (here[:-1], there[:-1], there[1:], here[1:]))
    low, high = np.full(sides, len(vertices) - 2), np.full(sides, len(vertices) - 1)
    faces = [(a, b, c), (a, c, d), (low, there[0], here[0]), (high, here[-1], there[-1])]
    return vertices, np.concatenate([np.stack(corners, axis=1) for corners in faces])


def cylinder(radius: float, low: float, high: float, sides: int = SIDES) -> Triangles:
    """Closed, along z."""
    return turned_profile([(0.0, low), (radius, low), (radius, high), (0.0, high)], sides)


def ball(radius: float, sides: int = SIDES, bands: int = BANDS) -> Triangles:
    angle = np.linspace(-np.pi / 2, np.pi / 2, bands + 1)
    return turned_profile(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), sides)
