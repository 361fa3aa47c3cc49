"""Curves from light to light: what is too bright is bent, what begins and ends does so softly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.theme import Colour

Single = NDArray[Any]  # of single precision, which the type checker would follow through every operation for seconds


def roll_off(linear: Single) -> Single:
    """Bends what is too bright, so that lit faces keep their hue."""
    bright = np.maximum(linear - np.float32(0.7), 0)
    return linear - bright + np.float32(0.3) * (1 - np.exp(-bright / np.float32(0.3)))


def smoothstep(low: float, high: float, x: Single) -> Single:
    s = np.clip((x - np.float32(low)) / np.float32(high - low), 0, 1)
    return s * s * (3 - 2 * s)


def edge_colour(colour: Colour) -> Colour:
    """Edges catch the light: a paler tone of the body."""
    return colour + np.float32(0.5) * (1 - colour)
