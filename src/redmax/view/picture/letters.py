"""Letters of pictures: strokes, so that they are sharp at any size and need no font. A pixel is as dark as a stroke covers it, by its
distance."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SIZE, LEAST = 0.0135, 5.5  # height of the letter "a" over that of the picture, and in pixels
WEIGHT, GAP = 0.19, 0.34  # of strokes, and between letters, over that height


def unit_of(picture: NDArray[np.uint8]) -> float:
    """The height of the letter "a" in a picture (height, width, ...), pixels."""
    return max(LEAST, SIZE * picture.shape[0])


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
    "s": ([arc(0.36, 0.755, 0.3, 0.245, 20, 270), arc(0.36, 0.265, 0.32, 0.245, 90, -160)], 0.68),
    "k": ([np.array([(0.0, 1.5), (0.0, 0.0)]), np.array([(0.62, 1.0), (0.0, 0.42)]), np.array([(0.22, 0.62), (0.66, 0.0)])], 0.66),
    "g": ([arc(0.4, 0.5, 0.4, 0.5, 0, 360), np.array([(0.8, 1.0), (0.8, -0.05)]), arc(0.4, -0.05, 0.4, 0.38, 0, -150)], 0.8),
    "l": ([np.array([(0.05, 1.5), (0.05, 0.0)])], 0.1),
    "d": ([arc(0.4, 0.5, 0.4, 0.5, 0, 360), np.array([(0.8, 1.5), (0.8, 0.0)])], 0.8),
    "p": ([arc(0.4, 0.5, 0.4, 0.5, 0, 360), np.array([(0.0, 1.0), (0.0, -0.45)])], 0.8),
    "e": ([arc(0.4, 0.5, 0.4, 0.5, 0, 320), np.array([(0.0, 0.5), (0.8, 0.5)])], 0.8),
    "0": ([arc(0.4, 0.68, 0.4, 0.68, 0, 360)], 0.8),
    "1": ([np.array([(0.0, 1.06), (0.3, 1.36), (0.3, 0.0)])], 0.35),
}


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


def laid_over(picture: NDArray[np.uint8], cover: Array, ink: Array, left: int, bottom: int) -> None:
    """Cover (height, width) of the picture with ink (height, width, 3), from 0 to 1, in place; it ends `bottom` pixels from above."""
    height, width = cover.shape
    part = picture[bottom - height : bottom, left : left + width].astype(float)
    part[..., :3] += cover[..., None] * (255 * ink - part[..., :3])
    if part.shape[2] == 4:
        part[..., 3] += cover * (255 - part[..., 3])
    picture[bottom - height : bottom, left : left + width] = np.rint(part)
