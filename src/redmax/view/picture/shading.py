"""What the lamp, the sky and the floor make of a surface. The terms and their weights are those of the page's shaders."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.theme import Colour, Theme

Single = NDArray[Any]  # of single precision, which the type checker would follow through every operation for seconds
LAMP, FILL = np.array([1.0, 0.975, 0.94], np.float32), np.array([0.85, 0.92, 1.0], np.float32)  # colours


@dataclass(frozen=True, eq=False)
class Surroundings:
    """eye: (3,); back, fill: directions of the lamp and of a second, weaker light; floor: height; reach: up to where the floor darkens."""

    theme: Theme
    eye: Single
    back: Single
    fill: Single
    floor: float
    reach: float


def shaded(base: Single, n: Single, key: Single, world: Single, around: Surroundings, finish: Single) -> Single:
    """Linear light (n, 3) from surfaces of colour `base` with unit normals n at points `world`; key: (n,) light of the lamp there;
    finish: (n, 4) what they seem to be made of, as in view/materials.py."""
    theme, (strength, sharp, border, metal) = around.theme, finish.T
    v = unit(around.eye - world)
    h = unit(v + around.back)
    up = n[:, 2]
    fill = 0.16 * theme.key_light * np.maximum(np.einsum("ij,j->i", n, around.fill), 0)
    height = world[:, 2] - np.float32(around.floor) + np.float32(0.5 * around.reach) * (up + 1)
    opened = 0.72 + 0.28 * smoothstep(0.0, around.reach, height)
    sky = (0.5 + 0.5 * up)[:, None]
    ambient = (theme.ambient_light * opened)[:, None] * (theme.ambient_floor + sky * (theme.ambient_sky - theme.ambient_floor))
    away = 1 - np.maximum(rowwise(n, v), 0)
    rim = 0.04 + 0.30 * away**5 * border
    gloss = np.maximum(rowwise(n, h), 0) ** 2
    for _ in range(3):
        gloss = gloss * gloss
    gloss = gloss**3  # the 48th power
    shine = np.where(sharp > 0, gloss**3, gloss) * (strength + rim)
    own = metal[:, None] * base
    light = (1 - np.float32(0.55) * metal)[:, None] * base * (0.56 * ambient + 1.08 * key[:, None] * LAMP + fill[:, None] * FILL)
    light = light + (1 - metal[:, None] + own) * (shine * key)[:, None]
    return light + (0.45 * rim)[:, None] * ambient * (1 + 2 * own)


def roll_off(linear: Single) -> Single:
    """Bends what is too bright, so that lit faces keep their hue."""
    bright = np.maximum(linear - np.float32(0.7), 0)
    return linear - bright + np.float32(0.3) * (1 - np.exp(-bright / np.float32(0.3)))


def smoothstep(low: float, high: float, x: Single) -> Single:
    s = np.clip((x - np.float32(low)) / np.float32(high - low), 0, 1)
    return s * s * (3 - 2 * s)


def rowwise(a: Single, b: Single) -> Single:
    return np.einsum("ij,ij->i", a, b)


def unit(v: Single) -> Single:
    return v / np.sqrt(rowwise(v, v))[:, None]


def edge_colour(colour: Colour) -> Colour:
    """Edges catch the light: a paler tone of the body."""
    return colour + np.float32(0.5) * (1 - colour)
