"""Chains with a spline joint in the middle: around a closed curve of frames, or over a surface that turns what slides on it."""

from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import redmax


def curve() -> rm.Scene:
    """The second link goes around a flat ring of four frames, turning once on its way."""
    turned = ((pi, (-10, 0, 0)), (pi / 2, (0, 0, -2)), (0, (10, 0, 0)), (-pi / 2, (0, 0, 2)))
    ring = rm.SplineCurve([rm.pose(rm.rotation_about("y", angle), place) for angle, place in turned], cyclic=True)
    scene = rm.Scene(gravity=(0, 0, -980))
    rod, link = rm.Cuboid((1, 1, 10), density=1), rm.Cuboid((10, 1, 1), density=1)
    top = scene.add_body(rod, joint=rm.Revolute("y"), com=(0, 0, -5), name="top")
    rider = scene.add_body(link, parent=top, joint=ring, at=(0, 0, -10), com=(5, 0, 0), name="rider")
    scene.add_body(link, parent=rider, joint=rm.Revolute("y"), at=(10, 0, 0), com=(5, 0, 0), q=15 * pi / 16, name="tail")
    return scene


def bowl() -> np.ndarray:
    """Control values of one patch, (4, 4, 6), for q1 and q2: x and the two angles go with q2, y with q1."""
    i, j = np.arange(4.0), np.arange(4.0)[:, None]
    x, y, angle = (-15 + 10 * i) + 0 * j, (-15 + 10 * j) + 0 * i, (-pi / 4 + pi / 6 * i) + 0 * j
    return np.stack([x, y, 0.05 * (x * x + y * y), angle, angle, np.zeros((4, 4))], axis=-1)


def surface() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    rod = rm.Cuboid((1, 1, 10), density=1)
    top = scene.add_body(rod, joint=rm.Revolute("x"), com=(0, 0, -5), q=pi / 8, name="top")
    patch = rm.SplineSurface(bowl())
    rider = scene.add_body(rod, parent=top, joint=patch, at=(0, 0, -14), com=(0, 0, -5), q=(0.5, 0.5), name="rider")
    scene.add_body(rod, parent=rider, joint=rm.Revolute("y"), at=(0, 0, -10), com=(0, 0, -5), q=pi / 4, name="tail")
    return scene


ENTRIES = (
    redmax(21, "spline-curve", "Link on a closed spline curve", curve, ("spline curve", "revolute"), dt=0.005),
    redmax(22, "spline-surface", "Rod on a spline surface", surface, ("spline surface", "revolute")),
)
