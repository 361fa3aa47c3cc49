"""Meshes of tetrahedra: volumes, checks, their boundary, and a box cut into them."""

from __future__ import annotations

import numpy as np

from redmax.deformables.base import Array, Numbers
from redmax.errors import SceneError

FLAT = 1e-9  # a volume below this fraction of the longest edge cubed is none
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))  # counterclockwise from outside, of a tetrahedron of positive volume
# Six tetrahedra around the diagonal of a cell, one for each order in which a path along x, y and z can go (Freudenthal, Kuhn).
# Faces of neighbouring cells are cut along the same diagonal, so that the mesh is conforming whatever the number of cells.
PATHS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))


def edges(nodes: Array, tets: Numbers) -> Array:
    """(n, 3, 3) the edges from node 0 to nodes 1, 2, 3 as columns."""
    corners = nodes[tets]
    return np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)


def volumes(nodes: Array, tets: Numbers) -> Array:
    """(n,) signed: positive if nodes 1, 2, 3 are seen counterclockwise from the outside of their face."""
    return np.linalg.det(edges(nodes, tets)) / 6.0


def oriented(owner: str, nodes: Array, tets: Numbers) -> Numbers:
    """The same tetrahedra, two nodes exchanged in those of negative volume; flat ones are refused."""
    V = volumes(nodes, tets)
    corners = nodes[tets]
    longest = np.linalg.norm(corners[:, :, None] - corners[:, None], axis=-1).max(axis=(1, 2), initial=0.0)
    flat = np.flatnonzero(~(np.abs(V) > FLAT * longest**3))
    if len(flat):
        i = int(flat[0])
        raise SceneError(
            f"{owner}: tetrahedron {i} of nodes {tets[i].tolist()} has the volume {V[i]:.3g} m^3 at edges up to {longest[i]:.3g} m, "
            f"expected one that is not flat; leave such tetrahedra out or mesh again ({len(flat)} of them in all).",
            owner=owner,
            argument="tets",
        )
    return np.where((V < 0)[:, None], tets[:, [0, 2, 1, 3]], tets)


def boundary(owner: str, tets: Numbers) -> Numbers:
    """(m, 3) the faces that only one tetrahedron has, counterclockwise from outside."""
    faces = tets[:, FACES].reshape(-1, 3)
    unique, index, uses = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    many = np.flatnonzero(uses > 2)
    if len(many):
        face = unique[many[0]].tolist()
        raise SceneError(
            f"{owner}: the face of nodes {face} has {uses[many[0]]} tetrahedra, expected at most 2, one on either side.",
            owner=owner,
            argument="tets",
        )
    return faces[uses[index.reshape(-1)] == 1]


def check_used(owner: str, count: int, tets: Numbers) -> None:
    """Raise if a node is in no tetrahedron: it would have no mass."""
    alone = np.setdiff1d(np.arange(count), tets)
    if len(alone):
        raise SceneError(
            f"{owner}: node {alone[0]} is in no tetrahedron, expected every node in one; leave it out ({len(alone)} of them in all).",
            owner=owner,
            argument="nodes",
        )


def used(nodes: Array, tets: Numbers) -> tuple[Array, Numbers]:
    """The mesh without the nodes that no tetrahedron has."""
    kept, renumbered = np.unique(tets, return_inverse=True)
    return nodes[kept], renumbered.reshape(-1, 4)


def box(size: tuple[float, float, float], cells: tuple[int, int, int]) -> tuple[Array, Numbers]:
    """Nodes and tetrahedra of a box centred at the origin; node (k (ny + 1) + j) (nx + 1) + i is the i-th, j-th, k-th along x, y, z."""
    axes = [np.linspace(-s / 2, s / 2, n + 1) for s, n in zip(size, cells, strict=True)]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    nx, ny, nz = cells
    k, j, i = (g.ravel() for g in np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij"))

    def number(c: Numbers) -> Numbers:
        return (c[2] * (ny + 1) + c[1]) * (nx + 1) + c[0]

    tets = []
    for path in PATHS:
        corner = np.stack([i, j, k])
        walk = [number(corner)]
        for axis in path:
            corner = corner.copy()
            corner[axis] += 1
            walk.append(number(corner))
        tets.append(np.stack(walk, axis=1))
    nodes = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    joined = np.stack(tets, axis=1).reshape(-1, 4)
    return nodes, oriented("box", nodes, joined)
