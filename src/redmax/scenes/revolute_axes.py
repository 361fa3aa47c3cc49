"""A chain of three links whose hinges turn about different axes: z, y, z."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    link = rm.Cuboid((10, 1, 1), density=1)
    first = scene.add_body(link, joint=rm.Revolute("z"), com=(5, 0, 0))
    second = scene.add_body(link, parent=first, joint=rm.Revolute("y"), at=(10, 0, 0), com=(5, 0, 0), q=pi / 2)
    scene.add_body(link, parent=second, joint=rm.Revolute("z"), at=(10, 0, 0), com=(5, 0, 0), q=pi / 2)
    return scene


ENTRIES = (
    redmax(1, "revolute-axes", "Hinges about different axes", build, ("revolute",)),
    redmax_diff(1, "diff-revolute-axes", "Hinges about different axes, fully implicit", build, ("revolute",)),
)
