"""What the dots of contacts mean, in the lower left corner of a picture: a dot of each colour, and a word."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.letters import WEIGHT, distance, laid_over, unit_of, written
from redmax.view.picture.theme import Theme, to_screen

Array = NDArray[np.float64]
SHOWN = ("sticking", "sliding", "open")
DOT, BEHIND, APART = 0.42, 1.1, 1.9  # radius of a dot, from its middle to its word, and between one and the next; of the height of "a"
ABOVE = 2.6  # lines apart


def with_words(picture: NDArray[np.uint8], theme: Theme, line: int = 0) -> NDArray[np.uint8]:
    """The picture (height, width, 3), or 4 with opacity, with the words, `line` lines above its corner; without, where they would fill
    much of it."""
    unit = unit_of(picture)
    cover, which = words(unit)
    height, width = cover.shape
    left, bottom = round(1.6 * unit), picture.shape[0] - round((1.2 + ABOVE * line) * unit)
    if left + width > 0.75 * picture.shape[1] or height > 0.12 * picture.shape[0]:
        return picture
    inks = np.array([to_screen(theme.mark), *(to_screen(getattr(theme, name)) for name in SHOWN)])
    laid_over(picture, cover, inks[which], left, bottom)
    return picture


@cache
def words(unit: float) -> tuple[Array, NDArray[np.int64]]:
    """(height, width) each: how much is covered, and with what: 0 is ink, then the colours of SHOWN. unit: of letters, pixels"""
    at, dots, strokes = 0.0, list[float](), list[Array]()
    for word in SHOWN:
        dots.append(at + DOT)
        drawn, wide = written(word)
        strokes += [stroke + (at + DOT + BEHIND, 0.0) for stroke in drawn]
        at += DOT + BEHIND + wide + APART
    height, width = int(np.ceil(2.5 * unit)), int(np.ceil((at - APART + 0.4) * unit))
    y, x = np.mgrid[0:height, 0:width] + 0.5
    places = np.stack([x / unit - 0.15, 1.75 - y / unit], axis=-1)
    cover = np.clip(0.5 + (0.5 * WEIGHT - distance(places, strokes)) * unit, 0, 1)
    which = np.zeros((height, width), np.int64)
    for k, middle in enumerate(dots):
        far = np.linalg.norm(places - (middle, 0.5), axis=-1)
        which[far < DOT + 1.0 / unit] = k + 1
        cover = np.maximum(cover, np.clip(0.5 + (DOT - far) * unit, 0, 1))
    return cover, which
