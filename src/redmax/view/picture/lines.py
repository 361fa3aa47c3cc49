"""Sharp edges of bodies and borders of cloth, drawn as lines of constant width over what is seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.camera import Camera
from redmax.view.picture.raster import Seen, fragments, plane
from redmax.view.picture.shading import edge_colour
from redmax.view.picture.theme import to_screen
from redmax.view.picture.things import SeenSurface

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
Whole = NDArray[np.int64]
WIDTH = 1.1  # pixels
OPACITY = 0.55
AHEAD = 6e-4  # by so much a line is nearer than the faces that it joins


def tinted(light: Single, where: Whole, seen: Seen, surfaces: Sequence[SeenSurface], camera: Camera) -> Single:
    """Colours (n, 3) of the samples `where` (n,) with the lines over them."""
    opacity = [line_opacity(s, camera) for s in surfaces]
    drawn = [k for k, s in enumerate(surfaces) if len(s.lines) and opacity[k] > 0]
    if not drawn:
        return light
    places, nearness = camera.project(np.concatenate([surfaces[k].lines for k in drawn]))
    owner = np.repeat(drawn, [len(surfaces[k].lines) for k in drawn])
    keep = (nearness > 0).all(axis=1)
    quads, depths, owner = *widened(places[keep], nearness[keep] * (1 + AHEAD)), np.repeat(owner[keep], 2)
    top = np.full(len(seen.owner), -1, np.int64)
    for line, sample, near in fragments(quads, plane(quads, depths), camera.size):
        front = (near >= seen.nearness[sample]) & (seen.owner[sample] >= 0)
        np.maximum.at(top, sample[front], owner[line[front]])
    thing = top[where]
    here = np.flatnonzero(thing >= 0)
    paler = to_screen(np.array([edge_colour(s.colour) for s in surfaces], np.float32))[thing[here]]
    mixed = light.copy()
    mixed[here] += np.array(opacity, np.float32)[thing[here], None] * (paler - light[here])
    return mixed


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
