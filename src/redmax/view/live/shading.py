"""Which corners of a surface share a normal: those that meet at an edge that is not sharp. Elsewhere vertices are doubled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SHARP = np.radians(40)  # between the normals of two triangles at an edge that is to be seen
SAME = 1e-7  # of its size: vertices closer than this are one


def creased(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(origin, faces): a mesh of the vertices[origin], doubled along sharp edges, so that averaged normals leave those sharp.

    vertices: (n, 3); faces: (m, 3). Where the vertices move, `origin` says where the doubled ones go.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    size = max(float(np.ptp(vertices, axis=0).max()), np.finfo(float).tiny)
    _, welded = np.unique(np.rint(vertices / (SAME * size)).astype(np.int64), axis=0, return_inverse=True)
    where = welded.reshape(-1)[faces]
    a, b = neighbours(where, normals(vertices, faces))
    corners = faces.size
    _, group = connected_components(coo_matrix((np.ones(len(a), bool), (a, b)), shape=(corners, corners)), directed=False)
    group, first, index = np.unique(group, return_index=True, return_inverse=True)
    return faces.reshape(-1)[first], index.reshape(-1, 3)


def normals(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """(m, 3) unit normals of the triangles, zero where one has no area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), np.finfo(float).tiny)


def neighbours(where: NDArray[np.int64], normal: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of corners, numbered 3 face + k, at the two ends of each edge that is smooth. where: (m, 3) numbers of places."""
    m = len(where)
    face = np.tile(np.arange(m), 3)
    tail, head = np.repeat([0, 1, 2], m), np.repeat([1, 2, 0], m)
    p, q = where[face, tail], where[face, head]
    low, high = np.minimum(p, q), np.maximum(p, q)
    order = np.lexsort((high, low))
    one, two = order[:-1], order[1:]
    smooth = (low[one] == low[two]) & (high[one] == high[two])
    smooth &= np.sum(normal[face[one]] * normal[face[two]], axis=1) > np.cos(SHARP)
    one, two = one[smooth], two[smooth]
    same_way = p[one] == p[two]
    first = 3 * face[one] + tail[one], 3 * face[two] + np.where(same_way, tail[two], head[two])
    second = 3 * face[one] + head[one], 3 * face[two] + np.where(same_way, head[two], tail[two])
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
