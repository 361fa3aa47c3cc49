"""Triangles for what is drawn beside the bodies: rods, balls, arrow heads, tubes along curves, sheets over grids of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]  # vertices (n, 3), faces (m, 3)
ROUND = 14  # sides of what is round
LINES = 8  # over a sheet, along its longer side


def revolved(profile: NDArray[np.float64]) -> Mesh:
    """A profile (k, 2) of radius and height, from the bottom up, turned about z."""
    k = len(profile)
    angle = 2 * np.pi * np.arange(ROUND) / ROUND
    r, z = profile[:, 0, None], np.broadcast_to(profile[:, 1, None], (k, ROUND))
    vertices = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)
    return vertices, grid_faces(k, ROUND, wrap=True)


def rod() -> Mesh:
    """Radius 1, from z = 0 to 1, with its ends closed."""
    return revolved(np.array([[0, 0], [1, 0], [1, 0], [1, 1], [1, 1], [0, 1.0]]))


def ball(rows: int = 10) -> Mesh:
    """Radius 1."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, rows)
    return revolved(np.stack([np.cos(angle), np.sin(angle)], axis=1))


def cone() -> Mesh:
    """Radius 1 at z = 0, its tip at z = 1."""
    return revolved(np.array([[0, 0], [1, 0], [1, 0], [0, 1.0]]))


def placed(mesh: Mesh, scale: tuple[float, float, float], E: NDArray[np.float64]) -> Mesh:
    """The mesh made larger along its axes and then put at the pose E (4, 4)."""
    vertices, faces = mesh
    return vertices * scale @ E[:3, :3].T + E[:3, 3], faces


def joined(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    offsets = np.cumsum([0, *[len(v) for v, _ in meshes[:-1]]])
    return np.concatenate([v for v, _ in meshes]), np.concatenate([f + o for (_, f), o in zip(meshes, offsets, strict=True)])


def tube(points: NDArray[np.float64], radius: float, sides: int = 8) -> Mesh:
    """A round wire along points (n, 3); the ring's frame is carried along without twist."""
    tangent = np.gradient(points, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), np.finfo(float).tiny)
    normal = np.empty_like(points)
    u = across(tangent[0])
    for i, t in enumerate(tangent):
        u = u - t * (t @ u)
        length = float(np.linalg.norm(u))
        u = u / length if length > 1e-9 else across(t)
        normal[i] = u
    other = np.cross(tangent, normal)
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = normal[:, None] * np.cos(angle)[:, None] + other[:, None] * np.sin(angle)[:, None]
    return (points[:, None] + radius * ring).reshape(-1, 3), grid_faces(len(points), sides, wrap=True)


def sheet(points: NDArray[np.float64]) -> Mesh:
    """Triangles over a grid of points (m, n, 3)."""
    m, n = points.shape[:2]
    return points.reshape(-1, 3), grid_faces(m, n, wrap=False)


def grid_lines(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, 2, 3): pieces of lines down and across a sheet over points (m, n, 3), about as far apart in both directions, and its edges."""
    sides = [float(np.linalg.norm(np.diff(points, axis=k), axis=2).sum(axis=k).mean()) for k in (0, 1)]
    pieces = []
    for k, side in enumerate(sides):
        count = max(round(LINES * side / (max(sides) or 1.0)), 2)
        number = np.unique(np.rint(np.linspace(0, points.shape[k] - 1, count + 1)).astype(int))
        lines = np.moveaxis(points, k, 0)[number]
        pieces.append(np.stack([lines[:, :-1], lines[:, 1:]], axis=2).reshape(-1, 2, 3))
    return np.concatenate(pieces)


def grid_faces(m: int, n: int, wrap: bool) -> NDArray[np.int64]:
    """Two triangles for each cell of a grid of vertices; the last column joins the first if it wraps."""
    at = np.arange(m * n).reshape(m, n)
    at = np.hstack([at, at[:, :1]]) if wrap else at
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def across(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """A unit vector at right angles to a direction."""
    helper = np.eye(3)[np.argmin(np.abs(direction))]
    u = np.cross(direction, helper)
    return np.asarray(u / np.linalg.norm(u), float)


def along(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 4) quaternions wxyz that turn z into unit directions (n, 3)."""
    x, y, z = directions.T
    w = np.sqrt(np.maximum((1 + z) / 2, 0.0))
    safe = np.where(w > 1e-6, w, 1.0)
    q = np.stack([w, -y / (2 * safe), x / (2 * safe), np.zeros_like(w)], axis=1)
    q[w <= 1e-6] = (0.0, 1.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)
