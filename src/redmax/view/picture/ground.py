"""The sky, and a ground with a grid of round spacing that fades out around the motion."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera
from redmax.view.picture.lamp import Lamp
from redmax.view.picture.shading import smoothstep
from redmax.view.picture.theme import Theme, to_screen

Single = NDArray[Any]  # of single precision
REACH = 5.0  # radius of the ground, over the size of the motion
FARTHEST = 1e3  # ground that is seen, of the distance to the target
LINES = 14  # of the grid across the motion, about


@dataclass(frozen=True, eq=False)
class Backdrop:
    """sky: (h, w, 3) as the screen has it; floor: (k, 3) linear colours of the pixels `where` (k,) that see the ground, cover: (k,) how
    much of it is seen there; u, v: (k,) where they are in the box of the lamp. `is_above`: whether the eye is above the ground."""

    sky: Single
    where: NDArray[np.int64]
    floor: Single
    cover: Single
    u: Single
    v: Single
    is_above: bool

    def painted(self, shade: Single, theme: Theme) -> tuple[Single, Single]:
        """Colours (k, 3) of the ground as the screen has them with a shade (m, m) over u and v, and how much they cover (k,)."""
        dark = bilinear(shade, self.u, self.v) * np.float32(theme.shade_depth) if self.is_above else np.zeros_like(self.u)
        return to_screen(self.floor + dark[:, None] * (theme.shade - self.floor)), self.cover


def backdrop(camera: Camera, framing: Framing, lamp: Lamp, theme: Theme) -> Backdrop:
    """All of it that does not change with time."""
    width, height = camera.size
    rows, x, y = on_ground(camera, framing.ground)
    size = scene_size(framing)
    middle = (framing.hull.min(axis=0) + framing.hull.max(axis=0)) / 2
    away = np.hypot(x - np.float32(middle[0]), y - np.float32(middle[1])) / np.float32(REACH * size)
    hits = away < 1
    spacing = np.float32(round_number(size / LINES))
    grid = (0.16 * lines(x / spacing, y / spacing, 0.5) + 0.30 * lines(x / (5 * spacing), y / (5 * spacing), 0.6))[hits]
    fade = 1 - smoothstep(0.12, 1.0, away[hits])
    is_above = bool(camera.eye[2] > framing.ground)
    floor = theme.floor + np.minimum(grid, 0.5)[:, None] * (theme.grid - theme.floor)
    places = np.stack([x[hits], y[hits], np.full(hits.sum(), framing.ground, np.float32)], axis=1)
    u, v, _ = lamp.inside(places).T
    whole = np.broadcast_to(sky(height, theme)[:, None], (height, width, 3))
    where = (rows[:, None] * width + np.arange(width))[hits]
    return Backdrop(whole, where, floor, fade if is_above else fade * (0.1 + grid), u, v, is_above)


def on_ground(camera: Camera, ground: float) -> tuple[NDArray[np.int64], Single, Single]:
    """Rows (r,) of the picture in which the ground could be seen, and x and y (r, width) of the points of its plane there.

    The picture is level: all pixels of a row look down as steeply, so that x and y are linear along it.
    """
    width, height = camera.size
    right, up, back = camera.axes
    across, upward = camera.slopes
    a = (2 * (np.arange(width) + 0.5) / width - 1) * across
    b = (1 - 2 * (np.arange(height) + 0.5) / height) * upward
    steep = b * up[2] - back[2]
    with np.errstate(divide="ignore"):
        fall = (ground - camera.eye[2]) / steep
    rows = np.flatnonzero((fall > 0) & (fall < FARTHEST * camera.distance))
    b, fall = b[rows, None], fall[rows, None]
    x, y = ((camera.eye[k] + fall * (b * up[k] - back[k]) + fall * right[k] * a).astype(np.float32) for k in (0, 1))
    return rows, x, y


def sky(height: int, theme: Theme) -> Single:
    """(height, 3): from the top of the picture down."""
    up = 1 - (np.arange(height) + 0.5) / height
    return to_screen(theme.sky_low + smoothstep(0.25, 1.05, up)[:, None].astype(np.float32) * (theme.sky_high - theme.sky_low))


def lines(x: NDArray, y: NDArray, width: float) -> NDArray:
    """How much of each pixel lines at whole numbers of x and y (h, w) cover; turns into nothing far away, where they are dense."""
    cover, pixels = [], []
    for at in (x, y):
        pixel = np.maximum(sum(np.abs(np.gradient(at, axis=k)) for k in (0, 1) if at.shape[k] > 1), np.float32(1e-7))
        drawn = np.clip(width * pixel, 0.0, 0.5)
        off = np.abs((at - 0.5) % 1.0 - 0.5)
        s = np.clip((off - (drawn - 0.75 * pixel)) / (1.5 * pixel), 0, 1)
        cover.append(1 - s * s * (3 - 2 * s))
        pixels.append(pixel)
    dense = np.clip((np.maximum(*pixels) - 0.15) / 0.35, 0, 1)
    return np.maximum(*cover) * (1 - dense * dense * (3 - 2 * dense))


def bilinear(table: Single, u: Single, v: Single) -> Single:
    """Values of a table (m, m), v by u, at places in the unit square, mixed from four; zero outside."""
    m = len(table)
    inside = (np.abs(u - 0.5) < 0.5) & (np.abs(v - 0.5) < 0.5)
    x, y = np.clip(u[inside] * m - 0.5, 0, m - 1.001), np.clip(v[inside] * m - 0.5, 0, m - 1.001)
    i, j = y.astype(np.int32), x.astype(np.int32)
    s, t, at, flat = y - i, x - j, i * m + j, table.ravel()
    upper, lower = flat[at] + t * (flat[at + 1] - flat[at]), flat[at + m] + t * (flat[at + m + 1] - flat[at + m])
    values = np.zeros(len(u), np.float32)
    values[inside] = upper + s * (lower - upper)
    return values


def scene_size(framing: Framing) -> float:
    """The diagonal of the box around the motion."""
    return framing.size or 1.0


def round_number(x: float) -> float:
    """The nearest of 1, 2, 5, 10, 20, ... and their tenths."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(power * min((1, 2, 5, 10), key=lambda s: abs(np.log(s * power / x))))
