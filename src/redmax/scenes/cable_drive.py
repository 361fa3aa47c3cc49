"""A cable from a sprung block along two links: as they fall, it pulls the block, and the block holds them back."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    link, hinge = rm.Cuboid((10, 1, 1), density=1), rm.Revolute("y")
    base = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1), density=1), name="base")
    upper = scene.add_body(link, parent=base, joint=hinge, com=(5, 0, 0), q=pi / 2, name="upper")
    lower = scene.add_body(link, parent=upper, joint=hinge, at=(10, 0, 0), com=(5, 0, 0), q=-pi / 2, name="lower")
    block = scene.add_body(
        rm.Cuboid((1, 1, 1), density=1), parent=base, joint=rm.Prismatic("x"), at=(10, 0, 0), stiffness=1e4, damping=1e3, name="block"
    )
    course = [block, upper.point(-4, 0, 1), lower.point(-4, 0, 1)]
    scene.add_force(rm.Cable(course, stiffness=1e6, damping=1e3, per="strain"))
    return scene


FEATURES = ("revolute", "prismatic", "cable", "stiffness", "damping")
ENTRIES = (redmax_diff(13, "diff-cable", "Links held by a cable, fully implicit", build, FEATURES, conservative=False),)
