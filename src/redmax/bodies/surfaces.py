"""Triangle surfaces that several shapes share: boxes and surfaces of revolution about z."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.arguments import as_whole, brief
from redmax.bodies.base import Triangles
from redmax.errors import SceneError

MOST_SEGMENTS = 2000
BOX_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
BOX_FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)] + [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
)


def box(size: ArrayLike) -> Triangles:
    """Box with side lengths `size` (3,), centred at the origin."""
    return BOX_CORNERS * np.asarray(size), BOX_FACES.copy()


def check_segments(segments: int) -> None:
    if as_whole(segments, 3) is None or segments > MOST_SEGMENTS:
        raise SceneError(
            f"mesh takes the number of edges around a circle, from 3 to {MOST_SEGMENTS}. Got {brief(segments)}.",
            owner="mesh",
            argument="segments",
        )


def arc(start: float, end: float, segments: int) -> NDArray[np.float64]:
    """(n, 2) points (r, z) of the unit circle between two latitudes (rad), `segments` edges to the full circle."""
    check_segments(segments)
    n = max(2, round(segments * abs(end - start) / (2 * np.pi)))
    angle = np.linspace(start, end, n + 1)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def revolve(profile: ArrayLike, segments: int) -> Triangles:
    """Surface of revolution about z of a profile (k, 2) of (r, z), bottom to top, whose two ends lie on the axis."""
    check_segments(segments)
    points = np.asarray(profile, dtype=float)
    bottom, rings, top = points[0], points[1:-1], points[-1]
    angle = 2 * np.pi * np.arange(segments) / segments
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.ones(segments)])
    vertices = [[(0.0, 0.0, bottom[1])], *(circle * (r, r, z) for r, z in rings), [(0.0, 0.0, top[1])]]
    return np.concatenate(vertices), revolved_faces(len(rings), segments)


def revolved_faces(rings: int, segments: int) -> NDArray[np.int64]:
    """Faces over vertices numbered: bottom pole, ring by ring upwards, top pole."""
    i = np.arange(segments)
    j = (i + 1) % segments
    last = 1 + rings * segments
    faces = [np.column_stack([0 * i, 1 + j, 1 + i])]
    for low in range(1, last - segments, segments):
        high = low + segments
        faces += [np.column_stack([low + i, low + j, high + j]), np.column_stack([low + i, high + j, high + i])]
    faces.append(np.column_stack([last - segments + i, last - segments + j, last + 0 * i]))
    return np.concatenate(faces)


def revolve_closed(section: ArrayLike, segments: int) -> Triangles:
    """Surface of revolution about z of a closed section (k, 2) of (r, z), counterclockwise, that does not meet the axis."""
    r, z = np.asarray(section, dtype=float).T
    angle = 2 * np.pi * np.arange(segments)[:, None] / segments
    vertices = np.stack(np.broadcast_arrays(r * np.cos(angle), r * np.sin(angle), z), axis=-1)
    return vertices.reshape(-1, 3), wrapped_faces(segments, len(r))


def wrapped_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Faces of a grid of vertices, numbered row by row, that closes on itself both ways."""
    i, j = (index.ravel() for index in np.indices((rows, columns)))
    down, right = (i + 1) % rows, (j + 1) % columns
    a, b, c, d = i * columns + j, down * columns + j, down * columns + right, i * columns + right
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
