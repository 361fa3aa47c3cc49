"""Surfaces over grids of points: normals, and lines about as far apart in both directions."""

import numpy as np

from redmax.view.geometry.creases import welded
from redmax.view.geometry.skins import Array, Whole

MOST_LINES = 8  # along the longer side


def line_counts(points: Array) -> tuple[int, int]:
    """How many steps there are between lines of a sheet over points (rows, columns, 3), down and across."""
    rows, columns, _ = points.shape
    down = np.linalg.norm(np.diff(points, axis=0), axis=2).sum() / columns
    across = np.linalg.norm(np.diff(points, axis=1), axis=2).sum() / rows
    longer = max(down, across) or 1.0
    n, m = (max(round(MOST_LINES * side / longer), 2) for side in (down, across))
    return n, m


def line_pattern(points: Array) -> Array:
    """(rows, columns, 2): numbers that count lines down and across."""
    rows, columns, _ = points.shape
    n, m = line_counts(points)
    return np.stack(np.meshgrid(np.linspace(0, n, rows), np.linspace(0, m, columns), indexing="ij"), axis=-1)


def grid_lines(points: Array) -> Array:
    """(k, 2, 3): pieces of lines down and across a sheet over points (rows, columns, 3), and its edges."""
    pieces = []
    for k, count in enumerate(line_counts(points)):
        number = np.unique(np.rint(np.linspace(0, points.shape[k] - 1, count + 1)).astype(int))
        lines = np.moveaxis(points, k, 0)[number]
        pieces.append(np.stack([lines[:, :-1], lines[:, 1:]], axis=2).reshape(-1, 2, 3))
    return np.concatenate(pieces)


def cell_normals(points: Array, *corners: Whole) -> Array:
    """(n, 3): means over the cells around, weighted by area; one for all vertices at the same place, such as those of a seam.

    corners: numbers of the vertices of each cell, around it
    """
    ids = welded(points)
    a, b, c, d = (points[k] for k in corners)
    n = np.cross(c - a, d - b)
    at = np.concatenate([ids[k] for k in corners])
    sums = np.stack([np.bincount(at, np.tile(n[:, k], 4), minlength=ids.max() + 1) for k in range(3)], axis=1)[ids]
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.finfo(float).tiny)
