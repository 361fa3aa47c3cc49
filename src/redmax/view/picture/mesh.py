"""A rigid mesh made ready for drawing: soft normals across shallow edges, flat ones and a drawn line at sharp ones."""

from dataclasses import dataclass

import numpy as np

from redmax.view.geometry.creases import CREASE, adjacent, corner_normals, welded
from redmax.view.geometry.skins import Array, Whole

FLAT = 0.9999  # cosine between a corner's normal and its face's, above which nothing is rounded


@dataclass(frozen=True, eq=False)
class PreparedMesh:
    """corners, normals: (m, 3, 3) of the triangles; edges: (k, 2, 3) ends of the lines to draw; is_round: some edge is soft;
    is_closed: only outer sides are ever seen; thickness: the smallest extent."""

    corners: Array
    normals: Array
    edges: Array
    is_round: bool
    is_closed: bool
    thickness: float


def prepared(vertices: Array, faces: Whole) -> PreparedMesh:
    """vertices: (n, 3); faces: (m, 3), counter-clockwise seen from outside."""
    corners = vertices[faces]
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size, ids = np.linalg.norm(n, axis=1), welded(vertices)[faces]
    keep = (size > 0) & (ids != np.roll(ids, 1, axis=1)).all(axis=1)
    corners, flat, ids = corners[keep], n[keep] / size[keep, None], ids[keep]
    normals = corner_normals(corners, flat, ids)
    first, second, ends, is_closed = adjacent(ids, corners)
    sharp = (second < 0) | (np.einsum("ij,ij->i", flat[first], flat[second]) < CREASE)
    is_round = bool((np.einsum("fkx,fx->fk", normals, flat) < FLAT).any())
    return PreparedMesh(corners, normals, ends[sharp], is_round, is_closed, float(np.ptp(vertices, axis=0).min()))
