"""Sheets, and bodies that are not opaque, as the tables that the routines of scan.py and clear_light.py read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.materials import FINISHES
from redmax.view.picture.camera import Camera
from redmax.view.picture.clear_light import CLEAR_FACTS, PATTERN, STEP
from redmax.view.picture.seen_surface import SeenSurface
from redmax.view.picture.sheets import Sheet, growth
from redmax.view.picture.solids import corner_rows, finished, thing_row
from redmax.view.picture.theme import Theme
from redmax.view.picture.view_facts import BODY, EDGE, SHEET, THING, TONE

Single = NDArray[Any]  # of single precision


@dataclass(frozen=True, eq=False)
class Film:
    """Triangles that show through. triangles (m, 9): x, y and nearness of their corners; normals (m, 9): there; facts (m, CLEAR_FACTS): the
    number of the thing, and of sheets what counts their lines and how it grows from pixel to pixel; things (k, THING)."""

    triangles: Single
    normals: Single
    facts: Single
    things: Single


def filmed(sheet: Sheet, surfaces: Sequence[SeenSurface], camera: Camera, theme: Theme, first: int) -> Film:
    """Sheets, and the sides of bodies that are turned to the eye. first: the number of the first of their things."""
    parts = [sheet_film(sheet, camera, first), *(surface_film(s, camera, first + k) for k, s in enumerate(surfaces, 1))]
    rows = [sheet_row(theme), *(thing_row(s, camera) for s in surfaces)]
    triangles, normals, facts = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return Film(triangles, normals, facts, np.array(rows, np.float32))


def sheet_film(sheet: Sheet, camera: Camera, thing: int) -> tuple[Single, Single, Single]:
    places, nearness = camera.project(sheet.corners)
    front = (nearness > 0).all(axis=1)
    places, pattern = places[front], sheet.pattern[front]
    facts = np.zeros((len(places), CLEAR_FACTS))
    facts[:, 0], facts[:, PATTERN:STEP], facts[:, STEP:] = thing, pattern.reshape(-1, 6), growth(places, pattern)
    return corner_rows(places, nearness[front]), sheet.normals[front].reshape(-1, 9), facts


def surface_film(surface: SeenSurface, camera: Camera, thing: int) -> tuple[Single, Single, Single]:
    places, nearness = camera.project(surface.corners)
    flat = np.cross(surface.corners[:, 1] - surface.corners[:, 0], surface.corners[:, 2] - surface.corners[:, 0])
    faces_eye = np.einsum("ij,ij->i", flat, camera.eye - surface.corners[:, 0]) > 0
    front = np.flatnonzero((nearness > 0).all(axis=1) & (faces_eye | (not surface.is_closed)))
    facts = np.zeros((len(front), CLEAR_FACTS))
    facts[:, 0] = thing
    return corner_rows(places[front], nearness[front]), surface.normals[front].reshape(-1, 9), facts


def sheet_row(theme: Theme) -> Single:
    """What the routines know of all sheets."""
    row = finished(np.zeros(THING, np.float32), FINISHES["plastic"])
    row[TONE : TONE + 3], row[EDGE : EDGE + 3], row[BODY], row[SHEET] = theme.sheet, theme.sheet_line, theme.sheet_opacity, 1
    return row
