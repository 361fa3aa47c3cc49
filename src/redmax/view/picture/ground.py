"""The sky, and a ground with a grid of round spacing that fades out around the motion; both, with the shade on the ground, by one routine.

A pixel that looks down meets the plane of the ground where the eye is (ground - eye_z) / (slope of the ray) ahead. All pixels of a row look
down as steeply, since a picture is level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.math import sqrt, where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, whole
from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera
from redmax.view.picture.light import smooth
from redmax.view.picture.shading import smoothstep
from redmax.view.picture.theme import STEPS, Theme, to_screen
from redmax.view.picture.view_facts import BACK, EYE, RIGHT, SIZE, SLOPES, UP

Single = NDArray[Any]  # of single precision
REACH = 5.0  # radius of the ground, over the size of the motion
FARTHEST = 1e3  # ground that is seen, of the distance to the target
PLAIN_STEPS = float(STEPS - 1)  # of the table from light to screen
LINES = 14  # of the grid across the motion, about
# Parts of what describes the ground, by where they begin
Z, MIDDLE, RADIUS, SPACING, PLAIN, GRID, SHADE, DEPTH, ABOVE, ALPHA, FAR, U, V = 0, 1, 3, 4, 5, 8, 11, 14, 15, 16, 17, 18, 21
GROUND = 24


@routine
def to_plain(linear: Number, plain: Vector) -> Any:
    """What a screen shows for a light from 0 to 1."""
    return plain[whole(min(max(linear, 0.0), 1.0) * PLAIN_STEPS + 0.5)]


@routine
def cover_of(at: Number, pixel: Number, width: Number) -> Any:
    """How much of a pixel a line at whole numbers covers. pixel: by how much `at` changes across it."""
    drawn = min(width * pixel, 0.5)
    off = at - 0.5
    off = off - float(whole(off)) + where(off < float(whole(off)), 1.0, 0.0)  # its fraction
    return 1.0 - smooth(drawn - 0.75 * pixel, drawn + 0.75 * pixel, abs(off - 0.5))


@routine
def lines(x: Number, y: Number, px: Number, py: Number, width: Number) -> Any:
    """How much of a pixel the lines of a grid cover; nothing far away, where they are dense."""
    px, py = max(px, 1e-7), max(py, 1e-7)
    return max(cover_of(x, px, width), cover_of(y, py, width)) * (1.0 - smooth(0.15, 0.5, max(px, py)))


@routine
def shade_at(shade: Vector, m: Whole, u: Number, v: Number) -> Any:
    """How dark the ground is at a place of the lamp's box, mixed from four entries of a table (m, m); 0 outside."""
    result = 0.0
    if u > 0.0 and u < 1.0 and v > 0.0 and v < 1.0:
        x, y = min(max(u * float(m) - 0.5, 0.0), float(m) - 1.001), min(max(v * float(m) - 0.5, 0.0), float(m) - 1.001)
        j, i = whole(x), whole(y)
        s, at = x - float(j), i * m + j
        upper, lower = shade[at] + s * (shade[at + 1] - shade[at]), shade[at + m] + s * (shade[at + m + 1] - shade[at + m])
        result = upper + (y - float(i)) * (lower - upper)
    return result


@routine
def scenery(pixels: Whole, width: Whole, top: Whole, view: Vector, ground: Vector, sky: Matrix, plain: Vector, seen: Matrix) -> None:
    """Sky and ground without shade, which change with the eye alone: red, green, blue and opacity, as the screen has them and times the
    opacity; how much of it is a line of the grid, how much is ground, and where that is in the box of the lamp."""
    for p in range(pixels):
        row = p // width
        line, y = row + top, float(row + top)
        alpha = ground[ALPHA]
        red, green, blue = alpha * sky[line, 0], alpha * sky[line, 1], alpha * sky[line, 2]
        a = (2.0 * (float(p - row * width) + 0.5) / view[SIZE] - 1.0) * view[SLOPES]
        b = (1.0 - 2.0 * (y + 0.5) / view[SIZE + 1]) * view[SLOPES + 1]
        half, steep = view[SLOPES + 1] / view[SIZE + 1], b * view[UP + 2] - view[BACK + 2]
        drop = ground[Z] - view[EYE + 2]
        fall = drop / where(steep == 0.0, 1e-20, steep)
        seen[p, 5] = 0.0
        if ground[RADIUS] > 0.0 and fall > 0.0 and fall < ground[FAR]:
            cx, cy = a * view[RIGHT] - view[BACK], a * view[RIGHT + 1] - view[BACK + 1]
            gx, gy = view[EYE] + fall * (cx + b * view[UP]), view[EYE + 1] + fall * (cy + b * view[UP + 1])
            mx, my = gx - ground[MIDDLE], gy - ground[MIDDLE + 1]
            away = (mx * mx + my * my) / (ground[RADIUS] * ground[RADIUS])
            if away < 1.0:
                early = drop / ((b + half) * view[UP + 2] - view[BACK + 2])
                late = drop / ((b - half) * view[UP + 2] - view[BACK + 2])
                across = 2.0 * view[SLOPES] / view[SIZE] * fall
                px = abs(early * (cx + (b + half) * view[UP]) - late * (cx + (b - half) * view[UP]))
                py = abs(early * (cy + (b + half) * view[UP + 1]) - late * (cy + (b - half) * view[UP + 1]))
                px, py, d = px + abs(across * view[RIGHT]), py + abs(across * view[RIGHT + 1]), ground[SPACING]
                grid = 0.16 * lines(gx / d, gy / d, px / d, py / d, 0.5)
                grid = grid + 0.30 * lines(gx / (5.0 * d), gy / (5.0 * d), px / (5.0 * d), py / (5.0 * d), 0.6)
                share, fade = min(grid, 0.5), 1.0 - smooth(0.12, 1.0, sqrt(away))
                if ground[ABOVE] < 0.5:
                    fade = fade * (0.1 + grid)
                red = red + fade * (to_plain(floor(ground, 0, share, 0.0), plain) - red)
                green = green + fade * (to_plain(floor(ground, 1, share, 0.0), plain) - green)
                blue = blue + fade * (to_plain(floor(ground, 2, share, 0.0), plain) - blue)
                alpha = alpha + fade * (1.0 - alpha)
                seen[p, 4], seen[p, 5] = share, fade * ground[ABOVE]
                seen[p, 6] = ground[U] * gx + ground[U + 1] * gy + ground[U + 2]
                seen[p, 7] = ground[V] * gx + ground[V + 1] * gy + ground[V + 2]
        seen[p, 0], seen[p, 1], seen[p, 2], seen[p, 3] = red, green, blue, alpha


