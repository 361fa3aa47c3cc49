"""Sharp edges of bodies and borders of cloth, drawn as lines of constant width over what is seen."""

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.camera import Camera
from redmax.view.picture.seen_surface import SeenSurface

Array = NDArray[np.float64]
WIDTH = 1.1  # pixels
OPACITY = 0.55


def line_opacity(surface: SeenSurface, camera: Camera) -> float:
    """Lines on what is only a few pixels thick would hide it."""
    if not len(surface.corners):
        return 0.0
    middle = surface.corners.reshape(-1, 3).mean(axis=0)
    pixels = surface.thickness / (camera.pixel * float(np.linalg.norm(camera.eye - middle)))
    return OPACITY * float(np.clip((pixels - 6) / 24, 0, 1))


def widened(places: Array, nearness: Array) -> tuple[Array, Array]:
    """Two triangles (2 m, 3, 2) for each line between places (m, 2, 2), and the nearness of their corners."""
    a, b = places[:, 0], places[:, 1]
    along = b - a
    length = np.linalg.norm(along, axis=1, keepdims=True)
    side = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.where(length > 0, length, 1.0) * (WIDTH / 2)
    corners = np.stack([a - side, b - side, b + side, a - side, b + side, a + side], axis=1)
    p, q = nearness.T
    return corners.reshape(-1, 3, 2), np.stack([p, q, q, p, q, p], axis=1).reshape(-1, 3)
