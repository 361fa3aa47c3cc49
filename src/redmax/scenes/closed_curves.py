"""Closed curves as control frames of spline joints, and as tubes to look at (Lee & Terzopoulos Sec. 7)."""

from math import pi

import numpy as np

import redmax as rm
from redmax.trace import Graph, evaluate_numeric
from redmax.trace.vector import vector_of


def evenly(points: np.ndarray, count: int) -> np.ndarray:
    """(count, dim) points at equal distances along the closed polygon through `points` (n, dim), from the first one on."""
    closed = np.concatenate([points, points[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.arange(count) * length[-1] / count
    return np.stack([np.interp(at, length, x) for x in closed.T], axis=-1)


def tangent_frames(points: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(n, 4, 4) poses at the points (n, 3) of a closed curve: x along it, z as near to `up` (3,) as that allows."""
    x = unit(between_neighbours(points))
    return frames(points, x, unit(np.cross(up, x)))


def surface_frames(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(n, 4, 4) poses at the points (n, 3) of a closed curve on a surface: z along its normals (n, 3), x along the curve within it."""
    y = unit(np.cross(normals, between_neighbours(points)))
    return frames(points, np.cross(y, normals), y)


def between_neighbours(points: np.ndarray) -> np.ndarray:
    return np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)


def frames(points: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    E = np.tile(np.eye(4), (len(points), 1, 1))
    E[:, :3, :3], E[:, :3, 3] = np.stack([x, y, np.cross(x, y)], axis=-1), points
    return E


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def frames_along(curve: rm.SplineCurve, count: int) -> np.ndarray:
    """(count, 4, 4) poses that a cyclic spline joint passes through, from q = 0 on, evenly in q: its trace, over all q at once."""
    low, high = curve.range
    q = low + (high - low) * np.arange(count) / count
    rows = list(np.asarray(curve.transform(vector_of(Graph().inputs("q", 1))), object)[:3].ravel())
    E = np.tile(np.eye(4), (count, 1, 1))
    E[:, :3] = np.stack([np.broadcast_to(x, count) for x in evaluate_numeric(rows, lambda name, i: q)], axis=-1).reshape(count, 3, 4)
    return E


def tube(frames: np.ndarray, radius: float, sides: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a ring-shaped tube: circles across the x axes of closed frames (n, 4, 4)."""
    n = len(frames)
    angle = 2 * pi * np.arange(sides) / sides
    circle = radius * np.stack([np.zeros(sides), np.cos(angle), np.sin(angle)])
    vertices = (frames[:, :3, :3] @ circle + frames[:, :3, 3:]).transpose(0, 2, 1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(sides), indexing="ij")
    a, b, c, d = (((i + k) % n * sides + (j + m) % sides).ravel() for k, m in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return vertices, np.concatenate([np.stack([a, c, b], axis=1), np.stack([a, d, c], axis=1)])