@routine
def floor(ground: Vector, k: Whole, share: Number, dark: Number) -> Any:
    """The light of the ground in a colour. share: of the lines; dark: of the shade."""
    base = ground[PLAIN + k] + share * (ground[GRID + k] - ground[PLAIN + k])
    return base + dark * (ground[SHADE + k] - base)


@routine
def behind(scene: Vector, ground: Vector, shade: Vector, m: Whole, plain: Vector) -> Any:
    """Red, green and blue of sky and ground with the shade on it, of a pixel. scene: of `scenery`."""
    red, green, blue, dark, fade, share = scene[0], scene[1], scene[2], 0.0, scene[5], scene[4]
    if fade > 0.0:
        dark = ground[DEPTH] * shade_at(shade, m, scene[6], scene[7])
    if dark > 0.0:
        red = red + fade * darkened(ground, 0, share, dark, plain)
        green = green + fade * darkened(ground, 1, share, dark, plain)
        blue = blue + fade * darkened(ground, 2, share, dark, plain)
    return red, green, blue


@routine
def darkened(ground: Vector, k: Whole, share: Number, dark: Number, plain: Vector) -> Any:
    """By how much shade changes a colour of the ground on the screen."""
    return to_plain(floor(ground, k, share, dark), plain) - to_plain(floor(ground, k, share, 0.0), plain)


def ground_facts(camera: Camera, framing: Framing, lamp: Any, theme: Theme, *, shown: bool, opaque: bool) -> Single:
    """What the routine needs to know of the ground. shown: whether there is one; opaque: whether there is a sky."""
    found = np.zeros(GROUND, np.float32)
    size, middle = scene_size(framing), (framing.hull.min(axis=0) + framing.hull.max(axis=0)) / 2
    places = np.array([[0, 0, framing.ground], [1, 0, framing.ground], [0, 1, framing.ground]])
    (u, v), (ux, vx), (uy, vy) = lamp.inside(places)[:, :2]
    for at, value in (
        (Z, framing.ground), (MIDDLE, middle[:2]), (RADIUS, REACH * size if shown else 0.0), (SPACING, round_number(size / LINES)),
        (PLAIN, theme.floor), (GRID, theme.grid), (SHADE, theme.shade), (DEPTH, theme.shade_depth),
        (ABOVE, camera.eye[2] > framing.ground), (ALPHA, opaque), (FAR, FARTHEST * camera.distance),
        (U, (ux - u, uy - u, u)), (V, (vx - v, vy - v, v)),
    ):  # fmt: skip
        given = np.atleast_1d(np.asarray(value, np.float32))
        found[at : at + len(given)] = given
    return found


def sky(height: int, theme: Theme) -> Single:
    """(height, 3): from the top of the picture down."""
    up = 1 - (np.arange(height) + 0.5) / height
    return to_screen(theme.sky_low + smoothstep(0.25, 1.05, up)[:, None].astype(np.float32) * (theme.sky_high - theme.sky_low))


def scene_size(framing: Framing) -> float:
    """The diagonal of the box around the motion."""
    return framing.size or 1.0


def round_number(x: float) -> float:
    """The nearest of 1, 2, 5, 10, 20, ... and their tenths."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(power * min((1, 2, 5, 10), key=lambda s: abs(np.log(s * power / x))))
