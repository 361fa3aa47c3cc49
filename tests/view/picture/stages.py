"""Small stages for the tests of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.units import units_of
from redmax.view import BodyView, Stage
from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera
from redmax.view.picture.paint import Painter
from redmax.view.picture.theme import theme

RED, GREEN, BLUE = "#d02020", "#20a040", "#2040d0"
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)
SIZE = (320, 200)


def stage(bodies: Sequence[BodyView] = (), **more: Any) -> Stage:
    parts = {"drawings": (), "paths": (), "soft": (), "energy": {}, "times": np.zeros(1), "title": "test", "units": units_of("m kg s")}
    return Stage(bodies=bodies, **(parts | more))


def box(centre: Sequence[float], sides: Sequence[float], colour: str, R: NDArray | None = None, name: str = "box") -> BodyView:
    """A cuboid that does not move."""
    pose = np.eye(4)
    pose[:3, 3] = centre
    pose[:3, :3] = np.eye(3) if R is None else R
    return BodyView(name, CUBE * np.asarray(sides), CUBE_FACES, pose[None], colour)


def ball(centre: Sequence[float], radius: float, colour: str, bands: int = 120) -> BodyView:
    """A fine ball, its poles along z."""
    polar, around = np.linspace(0, np.pi, bands + 1), np.linspace(0, 2 * np.pi, 2 * bands, endpoint=False)
    p, a = np.meshgrid(polar, around, indexing="ij")
    vertices = radius * np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(bands), np.arange(2 * bands), indexing="ij"))
    k, n = (j + 1) % (2 * bands), 2 * bands
    a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + k, i * n + k
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    pose = np.eye(4)
    pose[:3, 3] = centre
    return BodyView("ball", vertices, faces, pose[None], colour)


def painted(shown: Stage, eye: Sequence[float], target: Sequence[float] = (0, 0, 0), size: tuple[int, int] = SIZE, ground: float = -3.0):
    """(painter, picture) as seen from a point; the lamp shines on a cube of side 6 about the origin."""
    hull = np.array([[x, y, z] for x in (-3, 3) for y in (-3, 3) for z in (-3, 3)], float)
    camera = Camera(np.array(eye, float), np.array(target, float), size)
    painter = Painter(shown, Framing(hull, ground, 0.0, 0.3), camera, theme("light"))
    return painter, painter.paint(0.0)


def is_red(picture: NDArray) -> NDArray[np.bool_]:
    return picture[..., 0].astype(int) - np.maximum(picture[..., 1], picture[..., 2]) > 40


def is_blue(picture: NDArray) -> NDArray[np.bool_]:
    return picture[..., 2].astype(int) - np.maximum(picture[..., 0], picture[..., 1]) > 40
