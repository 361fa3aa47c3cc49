"""The scale of colours in the lower left corner of a picture: "activation", from the colour of 0 to that of 1.

Its letters are strokes, so that they are sharp at any size and need no font: a pixel is as dark as a stroke covers it, by its distance.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from redmax.view.path_view import PathView
from redmax.view.picture.theme import Theme, to_screen

Array = NDArray[np.float64]
SIZE, LEAST = 0.0135, 5.5  # height of the letter "a" over that of the picture, and in pixels
WEIGHT, GAP, LONG = 0.19, 0.34, 9.0  # of strokes, between letters, and of the bar, over that height


def arc(x: float, y: float, a: float, b: float, start: float, end: float) -> Array:
    """(n, 2): of an ellipse about (x, y) with the half axes a and b, degrees counterclockwise from the right."""
    angle = np.radians(np.linspace(start, end, 17))
    return np.stack([x + a * np.cos(angle), y + b * np.sin(angle)], axis=1)


GLYPHS = {  # strokes, and how wide it is; the baseline is y = 0
    "a": ([arc(0.4, 0.5, 0.4, 0.5, 0, 360), np.array([(0.8, 1.0), (0.8, 0.0)])], 0.8),
    "c": ([arc(0.4, 0.5, 0.4, 0.5, 50, 310)], 0.68),
    "t": ([np.array([(0.25, 1.38), (0.25, 0.25)]), arc(0.5, 0.25, 0.25, 0.25, 180, 280), np.array([(0.0, 1.0), (0.55, 1.0)])], 0.55),
    "i": ([np.array([(0.05, 1.0), (0.05, 0.0)]), np.array([(0.05, 1.36), (0.05, 1.37)])], 0.1),
    "v": ([np.array([(0.0, 1.0), (0.37, 0.0), (0.74, 1.0)])], 0.74),
    "o": ([arc(0.42, 0.5, 0.42, 0.5, 0, 360)], 0.84),
    "n": ([np.array([(0.0, 1.0), (0.0, 0.0)]), arc(0.36, 0.62, 0.36, 0.38, 180, 0), np.array([(0.72, 0.62), (0.72, 0.0)])], 0.72),
    "0": ([arc(0.4, 0.68, 0.4, 0.68, 0, 360)], 0.8),
    "1": ([np.array([(0.0, 1.06), (0.3, 1.36), (0.3, 0.0)])], 0.35),
}


def coloured_by_level(paths: Sequence[PathView]) -> bool:
    """Whether the scale says something: a path shows its level, in the range from 0 to 1."""
    return any(path.level is not None and path.range == (0.0, 1.0) for path in paths)


def with_scale(picture: NDArray[np.uint8], theme: Theme) -> NDArray[np.uint8]:
    """The picture (height, width, 3), or 4 with opacity, with the scale in its corner; without, where it would fill much of it."""
    unit = max(LEAST, SIZE * picture.shape[0])
    cover, bar, share = scale(unit)
    height, width = cover.shape
    left, bottom = round(1.6 * unit), picture.shape[0] - round(1.6 * unit)
    if left + width > 0.6 * picture.shape[1] or height > 0.1 * picture.shape[0]:
        return picture
    low, high = theme.level_ends
    ink = np.where(bar[..., None], low + share[..., None] * (high - low), to_screen(theme.mark))
    part = picture[bottom - height : bottom, left : left + width].astype(float)
    part[..., :3] += cover[..., None] * (255 * ink - part[..., :3])
    if part.shape[2] == 4:
        part[..., 3] += cover * (255 - part[..., 3])
    picture[bottom - height : bottom, left : left + width] = np.rint(part)
    return picture


@cache
def scale(unit: float) -> tuple[Array, NDArray[np.bool_], Array]:
    """(height, width) each: how much is covered, where the bar is, and the share of its way from low to high. unit: of letters, pixels"""
    name = written("activation")
    zero, one = written("0"), written("1")
    start = name[1] + 1.4
    first = start + zero[1] + 0.7
    last = first + LONG + 0.7
    strokes = [*name[0], *[s + (start, 0.0) for s in zero[0]], *[s + (last, 0.0) for s in one[0]]]
    height, width = int(np.ceil(2.0 * unit)), int(np.ceil((last + one[1] + 0.3) * unit))
    y, x = np.mgrid[0:height, 0:width] + 0.5
    places = np.stack([x / unit - 0.15, 1.65 - y / unit], axis=-1)
    cover = np.clip(0.5 + (0.5 * WEIGHT - distance(places, strokes)) * unit, 0, 1)
    line = distance(places, [np.array([(first + 0.35, 0.5), (first + LONG - 0.35, 0.5)])])
    bar = (places[..., 0] > first - 0.3) & (places[..., 0] < first + LONG + 0.3)
    cover = np.where(bar, np.clip(0.5 + (0.35 - line) * unit, 0, 1), cover)
    return cover, bar, np.clip((places[..., 0] - first) / LONG, 0, 1)


def written(text: str) -> tuple[list[Array], float]:
    """The strokes of some letters, and how wide they are."""
    found: list[Array] = []
    at = 0.0
    for letter in text:
        strokes, wide = GLYPHS[letter]
        found += [stroke + (at, 0.0) for stroke in strokes]
        at += wide + GAP
    return found, at - GAP


def distance(places: Array, strokes: list[Array]) -> Array:
    """(...): from places (..., 2) to the nearest of the polylines (n, 2)."""
    nearest = np.full(places.shape[:-1], np.inf)
    for stroke in strokes:
        for a, b in pairwise(stroke):
            along = b - a
            share = np.clip((places - a) @ along / max(float(along @ along), 1e-12), 0, 1)
            nearest = np.minimum(nearest, np.linalg.norm(places - a - share[..., None] * along, axis=-1))
    return nearest
