"""Where a surface of triangles is sharp and where it is round: edges, and the corners that share a normal."""

import numpy as np

from redmax.view.geometry.skins import Array, Whole

CREASE = np.cos(np.radians(40))  # between the normals of two triangles at an edge that is to be seen
WELD = 1e-5  # of the size: vertices closer than this are one
CROWD = 512  # corners at one vertex


def face_normals(corners: Array) -> Array:
    """(m, 3) unit normals of triangles (m, 3, 3), zero where one has no area."""
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), np.finfo(float).tiny)


def split_at_creases(vertices: Array, faces: Whole) -> tuple[Whole, Whole]:
    """(origin, faces): a mesh of the vertices[origin], several of them along sharp edges, so that averaged normals leave those sharp.

    vertices: (n, 3); faces: (m, 3). Where the vertices move, `origin` says where the others go.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    flat = face_normals(vertices[faces])
    this, other = neighbours(welded(vertices)[faces].ravel())
    soft = np.einsum("ij,ij->i", flat[this // 3], flat[other // 3]) > CREASE
    pairs = coo_matrix((np.ones(soft.sum(), bool), (this[soft], other[soft])), shape=(faces.size, faces.size))
    _, group = connected_components(pairs, directed=False)
    _, first, index = np.unique(group, return_index=True, return_inverse=True)
    return faces.ravel()[first], index.reshape(-1, 3)


def welded(vertices: Array) -> Whole:
    """(n,): one number for all vertices at the same place."""
    size = np.abs(vertices).max() or 1.0
    return np.unique(np.rint(vertices / (WELD * size)).astype(np.int64), axis=0, return_inverse=True)[1].reshape(-1)


def corner_normals(corners: Array, flat: Array, ids: Whole) -> Array:
    """(m, 3, 3): the mean normal, weighted by angle, of the triangles around each corner that are not across a sharp edge."""
    a, b = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    lengths = np.linalg.norm(a, axis=2) * np.linalg.norm(b, axis=2)
    angles = np.arccos(np.clip(np.einsum("fkx,fkx->fk", a, b) / lengths, -1, 1)).ravel()
    this, other = neighbours(ids.ravel())
    face, its = this // 3, other // 3
    soft = np.einsum("ij,ij->i", flat[face], flat[its]) > CREASE
    this, other, its = this[soft], other[soft], its[soft]
    weighted = flat[its] * angles[other, None]
    sums = np.stack([np.bincount(this, weighted[:, k], minlength=ids.size) for k in range(3)], axis=1)
    return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).reshape(-1, 3, 3)


def neighbours(ids: Whole) -> tuple[Whole, Whole]:
    """All pairs (i, j), i = j included, with ids[i] == ids[j]; of an id that very many have, such as the middle of a fan, only i = j."""
    order = np.argsort(ids, kind="stable")
    _, start, count = np.unique(ids[order], return_index=True, return_counts=True)
    crowded = np.repeat(count, count) > CROWD
    alone = order[crowded]
    start, count = start[count <= CROWD], count[count <= CROWD]
    pairs = count**2
    group = np.repeat(np.arange(len(count)), pairs)
    within = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    this, other = start[group] + within // count[group], start[group] + within % count[group]
    return np.concatenate([order[this], alone]), np.concatenate([order[other], alone])


def adjacent(ids: Whole, corners: Array) -> tuple[Whole, Whole, Array, bool]:
    """Each edge once: its first face, its second or -1, its ends (k, 2, 3); and whether all edges have two faces, one in each direction."""
    after = np.roll(ids, -1, axis=1)
    low, high = np.minimum(ids, after).ravel(), np.maximum(ids, after).ravel()
    key = low * (ids.max() + 1) + high
    order = np.argsort(key, kind="stable")
    _, start, count = np.unique(key[order], return_index=True, return_counts=True)
    one = order[start]
    two = np.where(count > 1, order[np.minimum(start + 1, len(order) - 1)], -1)
    forward = (ids < after).ravel()
    is_closed = bool((count == 2).all() and (forward[one] != forward[two]).all())
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)[one]
    return one // 3, np.where(two >= 0, two // 3, -1), ends, is_closed
