"""A ball that slides on a surface which deforms by itself (after Lee & Terzopoulos Fig. 5d).

A bowl over a grid of 10 x 10 control values, on which two waves stand. What moves the surface does work on the ball, and takes it back.
"""

from math import pi
from typing import Any

import numpy as np

import redmax as rm
from redmax.math import cos, sin
from redmax.scenes.base import Entry

GRID, SIDE, BOWL = 10, 3.0, 0.22  # control values along a side, its length (m), and z = BOWL (x^2 + y^2)
BALL = 0.12
WAVES = ((0.15, pi / 1.1, 0.0), (0.12, pi / 2.6, pi / 1.3))  # height (m), and radians per metre along x and y
SPACING = SIDE / (GRID - 4)  # order 5: the surface reaches over GRID - 4 pieces


def sheet(height: Any, slope: Any) -> np.ndarray:
    """Control values of a height z(x, y) and the turns about x and y that put the normal across it; slope(x, y) = dz/dx, dz/dy."""
    x, y = np.meshgrid(*[SPACING * (np.arange(GRID) - (GRID - 1) / 2)] * 2, indexing="ij")
    zx, zy = slope(x, y)
    return np.stack([x, y, height(x, y), np.arctan(zy), -np.arctan(zx), np.zeros_like(x)], axis=-1)


def wave(size: float, kx: float, ky: float) -> np.ndarray:
    """What a standing wave adds: heights and, for slopes that are not steep, turns."""
    values = sheet(
        lambda x, y: size * np.cos(kx * x) * np.cos(ky * y),
        lambda x, y: (-size * kx * np.sin(kx * x) * np.cos(ky * y), -size * ky * np.cos(kx * x) * np.sin(ky * y)),
    )
    values[..., :2] = 0.0
    return values


def build() -> rm.Scene:
    bowl = sheet(lambda x, y: BOWL * (x * x + y * y), lambda x, y: (2 * BOWL * x, 2 * BOWL * y))
    modes = list(zip([wave(*numbers) for numbers in WAVES], (lambda t: sin(1.7 * t), lambda t: cos(2.6 * t))))
    surface = rm.DeformingSplineSurface(bowl, modes, order=5)
    scene = rm.Scene()
    middle = (GRID - 4) / 2
    start, rate = (middle - 1.1 / SPACING, middle + 0.2 / SPACING), (0.0, 1.3 / SPACING)
    scene.add_body(rm.Sphere(BALL, mass=1), joint=surface, com=(0, 0, BALL), q=start, qdot=rate, name="ball")
    return scene


ENTRIES = (
    Entry("deforming-surface", "Ball on a surface that deforms", build, ("spline surface", "joint that depends on time"),
          duration=10.0, conservative=False),
)  # fmt: skip
