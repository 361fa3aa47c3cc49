"""Convex solids with flat faces: what contact knows of a mesh, which must be convex, and of a cuboid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.bodies.base import Triangles
from redmax.bodies.hull import hull_of
from redmax.bodies.surfaces import box
from redmax.errors import SceneError

FORGIVEN = 1e-4  # of its size, by which a mesh may be dented and counts as convex: its hull is met
ALIKE = 9  # digits of normals and offsets, of sizes of about 1, in which triangles of one face agree


@dataclass(frozen=True, eq=False)
class Polytope:
    """vertices (n, 3); faces (m, 3), counterclockwise seen from outside; it is where normals (k, 3) @ x <= offsets (k,)."""

    vertices: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    offsets: np.ndarray

    @property
    def radius(self) -> float:
        """Of a ball around the origin."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


def polytope(triangles: Triangles) -> tuple[Polytope, float] | None:
    """The convex hull of a surface, and how far inside of it the surface is at most; None of a flat one."""
    vertices, faces = triangles
    corners = vertices[np.unique(faces)]
    hull = hull_of(corners)
    if hull is None:
        return None
    N, d, size = hull.normals, hull.offsets, np.ptp(corners, axis=0).max()
    edges = np.concatenate([vertices[faces[:, [i, j]]].mean(axis=1) for i, j in ((0, 1), (1, 2), (2, 0))])
    inside = (d - np.concatenate([corners, vertices[faces].mean(axis=1), edges]) @ N.T).min(axis=1).max()
    _, first = np.unique(np.round(np.column_stack([N, d / size]), ALIKE), axis=0, return_index=True)
    first.sort()
    return Polytope(hull.vertices, hull.faces, N[first], d[first]), float(inside)


def convex_of(owner: str, triangles: Triangles) -> Polytope:
    """Of a mesh that is convex; or an error with the name of its owner."""
    size = float(np.ptp(triangles[0], axis=0).max(initial=0.0))
    made = polytope(triangles)
    if made is None:
        said = f"{owner!r} cannot touch others: its mesh of size {size:.3g} is flat, or as good as that, expected a solid."
        raise SceneError(f"{said} Give it a thickness, or use a Cuboid.", owner=owner, argument="contact")
    found, inside = made
    if inside > FORGIVEN * size:
        said = f"{owner!r} cannot touch others: its mesh is not convex. Its surface lies up to {inside:.3g} inside its convex hull"
        more = f"expected at most {FORGIVEN * size:.1g} of its size {size:.3g}"
        fix = "Split it into convex parts with redmax.Composite, or take its hull with redmax.Mesh.hull(vertices)"
        raise SceneError(f"{said}, {more}. {fix}.", owner=owner, argument="contact")
    return found


def cuboid(half: np.ndarray) -> Polytope:
    """Of half extents (3,)."""
    vertices, faces = box(2 * half)
    return Polytope(vertices, faces, np.concatenate([np.eye(3), -np.eye(3)]), np.concatenate([half, half]))
