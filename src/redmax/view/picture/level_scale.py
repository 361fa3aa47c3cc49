"""The scale of colours in the lower left corner of a picture: "activation", from the colour of 0 to that of 1."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from redmax.view.path_view import PathView
from redmax.view.picture.letters import WEIGHT, distance, laid_over, unit_of, written
from redmax.view.picture.theme import Theme, to_screen

Array = NDArray[np.float64]
LONG = 9.0  # of the bar, over the height of the letter "a"


def coloured_by_level(paths: Sequence[PathView]) -> bool:
    """Whether the scale says something: a path shows its level, in the range from 0 to 1."""
    return any(path.level is not None and path.range == (0.0, 1.0) for path in paths)


def with_scale(picture: NDArray[np.uint8], theme: Theme) -> NDArray[np.uint8]:
    """The picture (height, width, 3), or 4 with opacity, with the scale in its corner; without, where it would fill much of it."""
    unit = unit_of(picture)
    cover, bar, share = scale(unit)
    height, width = cover.shape
    left, bottom = round(1.6 * unit), picture.shape[0] - round(1.6 * unit)
    if left + width > 0.6 * picture.shape[1] or height > 0.1 * picture.shape[0]:
        return picture
    low, high = theme.level_ends
    ink = np.where(bar[..., None], low + share[..., None] * (high - low), to_screen(theme.mark))
    laid_over(picture, cover, ink, left, bottom)
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
