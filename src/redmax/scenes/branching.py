"""A tree: a beam that turns about a vertical axis below a pendulum, with a pendulum at each end."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    rod, beam = rm.Cuboid((1, 1, 10), density=1), rm.Cuboid((1, 20, 1), density=1)
    top = scene.add_body(rod, joint=rm.Revolute("x"), at=(0, 0, 15), com=(0, 0, -5), name="top")
    across = scene.add_body(beam, parent=top, joint=rm.Revolute("z"), at=(0, 0, -10), name="beam")
    scene.add_body(rod, parent=across, joint=rm.Revolute("x"), at=(0, -10, 0), com=(0, 0, -5), q=pi / 4, name="left")
    scene.add_body(rod, parent=across, joint=rm.Revolute("y"), at=(0, 10, 0), com=(0, 0, -5), q=pi / 4, name="right")
    return scene


ENTRIES = (
    redmax(2, "branching", "Branching mechanism", build, ("revolute", "tree")),
    redmax_diff(2, "diff-branching", "Branching mechanism, fully implicit", build, ("revolute", "tree")),
)
