"""Translucent surfaces with a pattern of lines: what is behind them shows through, layer by layer from the farthest to the nearest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.drawing_view import DrawingView
from redmax.view.geometry.sheets import cell_normals, line_pattern
from redmax.view.picture.moment import Moment
from redmax.view.picture.raster import edges_from_first

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A surface over a grid, at a moment in the world. corners, normals: (m, 3, 3); pattern: (m, 3, 2), which counts lines."""

    corners: Array
    normals: Array
    pattern: Array


def sheets(views: Sequence[DrawingView], moment: Moment) -> Sheet:
    """All surfaces among the drawings as one."""
    found = []
    for view in views:
        points = view.at(np.array([moment.t]))[0]
        if points.ndim == 3:
            pose = moment.pose(view.poses)
            found.append(grid_sheet(points @ pose[:3, :3].T + pose[:3, 3]))
    return Sheet(*(np.concatenate([getattr(s, name) for s in found] or [empty]) for name, empty in EMPTY.items()))


EMPTY = {"corners": np.zeros((0, 3, 3)), "normals": np.zeros((0, 3, 3)), "pattern": np.zeros((0, 3, 2))}


def grid_sheet(points: Array) -> Sheet:
    """Of points (rows, columns, 3)."""
    rows, columns, _ = points.shape
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1].ravel(), number[1:, :-1].ravel(), number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    flat = points.reshape(-1, 3)
    return Sheet(flat[faces], cell_normals(flat, a, b, c, d)[faces], line_pattern(points).reshape(-1, 2)[faces])


def growth(places: Array, values: Array) -> Array:
    """(m, 2): by how much values (m, 3, 2) at the corners of triangles change from pixel to pixel, across and down together."""
    (u, v), (du, dv) = edges_from_first(places), edges_from_first(values)
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    area = np.where(area == 0, np.inf, area)[:, None]
    across, down = (du * v[:, 1:] - dv * u[:, 1:]) / area, (dv * u[:, :1] - du * v[:, :1]) / area
    return np.maximum(np.abs(across) + np.abs(down), 1e-7)
