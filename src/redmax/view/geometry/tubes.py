"""Round things made of triangles around a line: wires that follow a curve, straight rods between points, beads on points."""

from functools import cache

import numpy as np

from redmax.view.geometry.sizes import ARROW_HEAD
from redmax.view.geometry.skins import Array, Skin, Triangles, Whole, grid_faces, repeated

SIDES = 12
CAP_RINGS = 3  # of each round end of a wire
BANDS = 6  # of a bead


def tube(points: Array, radius: float, sides: int = SIDES) -> Skin:
    """Along points (n, 3), with rings that follow it without twist; closed if its ends meet, with round ends otherwise."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    path = points[np.concatenate([[True], steps > 0])]
    if len(path) < 2:
        return beads(points[:1], radius)
    is_closed = bool(len(path) > 3 and np.linalg.norm(path[0] - path[-1]) < 1e-4 * steps.sum())
    path = path[:-1] if is_closed else path
    along, side = path_frames(path, is_closed)
    centres, wide, ahead = (path, np.ones(len(path)), np.zeros(len(path))) if is_closed else capped(path)
    ends = np.zeros(0, int) if is_closed else np.repeat([0, len(path) - 1], CAP_RINGS)
    if not is_closed:
        frame = np.concatenate([ends[:CAP_RINGS], np.arange(len(path)), ends[CAP_RINGS:]])
        along, side = along[frame], side[frame]
    out = circle_points(side, np.cross(along, side), sides)
    normals = wide[:, None, None] * out + (ahead[:, None] * along)[:, None]
    vertices = centres[:, None] + radius * normals
    return Skin(vertices.reshape(-1, 3), normals.reshape(-1, 3), grid_faces(len(vertices), sides, wrap=True, is_closed=is_closed))


def capped(path: Array) -> tuple[Array, Array, Array]:
    """Centres of the rings of an open tube with half balls at its ends; their radii and offsets along it, over the radius of the tube."""
    angles = np.arange(CAP_RINGS, 0, -1) / CAP_RINGS * np.pi / 2
    centres = np.concatenate([np.repeat(path[:1], CAP_RINGS, 0), path, np.repeat(path[-1:], CAP_RINGS, 0)])
    wide = np.concatenate([np.cos(angles), np.ones(len(path)), np.cos(angles[::-1])])
    return centres, wide, np.concatenate([-np.sin(angles), np.zeros(len(path)), np.sin(angles[::-1])])


def path_frames(path: Array, is_closed: bool) -> tuple[Array, Array]:
    """Tangents (n, 3), and vectors (n, 3) across them, each turned from the last one by the smallest rotation; a closed path's meet."""
    before, after = np.roll(path, 1, axis=0), np.roll(path, -1, axis=0)
    if not is_closed:
        before[0], after[-1] = path[0], path[-1]
    along = unit(after - before)
    sides = [unit(np.cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))]))]
    for a, b in zip(along, [*along[1:], along[0]], strict=True):
        sides.append(carried(sides[-1], a, b))
    side = np.array(sides[:-1])
    if not is_closed:
        return along, side
    gap = np.arctan2(along[0] @ np.cross(sides[-1], sides[0]), sides[-1] @ sides[0])
    angles = (gap * np.arange(len(path)) / len(path))[:, None]
    return along, side * np.cos(angles) + np.cross(along, side) * np.sin(angles)


def carried(side: Array, a: Array, b: Array) -> Array:
    """A vector across the tangent a, turned with it onto the tangent b."""
    middle = a + b
    square = middle @ middle
    reflected = side if square < 1e-12 else side - middle * (2 * (middle @ side) / square)
    return unit(reflected - b * (b @ reflected))


def rods(points: Array, pairs: Whole, radius: float) -> Skin:
    """Straight open tubes between the points (n, 3) of each of the pairs (k, 2)."""
    a, b = points[pairs[:, 0]], points[pairs[:, 1]]
    along = unit(b - a)
    side = unit(np.cross(along, np.where(np.abs(along[:, 2:]) < 0.7, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))))
    normals = circle_points(side, np.cross(along, side))  # (k, SIDES, 3)
    rings = np.stack([a[:, None] + radius * normals, b[:, None] + radius * normals], axis=1)
    return bands(rings, np.stack([normals, normals], axis=1))


def arrow(foot: Array, vector: Array, thick: float, heads: int) -> Skin:
    """A shaft with one or two heads from a foot (3,) along a vector (3,)."""
    long = float(np.linalg.norm(vector))
    radius = min(thick, long / 12)
    wide, high = ARROW_HEAD[0] * radius, ARROW_HEAD[1] * radius
    neck = long - high
    second = [(radius, neck - 0.8 * high), (wide, neck - 0.8 * high), (radius, neck)] if heads == 2 else []
    profile = np.array([(0, 0), (radius, 0), *second, (radius, neck), (wide, neck), (0, long)])
    axis = unit(vector)
    side = unit(np.cross(axis, (0.0, 0.0, 1.0) if abs(axis[2]) < 0.9 else (1.0, 0.0, 0.0)))
    around = circle_points(side[None], np.cross(axis, side)[None])[0]  # (SIDES, 3)
    rings = foot + profile[:, 1, None, None] * axis + profile[:, 0, None, None] * around
    wider, higher = np.diff(profile, axis=0).T
    slope = np.maximum(np.hypot(wider, higher), np.finfo(float).tiny)
    normals = (higher / slope)[:, None, None] * around - (wider / slope)[:, None, None] * axis  # each part has its own
    return bands(np.stack([rings[:-1], rings[1:]], axis=1), np.stack([normals, normals], axis=1))


def beads(points: Array, radius: float) -> Skin:
    """Balls about points (n, 3)."""
    vertices, faces = unit_ball()
    places = points[:, None] + radius * vertices
    normals = np.broadcast_to(vertices, places.shape)
    return Skin(places.reshape(-1, 3), normals.reshape(-1, 3), repeated(faces, len(points), len(vertices)))


@cache
def unit_ball() -> Triangles:
    """Whose vertices are its normals as well."""
    angle = np.pi * np.arange(BANDS + 1) / BANDS
    around = circle_points(np.array([[1.0, 0, 0]]), np.array([[0, 1.0, 0]]))[0]
    rings = np.sin(angle)[:, None, None] * around - np.cos(angle)[:, None, None] * np.array([0, 0, 1.0])
    vertices, faces = rings.reshape(-1, 3), grid_faces(len(rings), SIDES, wrap=True)
    corners = vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return vertices, faces[area > 1e-9]


def circle_points(side: Array, up: Array, sides: int = SIDES) -> Array:
    """(n, sides, 3): unit vectors around n axes, from vectors (n, 3) across them."""
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * up[:, None]


def bands(rings: Array, normals: Array) -> Skin:
    """Triangles between pairs of rings, (k, 2, sides, 3)."""
    count, _, sides, _ = rings.shape
    return Skin(rings.reshape(-1, 3), normals.reshape(-1, 3), repeated(grid_faces(2, sides, wrap=True), count, 2 * sides))


def turns_of_z(directions: Array) -> Array:
    """(n, 4) quaternions wxyz that turn z into unit directions (n, 3)."""
    x, y, z = directions.T
    w = np.sqrt(np.maximum((1 + z) / 2, 0.0))
    safe = np.where(w > 1e-6, w, 1.0)
    q = np.stack([w, -y / (2 * safe), x / (2 * safe), np.zeros_like(w)], axis=1)
    q[w <= 1e-6] = (0.0, 1.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def unit(v: Array) -> Array:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)
