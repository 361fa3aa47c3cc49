"""Three rods on universal joints, turning about x and then about y."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    rod = rm.Cuboid((1, 1, 10), density=1)
    top = scene.add_body(rod, joint=rm.Universal(), com=(0, 0, -5), q=(pi / 8, 0))
    middle = scene.add_body(rod, parent=top, joint=rm.Universal(), at=(0, 0, -10), com=(0, 0, -5), q=(0, pi / 8))
    scene.add_body(rod, parent=middle, joint=rm.Universal(), at=(0, 0, -10), com=(0, 0, -5), q=(pi / 8, 0))
    return scene


ENTRIES = (
    redmax(14, "universal-chain", "Three rods on universal joints", build, ("universal",)),
    redmax_diff(8, "diff-universal-chain", "Three rods on universal joints, fully implicit", build, ("universal",)),
)
