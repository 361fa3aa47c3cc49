"""All solid things of a picture as the tables that the routines of scan.py and light.py read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.materials import Finish
from redmax.view.picture.camera import Camera
from redmax.view.picture.lines import line_opacity, widened
from redmax.view.picture.seen_surface import SeenSurface
from redmax.view.picture.shading import edge_colour
from redmax.view.picture.theme import to_screen
from redmax.view.picture.view_facts import AXES, BODY, EDGE, MARKED, METAL, OPACITY, ORIGIN, RIM, SHARP, SHINE, THIN, THING, TONE

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
AHEAD = 6e-4  # by so much a line is nearer than the faces that it joins


@dataclass(frozen=True, eq=False)
class Solids:
    """places (m, 3, 2), nearness (m, 3): of the corners in the picture; normals (m, 4, 3): at the corners, then its own, turned to the eye;
    facts (m, 4): the number of its thing, then whether the edge across each corner shows; things (k, THING); corners: (m, 3, 3)."""

    places: Array
    nearness: Array
    normals: Single
    facts: Single
    things: Single

    @property
    def triangles(self) -> Single:
        """(m, 9): x, y and nearness of the corners."""
        return corner_rows(self.places, self.nearness)


def solids(surfaces: Sequence[SeenSurface], camera: Camera) -> Solids:
    """The triangles that the camera can see: in front of it, and not on the far side of something closed."""
    corners = np.concatenate([np.zeros((0, 3, 3)), *(s.corners for s in surfaces)])
    thing = np.repeat(np.arange(len(surfaces)), [len(s.corners) for s in surfaces])
    places, nearness = camera.project(corners)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces_eye = np.einsum("ij,ij->i", flat, camera.eye - corners[:, 0]) > 0
    is_closed = np.array([s.is_closed for s in surfaces], bool)
    keep = np.flatnonzero((nearness > 0).all(axis=1) & (faces_eye | ~is_closed[thing]))
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    flat = flat / np.where(length > 0, length, 1.0)
    normals = np.concatenate([np.concatenate([np.zeros((0, 3, 3)), *(s.normals for s in surfaces)]), flat[:, None]], axis=1)
    weave = np.concatenate([np.zeros((0, 3)), *(np.zeros((len(s.corners), 3)) if s.weave is None else s.weave for s in surfaces)])
    return Solids(
        places=places[keep],
        nearness=nearness[keep],
        normals=(normals * np.where(faces_eye, 1.0, -1.0)[:, None, None])[keep].astype(np.float32),
        facts=np.concatenate([thing[keep, None], weave[keep]], axis=1).astype(np.float32),
        things=np.array([thing_row(s, camera) for s in surfaces], np.float32).reshape(-1, THING),
    )


def thing_row(surface: SeenSurface, camera: Camera) -> Single:
    """What the routines know of a thing."""
    row = np.zeros(THING, np.float32)
    row[TONE : TONE + 3] = surface.colour
    row[THIN], row[MARKED] = surface.weave is not None, surface.marks is not None
    if surface.marks is not None:
        row[AXES : AXES + 9], row[ORIGIN : ORIGIN + 3] = surface.marks[:3, :3].ravel(), surface.marks[:3, 3]
    row[EDGE : EDGE + 3] = to_screen(edge_colour(surface.colour))
    row[OPACITY], row[BODY] = line_opacity(surface, camera), surface.opacity
    return finished(row, surface.finish)


def finished(row: Single, finish: Finish) -> Single:
    """The row of a thing, with what it seems to be made of."""
    row[SHINE], row[RIM], row[METAL], row[SHARP] = finish.shine, finish.rim, finish.metal, finish.sharp
    return row


def corner_rows(places: Array, nearness: Array) -> Array:
    """(m, 9): x, y and nearness of the corners of triangles at places (m, 3, 2)."""
    return np.concatenate([places, nearness[..., None]], axis=2).reshape(-1, 9)


def line_triangles(surfaces: Sequence[SeenSurface], things: Single, camera: Camera) -> tuple[Single, Single]:
    """Lines as triangles (m, 9), and the numbers (m,) of the things whose they are."""
    drawn = [k for k, s in enumerate(surfaces) if len(s.lines) and things[k, OPACITY] > 0]
    places, nearness = camera.project(np.concatenate([np.zeros((0, 2, 3)), *(surfaces[k].lines for k in drawn)]))
    owner = np.repeat(drawn, [len(surfaces[k].lines) for k in drawn])
    keep = (nearness > 0).all(axis=1)
    corners, depths = widened(places[keep], nearness[keep] * (1 + AHEAD))
    return corner_rows(corners, depths), np.repeat(owner[keep], 2)
